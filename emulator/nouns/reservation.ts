import type { z } from "zod";
import type { requestReservationRequest } from "../../provider/service";
import { formatCount } from "./count";

export function requestReservation({ gpuCount }: z.output<typeof requestReservationRequest>) {
  return { message: `Your request for ${formatCount(gpuCount, "GPU")} was received.` };
}

import type { z } from "zod";
import type { requestReservationRequest } from "../../provider/service";
import { count } from "../../provider/shared/count";

export function requestReservation({ gpuCount }: z.output<typeof requestReservationRequest>) {
  return { message: `Your request for ${count(gpuCount, "GPU")} was received.` };
}

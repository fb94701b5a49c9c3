import type { Operation } from "../../service";
import { isLoopback } from "../../shared/loopback";
import type { SettingNames } from "../errors";

/** How long an origin is tried that has never answered: a wrong address and a service that is not running show soon. */
const patienceMs = 3000;

/** The origins that have answered anything in this process. */
const reached = new Set<string>();

/** Notes that there is a service at this base URL. */
export function noteAnswer(baseUrl: string): void {
  reached.add(new URL(baseUrl).origin);
}

/**
 * Until when to retry what could not be sent. A service that has answered before is likely to come back, so that is the
 * deadline of the call; any other gets a moment only.
 */
export function endOfRetries(baseUrl: string, call: { startedAt: number; deadline: number }): number {
  const { startedAt, deadline } = call;
  return reached.has(new URL(baseUrl).origin) ? deadline : Math.min(deadline, startedAt + patienceMs);
}

/** What to do where nothing answers at this base URL. */
export function adviceToReach({
  baseUrl,
  base,
  names,
}: {
  baseUrl: string;
  base: Operation["base"];
  names: SettingNames;
}) {
  const setting =
    base === "v1"
      ? (names.v1BaseUrl ?? "GPUFLEET_V1_BASE_URL / gpufleet:v1BaseUrl")
      : (names.baseUrl ?? "GPUFLEET_BASE_URL / gpufleet:baseUrl");
  return isLoopback(new URL(baseUrl).hostname)
    ? `Is the emulator running? Start it with \`gpufleet emulator\`, or check ${setting}.`
    : `Check ${setting} and the network.`;
}

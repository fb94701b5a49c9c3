import { type Finding, ok, unknown, warn } from "./finding";

const check = "clock";
/** What has expired is told by this machine's clock unless the service is asked. */
const toleratedMs = 60_000;

/** How far this machine's clock is from the service's. Asked without a key. */
export async function findSkew(baseUrl: string, timeoutMs: number): Promise<Finding> {
  const sent = Date.now();
  const answer = await fetch(baseUrl, {
    method: "HEAD",
    redirect: "manual",
    signal: AbortSignal.timeout(timeoutMs),
  }).catch(() => undefined);
  const received = Date.now();
  const serviceTime = Date.parse(answer?.headers.get("date") ?? "");
  if (Number.isNaN(serviceTime)) return unknown(check, "the service sends no time");
  // The header is cut to whole seconds, and was written some time between question and answer.
  const skew = serviceTime + 500 - (sent + received) / 2;
  const seconds = Math.round(Math.abs(skew) / 1000);
  if (Math.abs(skew) <= toleratedMs) return ok(check, `${seconds} s off`);
  return warn(
    check,
    `${seconds} s ${skew > 0 ? "behind" : "ahead of"} the service`,
    "Set this machine's clock: `gpufleet expired` depends on it.",
  );
}

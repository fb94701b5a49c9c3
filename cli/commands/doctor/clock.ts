import { type Finding, ok, unknown, warn } from "./finding";

const check = "clock";
/** Nothing is judged by this machine's clock; but where the two differ, one of them is wrong, and times are not what they seem. */
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
    "One of the two clocks is wrong. Ages and expiry go by the service's clock; an expiresAt that is a time of day comes at that time by its clock.",
  );
}

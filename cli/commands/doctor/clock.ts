import { doubtful, type Finding, right, unknown } from "./finding";

const about = "clock";
/** Expiry and the ages of records are compared with this machine's clock. */
const toleratedMs = 60_000;

/** How far this machine's clock is from the service's. Asked without a key. */
export async function findSkew(baseUrl: string, patienceMs: number): Promise<Finding> {
  const sent = Date.now();
  const answer = await fetch(baseUrl, {
    method: "HEAD",
    redirect: "manual",
    signal: AbortSignal.timeout(patienceMs),
  }).catch(() => undefined);
  const received = Date.now();
  const told = Date.parse(answer?.headers.get("date") ?? "");
  if (Number.isNaN(told)) return unknown(about, "the service does not tell the time");
  // The header is cut to whole seconds, and was written some time between question and answer.
  const skew = told + 500 - (sent + received) / 2;
  const seconds = Math.round(Math.abs(skew) / 1000);
  if (Math.abs(skew) <= toleratedMs) return right(about, `${seconds} s from the service's`);
  return doubtful(
    about,
    `${seconds} s ${skew > 0 ? "behind" : "ahead of"} the service's`,
    "Set this machine's clock: expiresAt and the ages of records go by it.",
  );
}

import type { View } from "../lifecycle";
import { cleanText } from "../shared/cleanText";
import { readMoment } from "../shared/timestamp";

/** The `Date` of an answer is in whole seconds, and the answer takes a while. */
const slack = 5000;

/**
 * Whether one of these times says that something has ended. One that is still to come is a plan, and one that cannot be read ends
 * nothing. By the service's clock.
 */
export function hasEnded(now: number, ...times: (string | null | undefined)[]): boolean {
  return times.some((text) => {
    const time = readMoment(text, now);
    return typeof time === "number" && time <= now + slack;
  });
}

type Standing = Pick<View, "status" | "phase" | "hasUnclearEnd">;

/**
 * What a record says with these times for its end. Where it has no status, and nobody knows what stands there, it says neither that it
 * runs nor that it has ended: people are shown that.
 */
export function withEnd(standing: Standing, now: number, ...times: (string | null | undefined)[]): Standing {
  if (hasEnded(now, ...times)) return { ...standing, phase: "ended" };
  const unreadable = times.find((text) => readMoment(text, now) === "unreadable");
  if (!unreadable || standing.status.toLowerCase() !== "unknown") return standing;
  return { status: `Unknown, with the end ${cleanText(unreadable)}`, phase: "unrecognized", hasUnclearEnd: true };
}

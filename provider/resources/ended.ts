import { readTimestamp } from "../shared/timestamp";

/** The `Date` of an answer is in whole seconds, and the answer takes a while. */
const slack = 5000;

/**
 * Whether one of these times says that something has ended. One that is still to come is a plan, and one before 1970 is how some
 * services write that there is none. By the service's clock.
 */
export function hasEnded(now: number, ...times: (string | null | undefined)[]): boolean {
  return times.some((text) => {
    if (!text?.trim()) return false;
    const time = readTimestamp(text);
    // In a form that is not known, but set.
    return time === undefined || (time > 0 && time <= now + slack);
  });
}

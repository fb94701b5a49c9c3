import type { Clock } from "./clock";
import type { Failure } from "./failure";
import type { Limits } from "./limits";

export interface RepeatPolicy {
  limits: Limits;
  clock: Clock;
  random: () => number;
}

/**
 * How long to wait before the exchange after number `attempt`, or undefined where there is to be none: it must not be
 * repeated, has been often enough, or the wait would pass the deadline.
 */
export function waitBeforeRepeat(
  failure: Failure,
  attempt: number,
  deadline: number,
  { limits, clock, random }: RepeatPolicy,
): number | undefined {
  if (!failure.repeat) return undefined;
  const left = deadline - clock.now();
  const { asked } = failure;
  // 0 and a date in the past say no more than "try again": the own backoff keeps that from becoming a storm.
  if (asked !== undefined && asked > 0) {
    if (asked >= left) return undefined;
    // Everybody was told the same moment; the jitter keeps them from coming back as one.
    const wait = asked + random() * Math.min(limits.backoffCap, limits.backoff + asked / 10);
    return wait < left ? wait : asked;
  }
  if (!failure.comeBack && attempt >= limits.attempts) return undefined;
  const wait = random() * Math.min(limits.backoffCap, limits.backoff * 2 ** (attempt - 1));
  return wait < left ? wait : undefined;
}

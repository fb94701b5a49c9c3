import { retryBackoff } from "../../shared/backoff";
import type { Clock } from "./clock";
import type { Limits } from "./limits";
import { endOfRetries } from "./reachability";

/** Whether a call may be sent again after an attempt that failed, and after what wait. */
export type RetryRule =
  /**
   * "backoff": a limited number of attempts, with waits that back off. "unreached": the same, and for a service that has never
   * answered only for a moment.
   */
  | { kind: "never" | "backoff" | "unreached" }
  /** The service itself asks to come back, after this long where it says: only the deadline limits that. */
  | { kind: "asked"; afterMs: number | undefined };

/** The attempt that failed. */
export interface Attempt {
  /** From 1. */
  number: number;
  baseUrl: string;
  /** When the first attempt of the call began, and when it is no longer sent again. */
  startedAt: number;
  deadline: number;
}

export interface RetryPolicy {
  limits: Limits;
  clock: Clock;
  random: () => number;
}

/**
 * Milliseconds to wait before the next attempt, or undefined where there is to be none: the call must not be sent again, has
 * been often enough, or the wait would pass the deadline.
 */
export function retryDelay(rule: RetryRule, attempt: Attempt, { limits, clock, random }: RetryPolicy) {
  if (rule.kind === "never") return undefined;
  const end = rule.kind === "unreached" ? endOfRetries(attempt.baseUrl, attempt) : attempt.deadline;
  const left = end - clock.now();
  const asked = rule.kind === "asked" ? (rule.afterMs ?? 0) : 0;
  // 0 and a date in the past say no more than "try again": the backoff keeps that from becoming a storm.
  if (asked > 0) {
    if (asked >= left) return undefined;
    // Everybody was told the same moment; the jitter keeps them from coming back as one.
    const wait = asked + random() * Math.min(limits.backoffCap, limits.backoff + asked / 10);
    return wait < left ? wait : asked;
  }
  if (rule.kind !== "asked" && attempt.number >= limits.attempts) return undefined;
  const wait = retryBackoff(attempt.number, limits.backoff, limits.backoffCap, random);
  return wait < left ? wait : undefined;
}

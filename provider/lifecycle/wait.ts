import {
  type Clock,
  ConnectionError,
  RateLimitedError,
  ServerError,
  TimeoutError,
  UnreadableAnswerError,
} from "../client";
import { showDuration } from "./duration";
import { messageOf, WaitFailedError, WaitTimeoutError } from "./errors";
import type { SharedList, Snapshot } from "./sharedList";

/** What a look at the list says about the thing that is waited for. */
export type Verdict<Result> =
  | { is: "done"; result: Result }
  | { is: "pending"; status: string }
  | { is: "failed"; reason: string };

export interface Wait<Item, Result> {
  list: SharedList<Item>;
  clock: Clock;
  random: () => number;
  /** Only lists requested after this mark count; right now if left out. */
  since?: number;
  /** When to give up, by the clock. */
  deadline: number;
  judge(snapshot: Snapshot<Item>): Verdict<Result> | Promise<Verdict<Result>>;
  /** Told once per look while it is pending. */
  onPending?(status: string, elapsed: number): void;
}

/** The first look comes soon, for what is ready at once; it is shared with everyone who looks in the same moment. */
const firstLookSpacing = 200;
const spacing = 2000;
const widestSpacing = 15_000;

/** Looks at the shared list until the judge is satisfied, says no, or the time is up. The one polling loop there is. */
export async function waitUntil<Item, Result>(wait: Wait<Item, Result>): Promise<Result> {
  const { clock, list, deadline } = wait;
  const startedAt = clock.now();
  let mark = wait.since ?? list.mark();
  let status = "not listed yet";
  let trouble: unknown;
  for (let look = 0; ; look += 1) {
    try {
      const gap = look === 0 ? firstLookSpacing : spacingAfter(clock.now() - startedAt, wait.random);
      const snapshot = await beforeDeadline(clock, deadline, (signal) => list.after(mark, gap, signal));
      mark = snapshot.sequence;
      trouble = undefined;
      const verdict = await wait.judge(snapshot);
      if (verdict.is === "done") return verdict.result;
      if (verdict.is === "failed") throw new WaitFailedError(verdict.reason);
      status = verdict.status;
    } catch (error) {
      if (!(error instanceof DeadlinePassed) && !mayPass(error)) throw error;
      if (!(error instanceof DeadlinePassed)) {
        trouble = error;
        mark = list.mark();
      }
    }
    const now = clock.now();
    if (now >= deadline) {
      const because = trouble === undefined ? "" : `; the last look failed: ${messageOf(trouble)}`;
      throw new WaitTimeoutError(`still ${status} after ${showDuration(now - startedAt)}${because}`);
    }
    wait.onPending?.(status, now - startedAt);
  }
}

/** Trouble that a later look may not have. */
export function mayPass(error: unknown): boolean {
  return [ServerError, RateLimitedError, TimeoutError, ConnectionError, UnreadableAnswerError].some(
    (type) => error instanceof type,
  );
}

/** Two seconds at first, wider the longer it takes, with jitter so that many processes do not march in step. */
function spacingAfter(elapsed: number, random: () => number): number {
  const base = Math.min(spacing + elapsed * 0.02, widestSpacing);
  return base * (0.9 + 0.2 * random());
}

class DeadlinePassed extends Error {}

async function beforeDeadline<Result>(
  clock: Clock,
  deadline: number,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const stop = new AbortController();
  const working = work(stop.signal);
  const passing = clock.sleep(Math.max(0, deadline - clock.now()), stop.signal).then(() => {
    throw new DeadlinePassed();
  });
  // Whichever loses the race is stopped below, and its rejection is of no interest.
  working.catch(() => undefined);
  passing.catch(() => undefined);
  try {
    return await Promise.race([working, passing]);
  } finally {
    stop.abort();
  }
}

import type { Clock } from "../../client";

/** The time was up first. */
export class DeadlinePassed extends Error {}

/** What this gives before the deadline, by the clock; fails when that has passed. */
export async function beforeDeadline<Result>(
  clock: Clock,
  deadline: number,
  run: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const stop = new AbortController();
  const working = run(stop.signal);
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

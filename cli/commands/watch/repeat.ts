import type { Clock } from "../../../provider/client";

/** Does it again and again, this long after the end of the last time, until the signal. What is under way is finished. */
export async function repeat(
  work: () => Promise<void>,
  everyMs: number,
  clock: Clock,
  until: AbortSignal,
): Promise<void> {
  while (!until.aborted) {
    await work();
    await clock.sleep(everyMs, until).catch(() => undefined);
  }
}

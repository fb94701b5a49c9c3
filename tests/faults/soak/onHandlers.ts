import type { Sample } from "../schedules/sample";
import { targets } from "../schedules/singleFaults";
import { emptyTally, merge, type Tally } from "../schedules/tally";
import type { Job } from "../workers/job";
import { Workers } from "../workers/workers";

/** Small enough that progress shows. */
const batch = 250;

/** Every fault and every kill on every request of every operation of every resource, in both fronts. */
export function soakSingleFaults(say: Sample["say"]): Promise<Tally> {
  const jobs = targets.map((target): Job => ({ kind: "single faults", ...target }));
  return playAll(jobs, say, ({ schedules, failures }) => `${schedules} single faults, ${failures.length} failed`);
}

/** Random schedules. Each batch has a seed of its own, so that a failure is found again. */
export function soakRandomSchedules({ count, seed, say }: Sample): Promise<Tally> {
  const jobs = Array.from(
    { length: Math.ceil(count / batch) },
    (_, index): Job => ({
      kind: "random schedules",
      seed: seed * 100_000 + index,
      count: Math.min(batch, count - index * batch),
    }),
  );
  return playAll(
    jobs,
    say,
    ({ schedules, failures }) => `${schedules} of ${count} random schedules, ${failures.length} failed`,
  );
}

/** A failure is told as it comes: nobody should have to wait for the report. */
async function playAll(jobs: readonly Job[], say: Sample["say"], describe: (total: Tally) => string): Promise<Tally> {
  const workers = new Workers();
  const total = emptyTally();
  try {
    await Promise.all(
      jobs.map(async (job) => {
        const played = await workers.play(job);
        merge(total, played);
        for (const failure of played.failures) say(failure);
        say(describe(total));
      }),
    );
  } finally {
    workers.stop();
  }
  return total;
}

import fc from "fast-check";
import { play, report } from "./play";
import { schedules } from "./schedule";
import { emptyTally, note, type Tally } from "./tally";

/** Plays the schedules of one seed. The first that fails is shrunk, and is the last. */
export async function playRandom({ seed, count }: { seed: number; count: number }): Promise<Tally> {
  const tally = emptyTally();
  const holds = fc.asyncProperty(schedules, async (schedule) => {
    const played = await play(schedule);
    if (played.violations.length > 0) throw new Error(report(schedule, played));
    note(tally, played.session);
  });
  // With a planted bug, that it is noticed is all there is to know.
  const endOnFailure = process.env["GPUFLEET_FAULT_SHRINK"] === "no";
  const result = await fc.check(holds, { seed, numRuns: count, endOnFailure });
  // Without what was tried to shrink a failure.
  tally.schedules = result.numRuns;
  if (result.failed) {
    const why = result.errorInstance instanceof Error ? result.errorInstance.message : String(result.errorInstance);
    tally.failures.push(`seed ${seed}, path ${result.counterexamplePath}, shrunk ${result.numShrinks} times:\n${why}`);
  }
  return tally;
}

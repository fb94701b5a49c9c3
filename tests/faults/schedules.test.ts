import fc from "fast-check";
import { play, report } from "./play";
import { schedules } from "./schedule";

jest.setTimeout(300_000);

/** Another seed looks elsewhere: `GPUFLEET_FAULT_SEED=7 GPUFLEET_FAULT_RUNS=500 npx jest tests/faults/schedules`. */
const seed = Number(process.env["GPUFLEET_FAULT_SEED"] ?? 20261115);
const numRuns = Number(process.env["GPUFLEET_FAULT_RUNS"] ?? 150);

test(`${numRuns} random schedules of kills and faults: nothing lost, nothing twice, nothing of others touched`, async () => {
  const holds = fc.asyncProperty(schedules, async (schedule) => {
    const played = await play(schedule);
    if (played.violations.length > 0) throw new Error(report(schedule, played));
  });
  // With a planted bug, that it is noticed is all there is to know.
  await fc.assert(holds, { seed, numRuns, endOnFailure: process.env["GPUFLEET_FAULT_SHRINK"] === "no" });
});

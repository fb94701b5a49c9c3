import type { Job } from "../workers/job";
import { Workers } from "../workers/workers";

jest.setTimeout(300_000);

/** Another seed looks elsewhere: `GPUFLEET_FAULT_SEED=7 GPUFLEET_FAULT_RUNS=500 npx jest tests/faults/schedules`. */
const seed = Number(process.env["GPUFLEET_FAULT_SEED"] ?? 20261115);
const runs = Number(process.env["GPUFLEET_FAULT_RUNS"] ?? 150);

const workers = new Workers();
afterAll(() => workers.stop());

/** What one worker plays at a time. */
const batch = 25;

const jobs = Array.from(
  { length: Math.ceil(runs / batch) },
  (_, index): Job => ({ kind: "random schedules", seed: seed + index, count: Math.min(batch, runs - index * batch) }),
);

test("random schedules of kills and faults: nothing lost, nothing twice, nothing of others touched", async () => {
  let played = 0;
  await Promise.all(
    jobs.map(async (job) => {
      const { failures, schedules } = await workers.play(job);
      // The first failure ends the test.
      expect(failures.join("\n\n")).toBe("");
      played += schedules;
    }),
  );
  expect(played).toBe(runs);
});

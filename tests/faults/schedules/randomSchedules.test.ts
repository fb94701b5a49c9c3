import { Workers } from "../workers/workers";

jest.setTimeout(300_000);

/** Another seed looks elsewhere: `GPUFLEET_FAULT_SEED=7 GPUFLEET_FAULT_RUNS=500 npx jest tests/faults/schedules`. */
const seed = Number(process.env["GPUFLEET_FAULT_SEED"] ?? 20261115);
const runs = Number(process.env["GPUFLEET_FAULT_RUNS"] ?? 500);

const workers = new Workers();
afterAll(() => workers.stop());

test(`${runs} random schedules of kills and faults: nothing lost, nothing twice, nothing of others touched`, async () => {
  const halves = [
    { seed, count: Math.ceil(runs / 2) },
    { seed: seed + 1, count: Math.floor(runs / 2) },
  ];
  const tallies = await Promise.all(halves.map((half) => workers.play({ kind: "random schedules", ...half })));
  expect(tallies.flatMap(({ failures }) => failures).join("\n\n")).toBe("");
  expect(tallies.reduce((sum, { schedules }) => sum + schedules, 0)).toBe(runs);
});

import { Workers } from "../workers/workers";
import { programs, targets } from "./singleFaults";

jest.setTimeout(600_000);

const workers = new Workers();
afterAll(() => workers.stop());

/** One of so many is played here; all of them in `npm run soak`, or with `GPUFLEET_FAULT_EVERY=1`. */
const every = Number(process.env["GPUFLEET_FAULT_EVERY"] ?? 151);

const named = targets.map((target) => ({
  ...target,
  what: `${target.operation} of ${programs[target.program]?.join(" and ")} (${target.front})`,
}));

// All at once, so that no worker waits for a test to end.
test.concurrent.each(named)("$what survives a fault or a kill on any request", async ({ what: _, ...target }) => {
  const { failures } = await workers.play({ kind: "single faults", every, ...target });
  expect(failures.slice(0, 3).join("\n\n")).toBe("");
});

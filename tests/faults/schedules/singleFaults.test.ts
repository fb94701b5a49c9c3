import { Workers } from "../workers/workers";
import { operations, programs } from "./singleFaults";

jest.setTimeout(600_000);

const workers = new Workers();
afterAll(() => workers.stop());

const targets = programs.flatMap((kinds, program) =>
  Object.keys(operations).map((operation) => ({ what: `${operation} of ${kinds.join(" and ")}`, program, operation })),
);

// All at once, so that no worker waits for a test to end.
test.concurrent.each(targets)("$what survives every fault and every kill on every request", async (target) => {
  const { schedules, failures } = await workers.play({ kind: "single faults", ...target });
  expect(failures.slice(0, 3).join("\n\n")).toBe("");
  expect(schedules).toBeGreaterThan(0);
});

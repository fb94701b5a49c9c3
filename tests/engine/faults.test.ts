import fc from "fast-check";
import { type EngineSchedule, engineSchedules } from "../faults/onEngine/engineSchedule";
import { EngineTrial } from "../faults/onEngine/engineTrial";

/**
 * Kills of either process, kills inside a replacement and recoveries are told one by one in recover.test.ts; here they come
 * at random, if asked for by GPUFLEET_ENGINE_FAULT_RUNS. Another seed looks elsewhere; `npm run soak` plays hundreds.
 */
const seed = Number(process.env["GPUFLEET_FAULT_SEED"] ?? 20261115);
const sample = Number(process.env["GPUFLEET_ENGINE_FAULT_RUNS"] ?? 0);

describe("On the real engine", () => {
  let trial: EngineTrial;

  beforeAll(async () => {
    trial = await EngineTrial.create();
  });

  afterAll(() => trial.dispose());

  const plain: EngineSchedule = {
    front: "dynamic",
    resources: ["bareMetal"],
    end: "none",
    point: "after the effect",
    replacing: false,
    fault: null,
  };

  test("fault 13: a first interrupt in mid-create has the create recorded, and nothing is lost", async () => {
    expect(await trial.play({ ...plain, end: "interrupt" })).toEqual([]);
  });

  test("fault 4: interrupted twice in mid-create: one machine after recover and up", async () => {
    expect(await trial.play({ ...plain, resources: ["vm"], end: "interrupt-twice" })).toEqual([]);
  });

  test("the plugin killed after the effect of a create: one machine after recover and up", async () => {
    expect(await trial.play({ ...plain, front: "plugin", end: "kill-provider" })).toEqual([]);
  });

  // Not in `npm test`: the soak plays hundreds, and the layer `engine` of the planted bugs a few.
  for (const schedule of fc.sample(engineSchedules, { seed, numRuns: sample })) {
    test(`a random schedule holds: ${JSON.stringify(schedule)}`, async () => {
      expect(await trial.play(schedule)).toEqual([]);
    });
  }
});

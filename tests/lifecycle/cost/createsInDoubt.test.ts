import { FakeEngine, type Program } from "../fakeEngine";
import { createRig, paths } from "../rig";
import { live } from "../wire";

const rental = (label?: string) => ({
  type: "BareMetalRental",
  inputs: { networkType: "infiniband", gpuCount: 8, ...(label && { label }) },
});
const lost = (path: string) => ({ match: { method: "POST", path }, kind: "reset-after" }) as const;

/** A stack within its limit that does not know whether the create of its first one took effect. One that runs beside it shows what it costs. */
async function inDoubt(first: Program[string], path: string, maxCostPerHour: number) {
  const rig = createRig({ settings: { maxCostPerHour } });
  const stack = new FakeEngine(rig);
  await stack.up({ like: first });
  rig.clock.advance(600);
  rig.fault(lost(path));
  await stack.up({ like: first, first });
  expect(stack.get("first").id).toMatch(/^unresolved:/);
  return { rig, stack };
}

describe("A create of an earlier run of which nobody knows whether it took effect", () => {
  test("counts for the limit of the stack with a chosen label, and the error says so", async () => {
    const { rig, stack } = await inDoubt(rental("train"), paths.bareMetal, 45);
    const program = { like: rental("train"), first: rental("train"), second: rental() };
    const { errors } = await stack.up(program, { continueOnError: true });
    expect(errors["second"]).toContain("although it is unknown whether it was created: first.");
    expect(live(rig)).toEqual([1001, 1002]);
  });

  test("counts as an instance of the marketplace", async () => {
    const instance = { type: "MarketplaceInstance", inputs: { gpuCount: 8, select: {} } };
    const { rig, stack } = await inDoubt(instance, paths.createInstance, 14);
    const program = { like: instance, first: instance, second: instance };
    const { errors } = await stack.up(program, { continueOnError: true });
    expect(errors["second"]).toContain("although it is unknown whether it was created: first.");
    expect(rig.billing()).toHaveLength(2);
  });

  test("is counted by its record where its automatic label is listed", async () => {
    const rig = createRig({ settings: { maxCostPerHour: 45 } });
    const stack = new FakeEngine(rig);
    rig.fault(lost(paths.bareMetal), {
      match: { method: "GET", path: paths.bareMetal },
      kind: "status",
      status: 500,
      nth: 2,
      times: 99,
    });
    await stack.up({ first: rental() });
    rig.emulator.faults.clear();
    expect((await stack.up({ first: rental(), second: rental() })).errors).toEqual({});
    expect(live(rig)).toHaveLength(2);
  });
});

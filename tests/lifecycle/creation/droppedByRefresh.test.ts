import { endInConsole } from "../../faults/simulation/console";
import { FakeEngine, type Program } from "../fakeEngine";
import { createRig, type ProviderProcess, paths, type Rig } from "../rig";
import { changingList, leavingOut, live } from "../wire";

const train = { type: "BareMetalRental", inputs: { networkType: "infiniband", gpuCount: 8 } };
const program = { train, other: train };
const labelled = (label: string) => ({ ...train, inputs: { ...train.inputs, label } });
const chosen = { train: labelled("research-a"), other: labelled("research-b") };

/** Two machines run, and lists lack the first of them until it is back. */
async function flickering(isBack: (rig: Rig, provider: ProviderProcess) => boolean, two: Program = program) {
  const rig = createRig();
  const stack = new FakeEngine(rig);
  expect((await stack.up(two)).errors).toEqual({});
  rig.clock.advance(86_400);
  const wire = leavingOut(paths.bareMetal, ({ id }) => id === 1001 && !isBack(rig, provider));
  const provider: ProviderProcess = rig.startProvider({}, { wire });
  return { rig, stack, provider };
}

const isDropped = (_: Rig, { shown }: ProviderProcess) => shown.some(({ text }) => text.includes("no longer exists"));

describe("What a refresh has dropped and lists show again", () => {
  test("is no longer known to a create of the same run, which rents no second one", async () => {
    const { rig, stack, provider } = await flickering(isDropped);
    const { steps, errors } = await stack.up(program, { refresh: true, provider });
    expect(steps).toEqual(["gone train", "same other"]);
    expect(errors["train"]).toMatch(
      /refused, nothing was created: the refresh of this run has dropped bare-metal rental 1001 .*gpufleet recover --adopt 1001 --urn '.*::train'` puts it back/,
    );
    expect(live(rig)).toEqual([1001, 1002]);
  });

  test("is no longer known where the refresh comes first, and the create later in the same process", async () => {
    const { rig, stack, provider } = await flickering(isDropped);
    expect((await stack.refresh(provider)).steps).toEqual(["gone train"]);
    expect((await stack.up(program, { provider })).errors["train"]).toMatch(/has dropped bare-metal rental 1001 /);
    expect(live(rig)).toEqual([1001, 1002]);
  });

  test("is a leftover to the next run, as after an interruption", async () => {
    const { rig, stack, provider } = await flickering(isDropped);
    await stack.up(program, { refresh: true, provider });
    expect((await stack.up(program)).errors["train"]).toMatch(
      /1001 .* was created for this resource, but is missing from the state/,
    );
    expect(live(rig)).toEqual([1001, 1002]);
  });

  test("is not rented a second time after the stack was renamed", async () => {
    const { rig, stack, provider } = await flickering(isDropped);
    stack.rename("prod");
    const { errors } = await stack.up(program, { refresh: true, provider });
    expect(errors["train"]).toMatch(/1001/);
    expect((await stack.up(program)).errors["train"]).toMatch(/1001 .* was created for this resource/);
    expect(live(rig)).toEqual([1001, 1002]);
  });

  test.each([train, labelled("research-a")])("is not rented a second time under a new name (%j)", async (resource) => {
    const { rig, stack, provider } = await flickering(isDropped, { ...program, train: resource });
    const kept = stack.get("train");
    stack.state.delete("train");
    // By an alias.
    stack.state.set("trainer", { ...kept, name: "trainer", urn: stack.urn("BareMetalRental", "train") });
    const renamed = { trainer: resource, other: train };
    const { errors } = await stack.up(renamed, { refresh: true, provider });
    expect(errors["trainer"]).toMatch(
      /has dropped bare-metal rental 1001 .* another name for it: if that is a former one of this resource, `gpufleet recover --adopt 1001 --urn '.*::trainer'` puts it back; if not, run this again\.$/,
    );
    expect(live(rig)).toEqual([1001, 1002]);
    // A person's word, by doing as it says.
    if (resource !== train) expect((await stack.up(renamed)).errors).toEqual({});
  });

  test("is in the way of nothing else where the program has its name", async () => {
    const { rig, stack, provider } = await flickering(isDropped);
    const { errors } = await stack.up({ ...program, added: train }, { refresh: true, provider });
    expect(Object.keys(errors)).toEqual(["train"]);
    expect(live(rig)).toHaveLength(3);
  });

  test("is not rented a second time without an automatic label either", async () => {
    const { rig, stack, provider } = await flickering(isDropped, chosen);
    const { steps, errors } = await stack.up(chosen, { refresh: true, provider });
    expect(steps).toEqual(["gone train", "same other"]);
    expect(errors["train"]).toMatch(/has dropped bare-metal rental 1001 "research-a" .*recover --adopt 1001 --urn/);
    expect(live(rig)).toEqual([1001, 1002]);
  });

  test("is not rented a second time where it has no label at all", async () => {
    const bargain = { type: "MarketplaceInstance", inputs: { select: {}, gpuCount: 1 } };
    const instances = { bargain, other: bargain };
    const rig = createRig();
    const stack = new FakeEngine(rig);
    expect((await stack.up(instances)).errors).toEqual({});
    const { id } = stack.get("bargain");
    rig.clock.advance(86_400);
    const wire = leavingOut(paths.instances, (item) => item.id === id && !isDropped(rig, provider));
    const provider: ProviderProcess = rig.startProvider({}, { wire });
    const { errors } = await stack.up(instances, { refresh: true, provider });
    expect(errors["bargain"]).toContain(`has dropped marketplace instance ${id} `);
    expect(rig.count("POST", paths.createInstance)).toBe(2);
  });

  test("is in nobody's way where the service has given its id to another machine", async () => {
    const rig = createRig();
    const stack = new FakeEngine(rig);
    await stack.up(chosen);
    rig.clock.advance(86_400);
    const wire = changingList(paths.bareMetal, (items) => {
      const others = items.filter(({ id }) => id !== 1001);
      return isDropped(rig, provider)
        ? items.map((item) => (item.id === 1001 ? { ...item, label: "theirs" } : item))
        : others;
    });
    const provider: ProviderProcess = rig.startProvider({}, { wire });
    expect((await stack.up(chosen, { refresh: true, provider })).errors).toEqual({});
    expect(stack.get("train").id).toBe("1003");
  });

  test("is not among it where its record says that it has ended, although a later list lags", async () => {
    const rig = createRig();
    const stack = new FakeEngine(rig);
    await stack.up(program);
    rig.clock.advance(86_400);
    const wire = changingList(paths.bareMetal, (items) =>
      items.map((item) => (item.id === 1001 && !isDropped(rig, provider) ? { ...item, status: "Terminated" } : item)),
    );
    const provider: ProviderProcess = rig.startProvider({}, { wire });
    expect((await stack.up(program, { refresh: true, provider })).errors).toEqual({});
    expect(stack.get("train").id).toBe("1003");
  });

  test("does not make a leftover of what it had replaced and retainOnDelete kept", async () => {
    const rig = createRig();
    const stack = new FakeEngine(rig);
    await stack.up(program);
    await stack.up(program, { replace: ["train"], keep: true });
    stack.condemned.length = 0;
    await rig.run(endInConsole(rig.client, "BareMetalRental", stack.get("train").id));
    rig.clock.advance(600);
    expect(await stack.up(program, { refresh: true })).toMatchObject({
      steps: ["gone train", "same other", "create train"],
    });
    expect(live(rig)).toEqual([1001, 1002, 1004]);
  });

  test("is no predecessor of the one that was created meanwhile, but left over", async () => {
    const { rig, stack, provider } = await flickering((rig) => rig.count("POST", paths.bareMetal) > 2);
    // Then lists are looked at before the create returns.
    rig.fault({ match: { method: "POST", path: paths.bareMetal }, kind: "reset-after" });
    expect((await stack.up(program, { refresh: true, provider })).errors).toEqual({});
    expect(stack.get("train").id).toBe("1003");
    const { errors } = await stack.up(program, { replace: ["train"] });
    expect(errors["train"]).toMatch(/1001 .* was created for this resource, but is missing from the state/);
    expect(live(rig)).toEqual([1001, 1002, 1003]);
  });
});

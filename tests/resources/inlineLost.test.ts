/** A volume that was made with a rental, where lists and answers leave open which one it is: it ends with it, or is named. */
import type { Transport } from "../../provider/client";
import { endInConsole } from "../faults/simulation/console";
import { recover } from "../faults/simulation/recover";
import { FakeEngine, type Outcome, type Program } from "../lifecycle/fakeEngine";
import { createRig, paths, type Rig } from "../lifecycle/rig";
import {
  answering,
  changingAnswer,
  changingList,
  type Item,
  intercepting,
  leavingOut,
  sendingTwice,
  type Wire,
} from "../lifecycle/wire";
import { createStack, inline, list, post, volumes, withoutMeta } from "./inlineStack";

/** Everything that people have seen of a run. */
function seen({ errors, provider }: Outcome): string {
  const shown = provider.shown.filter(({ kind }) => kind !== "status").map(({ text }) => text);
  return [...Object.values(errors), ...shown].join("\n");
}

/** `up` was killed after its create had taken effect; `gpufleet recover` follows. */
async function recovered(rig: Rig, program: Program, wire: Wire = (transport) => transport): Promise<FakeEngine> {
  const [stack, killed] = [new FakeEngine(rig), new FakeEngine(rig)];
  await killed.up(program, { provider: rig.startProvider({}, { wire }) });
  const { inputs } = killed.get("train");
  killed.state.clear();
  stack.pending.push({ name: "train", type: "BareMetalRental", inputs });
  rig.clock.advance(300);
  await recover({ rig, stack, neighbours: [], program });
  return stack;
}

/** What bills is in the state, or is named. */
function expectNothingLost(rig: Rig, stack: FakeEngine, outcome: Outcome): void {
  if (stack.state.size > 0) return;
  const isNamed = volumes(rig).every((id) => seen(outcome).includes(`storage volume ${id} `));
  expect({ billing: rig.billing(), isNamed }).toEqual({ billing: [], isNamed: true });
}

describe("The volume of a rental is not lost", () => {
  test("with a create in doubt that is destroyed while the list of volumes lags", async () => {
    const { rig, stack } = createStack();
    rig.fault(
      { match: post, kind: "reset-after" },
      { match: list, nth: 2, times: 70, kind: "stale-list", seconds: 600 },
    );
    await stack.up(inline({ timeouts: { create: "20s" } }));
    rig.emulator.faults.clear();
    rig.fault({ match: { method: "GET", path: paths.volumes }, times: 999, kind: "stale-list", seconds: 100 });
    expectNothingLost(rig, stack, await stack.destroy());
  });

  test("with a rental that was recovered, where lists leave it out", async () => {
    const rig = createRig();
    const stack = await recovered(rig, inline());
    expect(stack.get("train").outputs["__volume"]).toMatchObject({ id: "1" });
    const wire = leavingOut(paths.volumes, () => true, 2);
    expectNothingLost(rig, stack, await stack.destroy({ provider: rig.startProvider({}, { wire }) }));
  });

  test("with a rental that others have ended, where two lists of a refresh leave it out", async () => {
    const { rig, stack, provider } = createStack();
    const none = changingList(paths.volumes, () => []);
    const early = provider((transport) => none(withoutMeta(transport)));
    await stack.up(inline({ waitForReady: false }), { provider: early });
    rig.clock.advance(3600);
    await rig.run(endInConsole(rig.client, "BareMetalRental", stack.get("train").id));
    rig.clock.advance(600);
    expectNothingLost(rig, stack, await stack.refresh(provider(leavingOut(paths.volumes, () => true, 2))));
  });

  test("with rentals that others have ended, where no list of a refresh shows any volume", async () => {
    const { rig, stack, provider } = createStack();
    const { train } = inline();
    const program = { one: train, two: train, plain: inline({ storageVolume: undefined }).train };
    expect((await stack.up(program)).errors).toEqual({});
    for (const name of ["one", "two"]) await rig.run(endInConsole(rig.client, "BareMetalRental", stack.get(name).id));
    rig.clock.advance(600);
    const { errors } = await stack.refresh(provider(leavingOut(paths.volumes, () => true)));
    expect(errors["one"]).toContain("2 of the 2 storage volumes in this stack's state are missing");
    expect(errors["one"]).toContain("GPUFLEET_CONFIRM_GONE=1");
    expect(stack.state.size).toBe(3);
    expect((await stack.destroy()).errors).toEqual({});
    expect(rig.billing()).toEqual([]);
  });

  test("does not hinder a destroy where the service deletes volumes with their rentals, and says little", async () => {
    const { rig, stack } = createStack();
    const { train } = inline();
    await stack.up({ one: train, two: train });
    const ends = intercepting(({ method, path }) => {
      if (method === "POST" && path === paths.deleteVolume) return answering(404, { error: "Not Found" });
      return undefined;
    });
    const gone = changingList(paths.volumes, (items) => (rig.billing().length > 2 ? items : []));
    const provider = rig.startProvider({}, { wire: (transport) => ends(gone(transport)) });
    expect((await stack.destroy({ provider })).errors).toEqual({});
  });

  test("with one of two rentals, where the other shows that lists are right: nothing is left of it", async () => {
    const { rig, stack } = createStack();
    const program = { one: inline().train, two: inline().train };
    expect((await stack.up(program)).errors).toEqual({});
    await rig.run(endInConsole(rig.client, "BareMetalRental", stack.get("one").id));
    rig.clock.advance(600);
    const { id } = Object(stack.get("one").outputs["__volume"]);
    await rig.run(endInConsole(rig.client, "StorageVolume", id));
    rig.clock.advance(600);
    expect(await stack.refresh()).toMatchObject({ steps: ["gone one"], errors: {} });
  });

  test.each([
    [400, { error: "no capacity in us-central-1" }],
    [502, "bad gateway"],
  ])("where the service has made it, and not its rental (%i)", async (status, body) => {
    const { rig, stack, provider } = createStack();
    const wire = intercepting((request) => {
      if (request.method !== "POST" || request.path !== paths.bareMetal) return undefined;
      const { label, sizeInGb } = Object(request.body["storageVolume"]);
      const made = rig.client.createStorageVolume({ region: "us-central-1", label, sizeInGb });
      return made.then(() => answering(status, body));
    });
    const up = await stack.up(inline(), { provider: provider(wire) });
    const down = await stack.destroy();
    expect(volumes(rig)).toEqual([1]);
    expect(`${seen(up)}\n${seen(down)}`).toMatch(/storage volume 1 \(512 GB, \$0\.0512\/h\)/);
  });
});

describe("Another volume than that of a rental is not deleted", () => {
  test("that has its id, label and size, but was created at another time", async () => {
    const { rig, stack, provider } = createStack();
    await stack.up(inline());
    rig.clock.advance(86_400);
    const createdAt = new Date(rig.clock.now() - 3_600_000).toISOString();
    const show = (item: Item) => ({ ...item, createdAt, attachedRentals: [] });
    await rig.run(endInConsole(rig.client, "BareMetalRental", "1001"));
    rig.clock.advance(600);
    await stack.destroy({ provider: provider(changingList(paths.volumes, (items) => items.map(show))) });
    expect(rig.count("POST", paths.deleteVolume)).toBe(0);
  });

  test("that a person has attached later, with a label that begins like it", async () => {
    const rig = createRig();
    const stack = await recovered(rig, inline());
    const { [String("__volume")]: _, ...outputs } = stack.get("train").outputs;
    stack.state.set("train", { ...stack.get("train"), outputs });
    const rentalIds = [Number(stack.get("train").id)];
    const request = { region: "us-central-1" as const, sizeInGb: 1024, label: "train-data-2" };
    const { storageVolumeId } = await rig.run(rig.client.createStorageVolume(request));
    rig.clock.advance(60);
    await rig.run(rig.client.attachStorageVolume({ storageVolumeId, rentalIds }));
    await rig.run(rig.client.detachStorageVolume({ storageVolumeId: 1, rentalIds }));
    await rig.run(rig.client.deleteStorageVolume({ storageVolumeId: 1 }));
    rig.clock.advance(600);
    await stack.destroy();
    expect(volumes(rig)).toEqual([storageVolumeId]);
  });

  test.each([1, -1])("that has as its id what a rental calls its own by its record (%i)", async (shift) => {
    const rig = createRig({ emulator: { volumeIds: "separate" } });
    const stack = new FakeEngine(rig);
    const byRecord = (some: unknown) =>
      Array.isArray(some) ? some.map((one) => ({ ...one, id: Number(one.id) + shift })) : some;
    const show = ({ attachedStorage, meta, ...item }: Item) => ({
      ...item,
      attachedStorage: byRecord(attachedStorage),
      meta: { attached_storage: byRecord(Object(meta)["attached_storage"]) },
    });
    const recordOf = (item: Item) => ({ ...item, id: Number(item["storageVolumeId"]) + shift });
    const records = changingList(paths.volumes, (items) => items.map(recordOf));
    const rentals = changingList(paths.bareMetal, (items) => items.map(show));
    const wire = (transport: Transport) => changingAnswer("POST", paths.bareMetal, show)(rentals(records(transport)));
    const start = () => ({ provider: rig.startProvider({}, { wire }) });
    const { train } = inline();
    expect((await stack.up({ a: train, b: train, c: train }, start())).errors).toEqual({});
    for (const name of ["a", "b", "c"]) {
      const { id, outputs } = stack.get(name);
      const [own] = rig.emulator.attachments().filter(({ rentalId }) => String(rentalId) === id);
      expect(outputs["__volume"]).toMatchObject({ id: String(own?.volumeId) });
    }
    rig.clock.advance(3600);
    expect((await stack.up({ b: train, c: train }, start())).errors).toEqual({});
    expect(volumes(rig)).toHaveLength(2);
  });
});

test("Nobody is told to delete by hand what the same run deletes as its own", async () => {
  const rig = createRig();
  const stack = await recovered(rig, inline(), sendingTwice(paths.bareMetal));
  await rig.run(endInConsole(rig.client, "BareMetalRental", stack.get("train").id));
  rig.clock.advance(600);
  expect(seen(await stack.up(inline(), { refresh: true }))).not.toMatch(/delete it by hand/);
  expect((await stack.destroy()).errors).toEqual({});
  expect(rig.billing()).toEqual([]);
});

test("A twin that `gpufleet recover` has named is ended, also where the first list of destroy lacks it", async () => {
  const rig = createRig();
  const train = { train: { type: "BareMetalRental", inputs: { networkType: "infiniband", gpuCount: 8 } } };
  const stack = await recovered(rig, train, sendingTwice(paths.bareMetal));
  const { id } = stack.get("train");
  const wire = leavingOut(paths.bareMetal, (item) => String(item["id"]) !== id, 1);
  expect((await stack.destroy({ provider: rig.startProvider({}, { wire }) })).errors).toEqual({});
  expect(rig.billing()).toEqual([]);
});

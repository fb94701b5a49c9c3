import { FakeEngine } from "../lifecycle/fakeEngine";
import { createRig, paths, type Rig } from "../lifecycle/rig";
import { changingAnswer, changingList, type Item, intercepting } from "../lifecycle/wire";

const inline = (more: object = {}) => ({
  train: {
    type: "BareMetalRental",
    inputs: {
      networkType: "infiniband",
      gpuCount: 8,
      storageVolume: { isNew: true, label: "train-data", sizeInGb: 512 },
      ...more,
    },
  },
});
const post = { method: "POST", path: paths.bareMetal };
const list = { method: "GET", path: paths.bareMetal };
const deletes = { method: "POST", path: paths.deleteVolume };

/** Ids of the volumes that bill. */
function volumes(rig: Rig): number[] {
  const billing = rig.emulator.state().filter(({ kind, billing }) => kind === "storage-volume" && billing);
  return billing.map(({ id }) => Number(id));
}

/** The order in which the service lists attached volumes is its own: here by id. */
const byId = changingList(paths.bareMetal, (items) =>
  items.map((item) => {
    const attached = item["attachedStorage"];
    return { ...item, attachedStorage: Array.isArray(attached) ? [...attached].sort((a, b) => a.id - b.id) : attached };
  }),
);
/** `meta` of the answer to a create is optional. */
const withoutMeta = changingAnswer("POST", paths.bareMetal, ({ meta: _, ...rental }: Item) => rental);

function createStack() {
  const rig = createRig();
  return { rig, stack: new FakeEngine(rig), provider: (wire = withoutMeta) => rig.startProvider({}, { wire }) };
}

describe("A volume that was made with a rental", () => {
  test("is told from the one of an earlier rental that has its label and is attached, too", async () => {
    const { rig, stack, provider } = createStack();
    await stack.up(inline({ keepVolume: true }));
    const [kept = 0] = volumes(rig);
    await stack.up(inline({ keepVolume: true, gpuCount: 16 }));
    const rentalIds = [Number(stack.get("train").id)];
    await rig.run(rig.client.attachStorageVolume({ storageVolumeId: kept, rentalIds }));
    await stack.up(inline({ keepVolume: false, gpuCount: 16 }), { refresh: true, provider: provider(byId) });
    expect((await stack.destroy({ provider: provider(byId) })).errors).toEqual({});
    expect(volumes(rig)).toEqual([kept]);
  });

  test.each([256, 512])(
    "is told from somebody else's of its label and %i GB that is attached, too",
    async (sizeInGb) => {
      const { rig, stack, provider } = createStack();
      const { storageVolumeId } = await rig.run(
        rig.client.createStorageVolume({ region: "us-central-1", sizeInGb, label: "train-data" }),
      );
      await stack.up(inline());
      const rentalIds = [Number(stack.get("train").id)];
      await rig.run(rig.client.attachStorageVolume({ storageVolumeId, rentalIds }));
      await stack.refresh(provider(byId));
      expect((await stack.destroy({ provider: provider(byId) })).errors).toEqual({});
      expect(volumes(rig)).toEqual([storageVolumeId]);
    },
  );

  test("is told from one of its label and size that came later", async () => {
    const { rig, stack, provider } = createStack();
    await stack.up(inline());
    const [own] = volumes(rig);
    const made = await rig.run(
      rig.client.createStorageVolume({ region: "us-central-1", sizeInGb: 512, label: "train-data" }),
    );
    const rentalIds = [Number(stack.get("train").id)];
    await rig.run(rig.client.attachStorageVolume({ storageVolumeId: made.storageVolumeId, rentalIds }));
    await stack.refresh(provider(byId));
    expect((await stack.destroy({ provider: provider(byId) })).errors).toEqual({});
    expect(volumes(rig)).toEqual([made.storageVolumeId]);
    expect(own).not.toBe(made.storageVolumeId);
  });

  test("does not outlive a rental that ended by itself before anyone looked", async () => {
    const { rig, stack, provider } = createStack();
    await stack.up(inline({ waitForReady: false }), { provider: provider() });
    await rig.run(rig.client.terminateRental({ rentalType: "bare-metal", rentalId: 1001 }));
    rig.clock.advance(600);
    await stack.refresh(provider());
    expect((await stack.destroy({ provider: provider() })).errors).toEqual({});
    expect({ volumes: volumes(rig), inState: stack.state.size }).toEqual({ volumes: [], inState: 0 });
  });

  test("does not outlive a destroy that came to its end only with the rental", async () => {
    const { rig, stack, provider } = createStack();
    await stack.up(inline({ waitForReady: false }), { provider: provider() });
    rig.clock.advance(3600);
    rig.fault({ match: deletes, kind: "status", status: 403, body: { error: "not now" } });
    expect((await stack.destroy({ provider: provider() })).errors).toHaveProperty("train");
    rig.clock.advance(600);
    expect((await stack.destroy({ provider: provider() })).errors).toEqual({});
    expect({ volumes: volumes(rig), inState: stack.state.size }).toEqual({ volumes: [], inState: 0 });
  });

  test("does not outlive a destroy of a rental whose end was refused for good, once that is over", async () => {
    const { rig, stack } = createStack();
    await stack.up(inline());
    rig.fault({ match: deletes, times: 3, kind: "status", status: 404, body: { detail: "Not Found" } });
    expect((await stack.destroy()).errors["train"]).toMatch(/the service does not end it/);
    rig.clock.advance(600);
    expect((await stack.destroy()).errors).toEqual({});
    expect(rig.billing()).toEqual([]);
  });

  test("does not outlive a create whose reply was lost and that destroy ends", async () => {
    const { rig, stack } = createStack();
    rig.fault(
      { match: post, kind: "reset-after" },
      { match: list, nth: 2, times: 70, kind: "stale-list", seconds: 600 },
    );
    await stack.up(inline());
    expect(stack.get("train").id).toMatch(/^unresolved:/);
    rig.emulator.faults.clear();
    expect((await stack.destroy()).errors).toEqual({});
    expect(rig.billing()).toEqual([]);
  });

  test("of a create whose reply was lost is not mixed up with another of its label", async () => {
    const { rig, stack } = createStack();
    const { storageVolumeId } = await rig.run(
      rig.client.createStorageVolume({ region: "us-central-1", sizeInGb: 512, label: "train-data" }),
    );
    rig.fault({ match: post, kind: "reset-after" });
    expect((await stack.up(inline())).errors).toEqual({});
    expect((await stack.destroy()).errors).toEqual({});
    expect(volumes(rig)).toEqual([storageVolumeId]);
  });

  test("does not outlive the twin of a rental that a proxy has made by sending the create twice", async () => {
    const { rig, stack, provider } = createStack();
    let isFirst = true;
    const twice = intercepting(({ method, path }, send) => {
      if (method !== "POST" || path !== paths.bareMetal || !isFirst) return undefined;
      isFirst = false;
      return send().then(send);
    });
    expect((await stack.up(inline(), { provider: provider(twice) })).errors).toEqual({});
    expect(volumes(rig)).toHaveLength(2);
    expect((await stack.destroy()).errors).toEqual({});
    expect(rig.billing()).toEqual([]);
  });

  test("does not outlive a rental that is ended for its price", async () => {
    const { rig, stack } = createStack();
    expect((await stack.up(inline({ maxCostPerHour: 1 }))).errors["train"]).toBe(
      'creating BareMetalRental "train": it costs $19.92/h, more than its maxCostPerHour of $1.00/h. It was terminated immediately.',
    );
    expect(rig.billing()).toEqual([]);
  });

  test.each([
    ["set", {}, { keepVolume: true }, true],
    ["removed", { keepVolume: true }, {}, false],
  ])("heeds keepVolume as it is %s in the very up that replaces its rental", async (_, before, after, stays) => {
    const { rig, stack } = createStack();
    await stack.up(inline(before));
    const [first = 0] = volumes(rig);
    expect((await stack.up(inline({ ...after, gpuCount: 16 }))).errors).toEqual({});
    expect(volumes(rig).includes(first)).toBe(stays);
  });

  test("heeds keepVolume in a forced replacement", async () => {
    const { rig, stack } = createStack();
    await stack.up(inline());
    const [first = 0] = volumes(rig);
    await stack.up(inline({ keepVolume: true }), { replace: ["train"] });
    expect(volumes(rig)).toContain(first);
  });

  test("stays when a destroy follows an up that set keepVolume", async () => {
    const { rig, stack } = createStack();
    await stack.up(inline());
    await stack.up(inline({ keepVolume: true }));
    await stack.destroy();
    expect(volumes(rig)).toHaveLength(1);
  });

  test("of two rentals whose volumes have one label each ends with its own", async () => {
    const { rig, stack } = createStack();
    const { train } = inline();
    expect((await stack.up({ a: train, b: train })).errors).toEqual({});
    const before = volumes(rig);
    expect((await stack.up({ b: train })).errors).toEqual({});
    expect(volumes(rig)).toHaveLength(1);
    const [left = 0] = volumes(rig);
    expect(before).toContain(left);
    const [volume] = await rig.run(rig.client.listStorageVolumes());
    expect(volume).toMatchObject({ storageVolumeId: expect.anything(), attachedRentals: [Number(stack.get("b").id)] });
    await stack.destroy();
    expect(rig.billing()).toEqual([]);
  });

  test("of two rentals made at once, without a word on them in the answers, ends with its own", async () => {
    const { rig, stack, provider } = createStack();
    const { train } = inline({ waitForReady: false });
    await stack.up({ a: train, b: train }, { provider: provider() });
    await stack.up({ b: train }, { provider: provider() });
    const [volume] = (await rig.run(rig.client.listStorageVolumes())).filter(({ deletedAt }) => !deletedAt);
    expect(volume?.attachedRentals).toEqual([Number(stack.get("b").id)]);
    await stack.destroy({ provider: provider() });
    expect(rig.billing()).toEqual([]);
  });
});

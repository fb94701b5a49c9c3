import { groupOrphans } from "../../../cli/account/groupOrphans";
import { listHoldings } from "../../../cli/account/holdings";
import { situationOf } from "../../../cli/account/situation";
import { Stack } from "../../../cli/stack/stack";
import { separateNames } from "../../faults/simulation/separateNames";
import { FakeEngine } from "../fakeEngine";
import { createRig, paths } from "../rig";
import { changingList, type Item, live, type Wire } from "../wire";

const data = { type: "StorageVolume", inputs: { region: "us-central-1", sizeInGb: 256 } };
const bargain = { type: "MarketplaceInstance", inputs: { gpuCount: 1, select: {} } };

function changingItems(path: string, change: (item: Item) => Item): Wire {
  return changingList(path, (items) => items.map(change));
}

describe("A volume that a list has without its storageVolumeId", () => {
  const withoutOwnId = changingItems(paths.volumes, ({ storageVolumeId: _, ...item }) => item);

  test("is still there: a refresh fails and says why, and it is neither its own twin nor replaced", async () => {
    const rig = createRig({ emulator: { volumeIds: "separate" } });
    const stack = new FakeEngine(rig);
    await stack.up({ data });
    rig.clock.advance(3600);
    const { errors } = await stack.refresh(rig.startProvider({}, { wire: withoutOwnId }));
    expect(errors["data"]).toMatch(/cannot be read and may be it \(no id\): it has no storageVolumeId\./);
    expect((await stack.up({ data }, { refresh: true })).steps).toEqual(["same data"]);
    expect(live(rig)).toEqual([1]);
  });

  test("is deleted by its id, and not another one whose id its record has", async () => {
    const rig = createRig({ emulator: { volumeIds: "separate" } });
    const stack = new FakeEngine(rig);
    // Ours: {id: 2, storageVolumeId: 1}. The other: {id: 700000, storageVolumeId: 2}.
    const shown = (isBroken: boolean) =>
      changingItems(paths.volumes, (item) => {
        const isOurs = item["storageVolumeId"] === 1;
        return { ...item, id: isOurs ? 2 : 700_000, ...(isOurs && isBroken && { storageVolumeId: null }) };
      });
    await stack.up({ data }, { provider: rig.startProvider({}, { wire: shown(false) }) });
    await rig.run(rig.client.createStorageVolume({ region: "us-central-1", sizeInGb: 256, label: "others" }));
    rig.clock.advance(3600);
    const { errors } = await stack.destroy({ provider: rig.startProvider({}, { wire: shown(true) }) });
    expect({ errors, live: live(rig) }).toEqual({ errors: {}, live: [2] });
  });

  test("has the id of its record where no volume has another", async () => {
    const rig = createRig();
    const stack = new FakeEngine(rig);
    const options = () => ({ provider: rig.startProvider({}, { wire: withoutOwnId }) });
    expect((await stack.up({ data }, options())).errors).toEqual({});
    expect((await stack.up({ data }, { refresh: true, ...options() })).steps).toEqual(["same data"]);
    expect((await stack.destroy(options())).errors).toEqual({});
    expect(rig.billing()).toEqual([]);
  });
});

describe("Where a list shows no storageVolumeId, and the id of our record is that of somebody else's volume", () => {
  // Ours: {id: 2, storageVolumeId: 1}. The other: {id: 700000, storageVolumeId: 2}.
  const shown = (isBroken: boolean) =>
    changingItems(paths.volumes, (item) => {
      const id = item["storageVolumeId"] === 1 ? 2 : 700_000;
      return { ...item, id, ...(isBroken && { storageVolumeId: null }) };
    });
  const start = async (isBroken: boolean, more: object = {}) => {
    const rig = createRig({ emulator: { volumeIds: "separate" } });
    const stack = new FakeEngine(rig, { stack: "dev", project: "fleet" });
    const it = { ...data, inputs: { ...data.inputs, ...more } };
    await stack.up({ data: it }, { provider: rig.startProvider({}, { wire: shown(isBroken) }) });
    await rig.run(rig.client.createStorageVolume({ region: "us-central-1", sizeInGb: 256, label: "others" }));
    rig.clock.advance(3600);
    return { rig, stack };
  };

  test.each(["of an older version", "before the first refresh", "that never had another"])(
    "a state %s does not take its own record for a twin",
    async (how) => {
      const { rig, stack } = await start(how === "that never had another", {
        ...(how === "before the first refresh" && { waitForReady: false }),
      });
      const { hasOwnId: _, ...where } = Object(stack.get("data").outputs["__where"]);
      if (how === "of an older version") stack.get("data").outputs["__where"] = where;
      const provider = () => rig.startProvider({}, { wire: shown(true) });
      await stack.refresh(provider());
      expect(stack.get("data").id).toBe("1");
      await stack.destroy({ provider: provider() });
      expect(live(rig)).toContain(2);
    },
  );

  test("a command does not offer it as this stack's own", async () => {
    const { rig, stack } = await start(false);
    const { type, id, inputs, outputs } = stack.get("data");
    const entry = { urn: stack.urn(type, "data"), type: `pulumi-nodejs:dynamic/gpufleet:${type}`, id, inputs, outputs };
    const state = { version: 3, deployment: { resources: [{ ...entry, custom: true }] } };
    const runtime = rig.startProvider({}, { wire: shown(true) });
    const given = {
      stack: new Stack({ cwd: "/" }),
      identity: { organization: "organization", project: "fleet", stack: "dev" },
      otherStacks: async () => ({ stacks: [], unread: [] }),
    };
    const situation = situationOf({ ...given, state, runtime }, await rig.run(listHoldings(runtime, state)));
    expect((await rig.run(groupOrphans(situation))).own).toEqual([]);
    expect(situation.unseen).toMatchObject([{ isGone: false }]);
  });
});

test("An instance that was not listed by its id at first, and whose price is held against a limit, is found by its name", async () => {
  const rig = createRig();
  const stack = new FakeEngine(rig);
  let lists = 0;
  // The list before the create, and the first after it, which would tell the id.
  const late = changingList(paths.instances, (items) => (++lists <= 2 ? [] : items));
  const start = () => rig.startProvider({ maxCostPerHour: 100 }, { wire: (send) => separateNames(late(send)) });
  expect((await stack.up({ bargain }, { provider: start() })).errors).toEqual({});
  expect(stack.get("bargain").id).toMatch(/^name-of-/);
  expect((await stack.up({ bargain }, { provider: start(), refresh: true })).steps).toEqual(["same bargain"]);
});

describe("One record of somebody else without its own id", () => {
  test.each([
    ["is in nobody's way", { volumeIds: "separate" as const }, "theirs", (item: Item) => item["label"] === "theirs"],
    [
      "has ended",
      { volumeIds: "separate" as const, dialect: "rich" as const },
      undefined,
      (item: Item) => item["deletedAt"],
    ],
  ])("%s", async (_, emulator, label, isBroken) => {
    const rig = createRig({ emulator });
    const stack = new FakeEngine(rig);
    if (label) await rig.run(rig.client.createStorageVolume({ region: "us-central-1", sizeInGb: 256, label }));
    const wire = changingItems(paths.volumes, (item) => (isBroken(item) ? { ...item, storageVolumeId: null } : item));
    const options = () => ({ provider: rig.startProvider({}, { wire }) });
    expect((await stack.up({ data }, options())).errors).toEqual({});
    expect((await stack.destroy(options())).errors).toEqual({});
    expect(rig.billing()).toHaveLength(label ? 1 : 0);
  });

  test("may be ours until it runs: its name is the one that the create was answered with", async () => {
    const rig = createRig();
    const stack = new FakeEngine(rig);
    const [machine] = (await rig.run(rig.client.listMarketplaceMachines({ filters: {} }))).instances;
    const place = { cluster_name: String(machine?.cluster_name), node_name: String(machine?.id) };
    await rig.run(rig.client.createMarketplaceInstance({ ...place, gpu_count: 1 }));
    rig.clock.advance(3600);
    const wire = changingItems(paths.instances, ({ id, ...item }) => {
      const isUp = /node_ready|running|online/.test(String(Object(item["instance"])["status"] ?? item["status"]));
      return { ...item, instance_name: id, ...(isUp && { id }) };
    });
    expect((await stack.up({ bargain }, { provider: rig.startProvider({}, { wire }) })).errors).toEqual({});
  });
});

describe("A marketplace instance that a list has by another name alone", () => {
  test.each([
    ["instance_name", ({ id, ...item }: Item) => ({ ...item, instance_name: `name-of-${id}` })],
    ["an id that is none", ({ id, ...item }: Item) => ({ ...item, id: {}, instance_id: `name-of-${id}` })],
    [
      "the node's id",
      ({ id: _, ...item }: Item) => ({ ...item, instance: { ...Object(item["instance"]), id: "node" } }),
    ],
  ])("(%s) is not gone, and not rented again", async (_, change) => {
    const rig = createRig();
    const stack = new FakeEngine(rig);
    const whole = changingItems(paths.instances, (item) => ({ ...change(item), id: item["id"] }));
    expect((await stack.up({ bargain }, { provider: rig.startProvider({}, { wire: whole }) })).errors).toEqual({});
    rig.clock.advance(3600);
    const wire = changingItems(paths.instances, change);
    const { errors } = await stack.up({ bargain }, { refresh: true, provider: rig.startProvider({}, { wire }) });
    expect(errors["bargain"]).toMatch(/it has no id/);
    expect(live(rig)).toEqual([stack.get("bargain").id]);
  });

  test("is not ended for another one whose id it has as its name", async () => {
    const rig = createRig();
    const stack = new FakeEngine(rig);
    let [own, other] = ["", ""];
    const shown = (isOwnLeftOut: boolean) =>
      changingList(paths.instances, (items) =>
        items
          .map(({ created: _, ...item }) => (item["id"] === other ? { ...item, instance_name: own } : item))
          .filter((item) => !isOwnLeftOut || item["id"] !== own),
      );
    await stack.up({ bargain }, { provider: rig.startProvider({}, { wire: shown(false) }) });
    own = stack.get("bargain").id;
    const [machine] = (await rig.run(rig.client.listMarketplaceMachines({ filters: {} }))).instances;
    const place = { cluster_name: String(machine?.cluster_name), node_name: String(machine?.id) };
    await rig.run(rig.client.createMarketplaceInstance({ ...place, gpu_count: 1 }));
    other = String(live(rig).find((id) => id !== own));
    rig.clock.advance(3600);
    await stack.destroy({ provider: rig.startProvider({}, { wire: shown(true) }) });
    expect(live(rig)).toEqual([other]);
  });
});

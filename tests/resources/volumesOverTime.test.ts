import { FakeEngine, type Outcome } from "../lifecycle/fakeEngine";
import { createRig, paths, type Rig } from "../lifecycle/rig";
import { answering, intercepting } from "../lifecycle/wire";
import { createStack, inline, volumes } from "./inlineStack";

type Ids = Readonly<Record<string, string>>;
const node = { type: "BareMetalRental", inputs: { networkType: "infiniband", gpuCount: 8 } };
const data = { type: "StorageVolume", inputs: { region: "us-central-1", sizeInGb: 256 } };
const link = (...names: string[]) => ({
  type: "VolumeAttachment",
  inputs: (ids: Ids) => ({ storageVolumeId: Number(ids["data"]), rentalIds: names.map((name) => Number(ids[name])) }),
});
const warnings = ({ provider }: Outcome) =>
  provider.shown.filter(({ kind }) => kind === "warning").map(({ text }) => text);

describe("What a refresh has compared is not what the program says", () => {
  test("a kept volume stays in destroy --refresh after a rename was killed", async () => {
    const { rig, stack } = createStack();
    await stack.up(inline());
    const inputs = { networkType: "infiniband", gpuCount: 8, adoptId: 1001, keepVolume: true };
    await stack.up({ renamed: { type: "BareMetalRental", inputs } }, { keep: true });
    const entries = [...stack.state].reverse();
    stack.state.clear();
    for (const [name, kept] of entries) stack.state.set(name, kept);
    expect((await stack.destroy({ refresh: true })).errors).toEqual({});
    expect(volumes(rig)).toEqual([1]);
  });

  test("a volume that was kept when its rental was replaced stays in destroy --refresh, too", async () => {
    const { rig, stack } = createStack();
    await stack.up(inline({ keepVolume: true }));
    rig.fault({ match: { method: "POST", path: paths.endBareMetal }, kind: "status", status: 403, times: 99 });
    await stack.up(inline({ gpuCount: 16 }));
    rig.emulator.faults.clear();
    expect((await stack.destroy({ refresh: true })).errors).toEqual({});
    expect(volumes(rig)).toEqual([1]);
  });

  test.each([false, true])(
    "destroy leaves no volume where its last user ends in the same run (refresh: %s)",
    async (refresh) => {
      const { rig, stack } = createStack();
      await stack.up(inline());
      const named = inline({ storageVolume: { isNew: false, id: 1 } }).train;
      // Depends on the other.
      const user = { ...named, inputs: ({ train }: Ids) => ({ ...named.inputs, ...(train && {}) }) };
      expect((await stack.up({ ...inline(), user })).errors).toEqual({});
      expect((await stack.destroy({ refresh })).errors).toEqual({});
      expect(rig.billing()).toEqual([]);
    },
  );
});

test("A pair that an adopted volume has from now on is not detached with the attachment that goes", async () => {
  const rig = createRig();
  const stack = new FakeEngine(rig);
  const asked = { region: "us-central-1", sizeInGb: 256, label: "shared" } as const;
  const { storageVolumeId } = await rig.run(rig.client.createStorageVolume(asked));
  const pair = { type: "VolumeAttachment", inputs: ({ a }: Ids) => ({ storageVolumeId, rentalIds: [Number(a)] }) };
  await stack.up({ a: node, link: pair });
  const adopted = {
    ...data,
    inputs: ({ a }: Ids) => ({ ...data.inputs, adoptId: storageVolumeId, rentalIds: [Number(a)] }),
  };
  expect((await stack.up({ a: node, data: adopted })).errors).toEqual({});
  expect(rig.emulator.attachments()).toEqual([{ volumeId: storageVolumeId, rentalId: Number(stack.get("a").id) }]);
});

test.each(["default", "rich"] as const)(
  "Destroy says which data goes, also after the rental has ended (%s)",
  async (dialect) => {
    const rig = createRig({ emulator: { dialect } });
    const stack = new FakeEngine(rig);
    await stack.up(inline());
    await rig.run(rig.client.terminateRental({ rentalType: "bare-metal", rentalId: 1001 }));
    rig.clock.advance(600);
    const destroyed = await stack.destroy();
    expect(volumes(rig)).toEqual([]);
    expect(warnings(destroyed)).toEqual(["this deletes its storage volume with 512 GB of data"]);
  },
);

describe("An id that was given to what nobody has attached yet", () => {
  test.each(["volume", "rental"])("is noticed by a refresh (%s)", async (what) => {
    const rig = createRig();
    const far = new FakeEngine(rig, { stack: "far" });
    await far.up({ a: node, b: node, data });
    const [a, b, storageVolumeId] = ["a", "b", "data"].map((name) => Number(far.get(name).id)) as [
      number,
      number,
      number,
    ];
    const stack = new FakeEngine(rig);
    const rentalIds = what === "volume" ? [a] : [a, b];
    await stack.up({ link: { type: "VolumeAttachment", inputs: { storageVolumeId, rentalIds } } });
    if (what === "volume") {
      await rig.run(rig.client.detachStorageVolume({ storageVolumeId, rentalIds }));
      await rig.run(rig.client.deleteStorageVolume({ storageVolumeId }));
    } else await rig.run(rig.client.terminateRental({ rentalType: "bare-metal", rentalId: a }));
    rig.clock.advance(60);
    rig.emulator.reuseId(
      what === "volume" ? "storage-volume" : "bare-metal",
      what === "volume" ? storageVolumeId : a,
      "neighbours-own",
    );
    expect(warnings(await stack.refresh())).toContainEqual(
      expect.stringMatching(/^(storage volume|bare-metal rental) \d+ is another one by now/),
    );
  });
});

describe("A service that refuses a list of rentals for one that is as asked for already", () => {
  const strict = (rig: Rig) => ({
    provider: rig.startProvider(
      {},
      {
        wire: intercepting(({ path, body }) => {
          const ids = body["rentalIds"] as number[];
          const has = new Set(rig.emulator.attachments().map(({ rentalId }) => rentalId));
          const [there] = path === paths.attach ? ids.filter((id) => has.has(id)) : [];
          if (there) return answering(400, { error: `volume is already attached to rental ${there}` });
          const [missing] = path === paths.detach ? ids.filter((id) => !has.has(id)) : [];
          return missing ? answering(400, { error: `volume is not attached to rental ${missing}` }) : undefined;
        }),
      },
    ),
  });
  const both = { a: node, b: node, data };

  test("attaches the others", async () => {
    const rig = createRig();
    const stack = new FakeEngine(rig);
    await stack.up({ ...both, one: link("a") }, strict(rig));
    expect((await stack.up({ ...both, two: link("a", "b") }, strict(rig))).errors).toEqual({});
    expect(rig.emulator.attachments()).toHaveLength(2);
  });

  test.each([false, true])("detaches the others (refresh: %s)", async (refresh) => {
    const rig = createRig();
    const stack = new FakeEngine(rig);
    await stack.up({ ...both, one: link("a", "b") }, strict(rig));
    const [storageVolumeId, a] = [Number(stack.get("data").id), Number(stack.get("a").id)];
    await rig.run(rig.client.detachStorageVolume({ storageVolumeId, rentalIds: [a] }));
    expect((await stack.up(both, { ...strict(rig), refresh })).errors).toEqual({});
    expect(rig.emulator.attachments()).toEqual([]);
  });
});

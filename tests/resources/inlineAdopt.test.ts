import { bareMetalRental } from "../../provider/resources";
import { FakeEngine, type Outcome } from "../lifecycle/fakeEngine";
import { createStack, inline, volumes } from "./inlineStack";

/** The rental under another name, which the program adopts: without its volume unless it says so. */
const renamed = (more: object = {}) => ({
  renamed: { type: "BareMetalRental", inputs: { networkType: "infiniband", gpuCount: 8, adoptId: 1001, ...more } },
});
const storageVolume = inline().train.inputs.storageVolume;
const said = ({ provider }: Outcome) =>
  provider.shown.filter(({ kind, text }) => kind !== "status" && /volume/.test(text)).map(({ text }) => text);
const which = "storage volume 1 (512 GB, $0.0512/h)";

async function running(more: object = {}) {
  const created = createStack();
  expect((await created.stack.up(inline(more))).errors).toEqual({});
  return created;
}

describe("A volume that was made with a rental goes with it to the resource that adopts the rental", () => {
  test.each([{ refresh: false }, { refresh: true }])("and ends with it, which is said (%j)", async (options) => {
    const { rig, stack } = await running();
    const up = await stack.up(renamed(), options);
    expect(up).toMatchObject({ steps: ["create renamed", "delete train"], errors: {} });
    expect(said(up)).toEqual([
      `${which}, which was created with rental 1001, comes with it, and is deleted when this resource ends. To keep it, set keepVolume: true.`,
    ]);
    expect((await stack.up(renamed(), options)).steps).toEqual(["same renamed"]);
    expect(stack.get("renamed").outputs).toMatchObject({ storageVolume, __volume: { id: "1" } });
    expect((await stack.destroy()).errors).toEqual({});
    expect(rig.billing()).toEqual([]);
  });

  test("and stays with keepVolume, also when that is said later", async () => {
    const { rig, stack } = await running({ keepVolume: true });
    expect(said(await stack.up(renamed({ keepVolume: true })))).toEqual([
      `${which}, which was created with rental 1001, comes with it, and stays when this resource ends (keepVolume).`,
    ]);
    expect((await stack.up(renamed())).steps).toEqual(["update renamed"]);
    expect((await stack.up(renamed({ keepVolume: true }))).steps).toEqual(["update renamed"]);
    expect(said(await stack.destroy())).toEqual(["keepVolume: storage volume 1 (512 GB) is kept and costs $0.0512/h"]);
    expect(volumes(rig)).toEqual([1]);
  });

  test("where the program has the same volume", async () => {
    const { rig, stack } = await running();
    const up = await stack.up(renamed({ storageVolume }));
    expect({ errors: up.errors, said: said(up) }).toEqual({ errors: {}, said: [] });
    expect((await stack.up(renamed({ storageVolume }), { refresh: true })).steps).toEqual(["same renamed"]);
    await stack.destroy();
    expect(rig.billing()).toEqual([]);
  });

  test("and still came with it when the program has named it for a while: without it again, nothing is replaced", async () => {
    const { rig, stack } = await running();
    await stack.up(renamed());
    const updated = await stack.up(renamed({ storageVolume, expiresAt: "9d" }), { refresh: true });
    expect(updated.steps).toEqual(["update renamed"]);
    expect((await stack.up(renamed({ storageVolume, expiresAt: "9d" }), { refresh: true })).steps).toEqual([
      "same renamed",
    ]);
    expect((await stack.up(renamed(), { refresh: true })).steps).toEqual(["update renamed"]);
    expect((await stack.up(renamed(), { refresh: true })).steps).toEqual(["same renamed"]);
    expect(volumes(rig)).toEqual([1]);
    expect((await stack.destroy()).errors).toEqual({});
    expect(rig.billing()).toEqual([]);
  });

  test("where the command is killed before the old name is deleted, and by way of a third name", async () => {
    const { rig, stack } = await running();
    await stack.up(renamed(), { keep: true });
    const up = await stack.up(renamed());
    expect({ steps: up.steps, said: said(up) }).toEqual({ steps: ["same renamed", "delete train"], said: [] });
    await stack.up({ third: renamed().renamed });
    await stack.up({ third: renamed().renamed }, { replace: ["third"] });
    await stack.destroy();
    expect(rig.billing()).toEqual([]);
  });

  test.each([false, true])(
    "and is kept where the command is killed before the old name is deleted, whichever goes first (%s)",
    async (isNewFirst) => {
      const { rig, stack } = await running();
      await stack.up(renamed({ keepVolume: true }), { keep: true });
      const entries = [...stack.state];
      expect(entries.map(([name]) => name)).toEqual(["train", "renamed"]);
      stack.state.clear();
      for (const [name, kept] of isNewFirst ? entries.reverse() : entries) stack.state.set(name, kept);
      expect((await stack.destroy()).errors).toEqual({});
      expect(volumes(rig)).toEqual([1]);
    },
  );

  test("but not where a resource of its own adopts the volume", async () => {
    const { rig, stack } = await running();
    const data = { type: "StorageVolume", inputs: { region: "us-central-1", sizeInGb: 512, adoptId: 1 } };
    expect((await stack.up({ ...renamed(), data })).errors).toEqual({});
    expect(stack.get("renamed").outputs["__volume"]).toBeUndefined();
    expect((await stack.up({ data })).errors).toEqual({});
    expect(rig.billing()).toEqual([1]);
  });
});

describe("A volume that was made with a rental is named when nobody has it any more", () => {
  const left = `${which}, which was created with rental 1001, is not taken over along with it: it stays and bills when the rental ends, and nothing else mentions it. To have it managed, declare a StorageVolume with adoptId: 1.`;

  test.each([
    ["another volume", { storageVolume: { ...storageVolume, label: "other" } }],
    ["a larger one", { storageVolume: { ...storageVolume, sizeInGb: 1024 } }],
  ])("because the program has %s", async (_, more) => {
    const { stack } = await running();
    const up = await stack.up(renamed(more));
    expect({ errors: up.errors, said: said(up) }).toEqual({ errors: {}, said: [left] });
  });

  test("because the program has it as one that exists", async () => {
    const { rig, stack } = await running();
    const up = await stack.up(renamed({ storageVolume: { isNew: false, id: 1 } }));
    expect(up.errors).toEqual({});
    expect(said(up)).toEqual([expect.stringContaining("it stays and bills when that one ends, too.")]);
    await stack.destroy();
    expect(volumes(rig)).toEqual([1]);
  });

  test("because the state cannot be exported", async () => {
    const { stack } = await running();
    const up = await stack.up(renamed(), { unreadable: true });
    expect(said(up)).toContain(left);
  });

  test("because it was adopted without that by a former version, and the command was killed", async () => {
    const { stack } = await running();
    await stack.up(renamed(), { keep: true });
    const { storageVolume: _, __volume, ...outputs } = stack.get("renamed").outputs;
    stack.state.set("renamed", { ...stack.get("renamed"), outputs });
    expect(said(await stack.up(renamed()))).toEqual([left]);
  });

  const unmanaged = `${which} is attached to rental 1001, and no resource has it so far: it stays when the rental ends. To have it managed, declare a StorageVolume with adoptId: 1.`;

  test("because another stack has let go of both", async () => {
    const { rig, stack } = await running();
    stack.state.clear();
    const other = new FakeEngine(rig, { stack: "other" });
    const up = await other.up(renamed());
    expect({ errors: up.errors, said: said(up) }).toEqual({ errors: {}, said: [unmanaged] });
  });

  test("because the rental alone is imported", async () => {
    const { rig, stack } = await running();
    stack.state.clear();
    const provider = rig.startProvider();
    const __origin = `organization/${stack.urn("BareMetalRental", "train")}`;
    await rig.run(Promise.resolve(bareMetalRental.import?.(provider, "1001", { __origin })));
    expect(said({ provider, steps: [], errors: {} })).toEqual([unmanaged]);
  });
});

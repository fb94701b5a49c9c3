import { FakeEngine } from "./fakeEngine";
import { createRig, paths, type Rig } from "./rig";

const node = { type: "BareMetalRental", inputs: { networkType: "infiniband", gpuCount: 8 } };
type Ids = Readonly<Record<string, string>>;
const data = { type: "StorageVolume", inputs: { region: "us-central-1", sizeInGb: 256 } };
const link = {
  type: "VolumeAttachment",
  inputs: (ids: Ids) => ({ storageVolumeId: Number(ids["data"]), rentalIds: [Number(ids["train"])] }),
};

/** `pulumi stack rename`. */
function rename(_: Rig, stack: FakeEngine): FakeEngine {
  stack.rename("live");
  return stack;
}

/** `pulumi state move` of everything. */
function move(rig: Rig, stack: FakeEngine): FakeEngine {
  const other = new FakeEngine(rig, { stack: "live" });
  for (const name of [...stack.state.keys()]) stack.move(name, other);
  return other;
}

describe.each([
  ["was renamed", rename],
  ["is not the one that it was made in", move],
])("In a stack that %s", (_, leave) => {
  test("an attachment is detached, so that its volume can be deleted", async () => {
    const rig = createRig();
    const stack = new FakeEngine(rig);
    expect((await stack.up({ train: node, data, link })).errors).toEqual({});
    expect((await leave(rig, stack).destroy()).errors).toEqual({});
    expect([rig.billing(), rig.count("POST", paths.detach)]).toEqual([[], 1]);
  });

  test("what another resource has adopted is not ended", async () => {
    const rig = createRig();
    const stack = new FakeEngine(rig);
    await stack.up({ train: node });
    const adopting = { ...node, inputs: { ...node.inputs, adoptId: stack.get("train").id } };
    expect((await stack.up({ other: adopting }, { keep: true })).errors).toEqual({});
    const left = leave(rig, stack);
    expect((await left.destroy({ targets: ["train"] })).errors).toEqual({});
    expect([rig.billing(), [...left.state.keys()]]).toEqual([[1001], ["other"]]);
  });

  test("twins are ended with what the state holds", async () => {
    const rig = createRig();
    const stack = new FakeEngine(rig);
    await stack.up({ train: node });
    const label = String(stack.get("train").outputs["label"]);
    await rig.run(rig.client.createBareMetalRental({ networkType: "infiniband", gpuCount: 8, label }));
    expect((await leave(rig, stack).destroy()).errors).toEqual({});
    expect(rig.billing()).toEqual([]);
  });

  test("a refresh says nothing of another stack, and the program changes nothing", async () => {
    const rig = createRig();
    const stack = new FakeEngine(rig);
    await stack.up({ train: node, data, link });
    const left = leave(rig, stack);
    const { provider, errors } = await left.refresh();
    expect([errors, provider.shown]).toEqual([{}, []]);
    expect((await left.up({ train: node, data, link })).steps).toEqual(["same train", "same data", "same link"]);
  });
});

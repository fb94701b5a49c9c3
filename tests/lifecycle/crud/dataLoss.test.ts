import type { Values } from "../../../provider/lifecycle";
import { FakeEngine, type Program } from "../fakeEngine";
import { createRig, type ProviderProcess } from "../rig";

const volume = (inputs: Values = {}): Program => ({
  data: { type: "StorageVolume", inputs: { region: "us-central-1", sizeInGb: 1024, ...inputs } },
});
const rental = (inputs: Values = {}): Program => ({
  train: {
    type: "BareMetalRental",
    inputs: {
      networkType: "infiniband",
      gpuCount: 8,
      storageVolume: { isNew: true, label: "scratch", sizeInGb: 300 },
      ...inputs,
    },
  },
});

const warnings = ({ shown }: ProviderProcess) => shown.flatMap(({ kind, text }) => (kind === "warning" ? [text] : []));

async function running(program: Program) {
  const stack = new FakeEngine(createRig());
  expect((await stack.up(program)).errors).toEqual({});
  return stack;
}

const ofVolume =
  "replacing this storage volume deletes its 1,024 GB of data, unless retainOnDelete is set. Copy what you need first, or set protect: true to prevent the replacement.";
const ofRental =
  "replacing this bare-metal rental deletes its storage volume with 300 GB of data, unless retainOnDelete is set. To keep the volume, set keepVolume: true.";

describe("The loss of data", () => {
  test.each([
    ["a volume", volume(), volume({ sizeInGb: 2048 }), ofVolume],
    ["a volume", volume(), volume({ region: "eu-west-3" }), ofVolume],
    ["a rental with a volume of its own", rental(), rental({ gpuType: "h200" }), ofRental],
  ])("by a replacement of %s is said once, with what prevents it", async (_, before, after, warning) => {
    const stack = await running(before);
    const { provider, steps } = await stack.up(after, { refresh: true });
    expect(steps.join()).toContain("replace");
    expect(warnings(provider)).toEqual([warning]);
  });

  test.each([
    ["a volume", volume(), "this deletes its 1,024 GB of data"],
    ["a rental with a volume of its own", rental(), "this deletes its storage volume with 300 GB of data"],
  ])("by a delete of %s is said on its row", async (_, program, warning) => {
    const stack = await running(program);
    expect(warnings((await stack.destroy()).provider)).toEqual([warning]);
  });

  test("is not said where there is none: nothing changes, it changes in place, the volume is kept, there is no volume", async () => {
    const data = await running(volume());
    expect(warnings((await data.up(volume(), { refresh: true })).provider)).toEqual([]);
    expect(warnings((await data.up(volume({ waitForReady: false }))).provider)).toEqual([]);
    const kept = await running(rental());
    const { provider, steps } = await kept.up(rental({ gpuType: "h200", keepVolume: true }));
    expect({ steps, said: warnings(provider) }).toEqual({ steps: ["replace train", "delete train"], said: [] });
    expect(warnings((await kept.destroy()).provider)).toEqual([]);
    const plain = await running(rental({ storageVolume: undefined }));
    expect(warnings((await plain.up(rental({ storageVolume: undefined, gpuCount: 16 }))).provider)).toEqual([]);
  });

  test("is not said of a volume that is gone already", async () => {
    const rig = createRig();
    const stack = new FakeEngine(rig);
    await stack.up(volume());
    await rig.run(rig.client.deleteStorageVolume({ storageVolumeId: 1 }));
    rig.clock.advance(600);
    expect(warnings((await stack.destroy()).provider)).toEqual([]);
  });
});

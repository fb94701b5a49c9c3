import { dialectNames } from "../../emulator";
import { FakeEngine, type Program } from "../lifecycle/fakeEngine";
import { createRig } from "../lifecycle/rig";

const program: Program = {
  node: { type: "BareMetalRental", inputs: { networkType: "infiniband", gpuCount: 8 } },
  data: { type: "StorageVolume", inputs: { region: "us-central-1", sizeInGb: 256 } },
  link: {
    type: "VolumeAttachment",
    inputs: ({ node, data }) => ({ storageVolumeId: Number(data), rentalIds: [Number(node)] }),
  },
  box: { type: "VmRental", inputs: { gpuCount: 1 } },
  bargain: { type: "MarketplaceInstance", inputs: { gpuCount: 1, select: {} } },
};

describe("Every resource", () => {
  const able = dialectNames.filter((name) => name !== "none");

  test.each(able)("is made, unchanged by refreshes and ended on a service that speaks %s", async (dialect) => {
    const rig = createRig({ emulator: { dialect } });
    const stack = new FakeEngine(rig);
    const start = rig.clock.now();
    const up = await stack.up(program);
    expect(up.errors).toEqual({});
    for (let time = 0; time < 2; time += 1) {
      const { steps, errors } = await stack.up(program, { refresh: true });
      expect({ steps: steps.sort(), errors }).toEqual({
        steps: ["same bargain", "same box", "same data", "same link", "same node"],
        errors: {},
      });
    }
    const { errors } = await stack.destroy();
    expect(errors).toEqual({});
    expect(rig.billing()).toEqual([]);
    expect(rig.clock.now() - start).toBeLessThan(120_000);
  });
});

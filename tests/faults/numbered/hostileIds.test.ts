import { FakeEngine } from "../../lifecycle/fakeEngine";
import { createRig } from "../../lifecycle/rig";

const odd = [
  "1/../../admin",
  "..%2f..%2fadmin",
  "1001?force=true",
  "1001#",
  "1001\r\nhost: elsewhere",
  "NaN",
  "Infinity",
];
const resources = {
  BareMetalRental: { networkType: "infiniband", gpuCount: 8 },
  VmRental: { gpuCount: 1 },
  StorageVolume: { region: "us-central-1", sizeInGb: 256 },
};

test.each(Object.entries(resources))("an id of a %s that is no number never gets into a path", async (type, inputs) => {
  const rig = createRig({ emulator: { dialect: "delete" } });
  const stack = new FakeEngine(rig);
  await stack.up({ a: { type, inputs } });
  const paths = () => Object.keys(rig.emulator.requests().counts);
  const kept = stack.get("a");
  for (const id of odd) {
    // Without its label, by which the machine would be found and ended all the same.
    stack.state.set("a", { ...kept, id, outputs: { ...kept.outputs, label: undefined } });
    await stack.destroy();
    expect(paths().filter((path) => !/^[A-Z]+ (\/[a-z0-9-]+)+(\.json)?$/.test(path))).toEqual([]);
    expect(rig.billing().map(String)).toEqual([kept.id]);
  }
});

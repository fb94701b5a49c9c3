import { ResourceCalls } from "../../../provider/fronts/plugin/resourceCalls";
import { handlers } from "../../../provider/resources";
import { createRig } from "../../lifecycle/rig";

const urn = "urn:pulumi:test::rig::gpufleet:index:BareMetalRental::train";
const rental = { networkType: "infiniband", gpuCount: 8 } as const;

/** What was rented by hand, and the calls of the engine in a run that imports it. */
async function importing({ byCommand }: { byCommand: boolean }) {
  const rig = createRig();
  const { id } = await rig.run(rig.client.createBareMetalRental({ ...rental, label: "theirs" }));
  const runtime = rig.startProvider();
  runtime.engine.imports = async () => byCommand;
  const calls = new ResourceCalls({
    handlers,
    runtime: () => runtime,
    secrets: () => [],
    organizationOf: async () => "organization",
    outputsOf: () => [],
  });
  const found = await rig.run(calls.read({ id: String(id), urn, properties: {}, inputs: undefined }));
  if (!found) throw new Error("it is gone");
  const remove = (inputs = found.inputs) =>
    rig.run(calls.delete({ id: String(id), urn, properties: found.properties, inputs, timeout: 0 }));
  return { rig, calls, found, remove };
}

describe("The mark of what the program has not agreed with", () => {
  test.each([
    ["the command", true, 0],
    ["the option of a program", false, 1],
  ])("what %s imports is ended with its entry: %p", async (_, byCommand, billing) => {
    const { rig, found, remove } = await importing({ byCommand });
    expect("__imported" in found.inputs).toBe(!byCommand);
    await remove();
    expect(rig.billing()).toHaveLength(billing);
  });

  test("does not come back with the inputs of a program that ignores all changes", async () => {
    const { rig, calls, found, remove } = await importing({ byCommand: false });
    const news = { ...found.inputs };
    const { inputs, failures } = await calls.check({ urn, olds: found.inputs, news, randomSeed: new Uint8Array() });
    expect(failures).toEqual([]);
    expect(inputs).not.toHaveProperty("__imported");
    await remove(inputs);
    expect(rig.billing()).toEqual([]);
  });
});

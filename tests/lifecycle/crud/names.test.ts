import { FakeEngine } from "../fakeEngine";
import { createRig, type ProviderProcess, paths } from "../rig";

const program = { train: { type: "BareMetalRental", inputs: { networkType: "infiniband", gpuCount: 8 } } };

/** A rental that was renamed with an alias: the state has it under its new name, and its outputs are as they were. */
async function renamed() {
  const rig = createRig({ emulator: { endSeconds: 60 } });
  const stack = new FakeEngine(rig);
  expect((await stack.up(program)).errors).toEqual({});
  const kept = stack.get("train");
  kept.urn = stack.urn(kept.type, "renamed");
  return { rig, stack, urn: kept.urn };
}

const rows = ({ shown }: ProviderProcess) => [...new Set(shown.map(({ urn }) => urn))];

describe("What was renamed with an alias", () => {
  test("is shown under its new name while it ends", async () => {
    const { stack, urn } = await renamed();
    const { provider, errors } = await stack.destroy();
    expect(errors).toEqual({});
    expect(rows(provider)).toEqual([urn]);
  });

  test("is shown under its new name when a refresh finds it gone", async () => {
    const { rig, stack, urn } = await renamed();
    await rig.run(rig.client.terminateRental({ rentalType: "bare-metal", rentalId: 1001 }));
    rig.clock.advance(600);
    const { provider } = await stack.refresh();
    expect(rows(provider)).toEqual([urn]);
    expect(stack.state.size).toBe(0);
  });

  test("is called by its new name in errors", async () => {
    const { rig, stack } = await renamed();
    rig.fault({ match: { method: "GET", path: paths.bareMetal }, times: 9, kind: "status", status: 403, body: {} });
    expect((await stack.refresh()).errors["train"]).toMatch(/^reading BareMetalRental "renamed": /);
    rig.fault({ match: { method: "GET", path: paths.bareMetal }, times: 9, kind: "status", status: 403, body: {} });
    expect((await stack.destroy()).errors["train"]).toMatch(/^deleting BareMetalRental "renamed": /);
  });

  test("keeps what its label was made from: twins of it are ended with it", async () => {
    const { rig, stack } = await renamed();
    const { label } = stack.get("train").outputs;
    await rig.run(rig.client.createBareMetalRental({ networkType: "infiniband", gpuCount: 8, label: String(label) }));
    expect((await stack.destroy()).errors).toEqual({});
    expect(rig.billing()).toEqual([]);
  });

  test("is not rented again beside what an interrupted run has rented under its former name", async () => {
    const rig = createRig();
    const stack = new FakeEngine(rig);
    await stack.up(program);
    const kept = stack.get("train");
    const { label } = kept.outputs;
    stack.state.clear();
    stack.state.set("renamed", { ...kept, name: "renamed" });
    const other = String(label).replace(/.$/, (last) => (last === "a" ? "b" : "a"));
    await rig.run(rig.client.createBareMetalRental({ networkType: "infiniband", gpuCount: 8, label: other }));
    rig.clock.advance(60);
    const replaced = { renamed: { type: "BareMetalRental", inputs: { networkType: "infiniband", gpuCount: 16 } } };
    expect((await stack.up(replaced)).errors["renamed"]).toContain(
      `(Running, 8×h100 in us-central-1, $19.92/h, for 1m00s) was created for this resource, but is missing from the state.`,
    );
    expect(rig.billing()).toEqual([1001, 1002]);
  });
});

import type { Deployment, StateResource } from "../../tools/workspace";
import { paths } from "../emulator/rig";
import { createEmulatedWorkspace, type EmulatedWorkspace } from "./emulatedWorkspace";

/** Of each kind; together 500. */
const copies = 125;
const program = `
  const { BareMetalRental, MarketplaceInstance, StorageVolume, VmRental } = require("pulumi-gpufleet");
  new BareMetalRental("node-0", { networkType: "infiniband", gpuCount: 8 });
  new VmRental("box-0", { gpuCount: 1 });
  new StorageVolume("data-0", { region: "us-central-1", sizeInGb: 256 });
  new MarketplaceInstance("bargain-0", { gpuCount: 1, select: {} });
`;

/** A state in which every resource stands many times: to read one record many times is as much work as to read many. */
function multiplied(state: Deployment): Deployment {
  const { resources } = state.deployment;
  const isOurs = (resource: StateResource) => resource.type.includes("gpufleet:");
  const others = resources.filter((resource) => !isOurs(resource));
  const many = Array.from({ length: copies }, (_, copy) =>
    resources.filter(isOurs).map((resource) => {
      const urn = resource.urn.replace(/0$/, String(copy));
      const origin = `organization/${urn}`;
      const { inputs, outputs } = resource;
      return { ...resource, urn, inputs: { ...inputs, __origin: origin }, outputs: { ...outputs, __origin: origin } };
    }),
  );
  return { ...state, deployment: { ...state.deployment, resources: [...others, ...many.flat()] } };
}

describe("A stack of 500 resources on the real engine", () => {
  let emulated: EmulatedWorkspace;

  beforeAll(async () => {
    emulated = await createEmulatedWorkspace({ program });
    expect(await emulated.workspace.up()).toMatchObject({ code: 0, summary: { created: 5 } });
    await emulated.workspace.importState(multiplied(emulated.workspace.exportState()));
  });

  afterAll(() => emulated.dispose());

  test("refreshes with one list call per kind, and finds nothing changed", async () => {
    const lists = [paths.bareMetal, paths.vm, paths.volumes, paths.instances].map((path) => `GET ${path}`);
    const before = emulated.emulator.requests();
    const run = await emulated.workspace.refresh("--expect-no-changes");
    expect(run).toMatchObject({ code: 0, summary: { unchanged: 4 * copies + 1 } });
    const after = emulated.emulator.requests();
    const calls = lists.map((list) => [list, (after.counts[list] ?? 0) - (before.counts[list] ?? 0)]);
    expect(calls).toEqual(lists.map((list) => [list, 1]));
    // Besides those, only the service's own description is asked for, once.
    expect(after.total - before.total).toBe(lists.length + 1);
  });
});

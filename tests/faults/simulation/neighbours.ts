import { marksOf } from "../../../provider/shared/label";
import { FakeEngine } from "../../lifecycle/fakeEngine";
import type { Rig } from "../../lifecycle/rig";
import { resourceName } from "./program";
import { chosenLabelOf, inlineLabelOf, type MarketplaceMachine } from "./resourceKinds";

/** Ids of what others have in the account: chosen to be mistaken for ours by whoever does not look closely. */
export type ForeignIds = ReadonlySet<number | string>;

export async function addForeignMachines(
  rig: Rig,
  stack: FakeEngine,
  machine: MarketplaceMachine,
): Promise<ForeignIds> {
  const { client } = rig;
  const name = resourceName(0);
  const marks = marksOf({ organization: "organization", urn: stack.urn("BareMetalRental", name), namespace: "" });
  const bareMetal = { networkType: "infiniband" as const, gpuCount: 8 };
  const instance = { cluster_name: machine.clusterName, node_name: machine.nodeName, gpu_count: 1 };
  await rig.run(
    Promise.all([
      client.createBareMetalRental({ ...bareMetal, label: name }),
      client.createBareMetalRental(bareMetal),
      client.createBareMetalRental({ ...bareMetal, label: chosenLabelOf(name) }),
      // Our marks, but nothing that we ever made.
      client.createBareMetalRental({ ...bareMetal, label: `${name}-${marks.stack}-${marks.resource}` }),
      client.createVmRental({ gpuCount: 1, label: name }),
      client.createStorageVolume({ region: "us-central-1", sizeInGb: 256, label: inlineLabelOf(name) }),
      client.createMarketplaceInstance(instance),
    ]),
  );
  return new Set(rig.billing());
}

/** Two stacks of the same project with other names, and resources of the same names. */
export async function startNeighbours(rig: Rig): Promise<FakeEngine[]> {
  const neighbours = ["tes", "test-2"].map((name) => new FakeEngine(rig, { stack: name }));
  const inputs = { networkType: "infiniband", gpuCount: 8, waitForReady: false };
  for (const stack of neighbours) {
    const { errors } = await stack.up({ [resourceName(0)]: { type: "BareMetalRental", inputs } });
    if (Object.keys(errors).length > 0) throw new Error(`a neighbour did not come up: ${JSON.stringify(errors)}`);
  }
  return neighbours;
}

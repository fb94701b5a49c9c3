import { marksOf } from "../../../provider/lifecycle/label";
import type { Rig } from "../../lifecycle/rig";
import { Stack } from "../../lifecycle/stack";
import { inlineLabelOf, labelOf, nameOfPlanned, type Place } from "./resourceKinds";

/** What others have in the account: chosen to be mistaken for ours by whoever looks less than closely. */
export interface Foreign {
  ids: ReadonlySet<number | string>;
}

export async function addForeign(rig: Rig, stack: Stack, place: Place): Promise<Foreign> {
  const { client } = rig;
  const name = nameOfPlanned(0);
  const marks = marksOf({ organization: "organization", urn: stack.urn("BareMetalRental", name), namespace: "" });
  const bare = { networkType: "infiniband" as const, gpuCount: 8 };
  await rig.run(
    Promise.all([
      client.createBareMetalRental({ ...bare, label: name }),
      client.createBareMetalRental(bare),
      client.createBareMetalRental({ ...bare, label: labelOf(name) }),
      // Our marks, but nothing that we ever made.
      client.createBareMetalRental({ ...bare, label: `${name}-${marks.stack}-${marks.resource}` }),
      client.createVmRental({ gpuCount: 1, label: name }),
      client.createStorageVolume({ region: "us-central-1", sizeInGb: 256, label: inlineLabelOf(name) }),
      client.createMarketplaceInstance({ cluster_name: place.clusterName, node_name: place.nodeName, gpu_count: 1 }),
    ]),
  );
  return { ids: new Set(rig.billing()) };
}

/** Two stacks of the same project with other names, and resources of the same names. */
export async function startNeighbours(rig: Rig): Promise<Stack[]> {
  const neighbours = ["tes", "test-2"].map((name) => new Stack(rig, { stack: name }));
  const bare = { networkType: "infiniband", gpuCount: 8, waitForReady: false };
  for (const stack of neighbours) {
    const { errors } = await stack.up({ [nameOfPlanned(0)]: { type: "BareMetalRental", inputs: bare } });
    if (Object.keys(errors).length > 0) throw new Error(`a neighbour did not come up: ${JSON.stringify(errors)}`);
  }
  return neighbours;
}

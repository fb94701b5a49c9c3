/**
 * One volume on two nodes
 *
 * One volume on two bare-metal nodes.
 *
 * Add a name to the list of nodes and run `pulumi up` again: the volume is attached to the new node, and the others are not touched.
 */

import { BareMetalRental, StorageVolume, VolumeAttachment } from "pulumi-gpufleet";

// A volume and the machines that use it must be in the same region.
const region = "us-central-1";
const nodes = ["worker-0", "worker-1"].map(
  (name) => new BareMetalRental(name, { networkType: "infiniband", gpuCount: 8, region }),
);
const dataset = new StorageVolume("dataset", { region, sizeInGb: 1024 });

// Nodes can be added and removed later; the others keep the volume mounted.
const attachment = new VolumeAttachment("dataset-on-workers", {
  storageVolumeId: dataset.storageVolumeId,
  rentalIds: nodes.map((node) => node.rentalId),
});

export const mount = attachment.vip;
export const ssh = nodes.map((node) => node.sshCommand);

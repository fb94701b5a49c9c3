/**
 * The default fleet
 *
 * Two nodes that share a volume, a virtual machine and a marketplace instance.
 *
 * `npm start` in the checkout runs this program; [Running an example](../README.md) shows how to run it by hand.
 */

import * as pulumi from "@pulumi/pulumi";
import {
  BareMetalRental,
  MarketplaceInstance,
  StorageVolume,
  totalCost,
  VmRental,
  VolumeAttachment,
} from "pulumi-gpufleet";

// Two bare-metal nodes that share a volume.
const nodes = ["train-0", "train-1"].map(
  (name) => new BareMetalRental(name, { networkType: "infiniband", gpuCount: 8, gpuType: "h100" }),
);
const data = new StorageVolume("data", { region: "us-central-1", sizeInGb: 1024 });
new VolumeAttachment("data-on-nodes", {
  storageVolumeId: data.storageVolumeId,
  rentalIds: nodes.map((node) => node.rentalId),
});

// A virtual machine to work on, and the cheapest GPU of the marketplace for small jobs.
const workbench = new VmRental("workbench", { gpuCount: 1 });
const bargain = new MarketplaceInstance("bargain", {
  gpuCount: 1,
  select: {},
  image: { name: "ubuntu", tag: "24.04", port: 22 },
});

export const ssh = {
  nodes: nodes.map((node) => node.sshCommand),
  workbench: workbench.sshCommand,
  bargain: bargain.sshCommand,
};
export const bargainMachine = pulumi.interpolate`${bargain.nodeName} (${bargain.machine.apply((machine) => machine?.gpuModel)})`;
export const volume = data.vip;
const rented = [...nodes, data, workbench, bargain];
const total = totalCost(rented.map((one) => one.costPerHour));
/** Unknown where the service shows no price of something, such as a virtual machine. */
export const costPerHour = total.apply((sum) => sum.costPerHour ?? "unknown");
export const { knownCostPerHour, unpriced } = total;

/**
 * A bare-metal rental
 *
 * Eight H100 in one bare-metal node, with a volume that is created and deleted with it.
 *
 * If the region has no capacity, the next one is tried. If the rental costs more than $60 per hour, it is terminated immediately.
 * After eight hours, `gpufleet expired` lists it.
 */

import { BareMetalRental } from "pulumi-gpufleet";

const node = new BareMetalRental("train", {
  networkType: "infiniband",
  gpuCount: 8,
  gpuType: "h100",
  region: "us-central-1",
  fallbackRegions: ["uk-central-3", "eu-west-4"],
  cudaVersion: "cuda12.9",
  // Created with the rental, and deleted with it unless keepVolume is set.
  storageVolume: { isNew: true, label: "train-scratch", sizeInGb: 512 },
  maxCostPerHour: 60,
  expiresAt: "8h",
});

export const ssh = node.sshCommand;
export const region = node.region;
export const costPerHour = node.costPerHour;
export const expires = node.expiresAtTime;

/**
 * A marketplace instance
 *
 * A container on the cheapest marketplace machine that matches.
 *
 * If somebody else rents that machine first, the next one is tried.
 */

import { MarketplaceInstance } from "pulumi-gpufleet";

// The cheapest machine that matches at creation. It is kept even if prices change.
const worker = new MarketplaceInstance("worker", {
  gpuCount: 1,
  select: { gpuModel: "A100", minGpuRamGb: 80, maxPricePerHour: 2 },
  image: { name: "ubuntu", tag: "24.04", port: 22 },
});

export const ssh = worker.sshCommand;
export const machine = worker.machine;
export const costPerHour = worker.costPerHour;

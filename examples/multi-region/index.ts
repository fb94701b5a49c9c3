/**
 * Fleets in several regions
 *
 * A fleet in each of two regions, each with a volume that its nodes share.
 *
 * Besides, a fleet of virtual machines is spread over three regions.
 *
 * ```sh
 * pulumi stack init dev
 * pulumi up
 * pulumi stack output inventory > inventory.ini
 * pulumi destroy
 * ```
 *
 * All arguments and outputs: [GpuFleet](../../docs/gpu-fleet.md).
 */

import * as pulumi from "@pulumi/pulumi";
import { type BareMetalRegion, GpuFleet, totalCost } from "pulumi-gpufleet";

// A volume can be used only in its own region, so there is one fleet per region.
const regions: BareMetalRegion[] = ["us-central-1", "eu-west-4"];
const training = regions.map(
  (region) =>
    new GpuFleet(`train-${region}`, {
      kind: "bare-metal",
      count: 2,
      regions: [region],
      gpuType: "h100",
      gpuCount: 8,
      networkType: "infiniband",
      sharedVolume: { sizeInGb: 1024 },
    }),
);

// Virtual machines without shared storage can be one fleet, spread evenly.
const serving = new GpuFleet("serve", {
  kind: "vm",
  count: 3,
  regions: ["us-east-1", "eu-north-2", "jp-east-1"],
  fallbackRegions: ["ca-east-1"],
  gpuCount: 1,
});

const fleets = [...training, serving];
export const inventory = pulumi.all(fleets.map((fleet) => fleet.inventory)).apply((texts) => texts.join("\n"));
/** What is known, and how many fleets are not in it because a price is unknown. */
export const { knownCostPerHour, unpriced } = totalCost(fleets.map((fleet) => fleet.costPerHour));

import type { Input } from "@pulumi/pulumi";
import type { regions } from "../provider/shared/region";
import type { BareMetalRentalArgs, VmRentalArgs } from "./args";

export type BareMetalRegion = (typeof regions.bareMetal)[number];
export type VmRegion = (typeof regions.virtualMachine)[number];

/** Arguments of a rental that the fleet sets itself. */
type SetByFleet = "region" | "fallbackRegions" | "label" | "adoptId" | "maxCostPerHour" | "waitForReady" | "waitForSsh";

export interface FleetArgs<Region extends string> {
  /** Number of members. Changing it creates or removes members and leaves the others alone. */
  count: number;
  /** Regions of the members, which are spread evenly: member i is in `regions[i % regions.length]`. */
  regions: readonly Region[];
  /** Regions to try, in this order, if a region has no capacity. A member stays in the region where it was rented. */
  fallbackRegions?: readonly Region[] | undefined;
  /**
   * Maximum price of all machines together, in USD per hour. A fleet that would cost more is not rented. If the price is known
   * only after renting, the new machines are terminated immediately.
   */
  maxCostPerHour?: Input<number> | undefined;
  /** Wait until all members are ready. Default: `true`. */
  waitForReady?: Input<boolean> | undefined;
  /** Also wait until ssh answers on all members. Default: `false`. */
  waitForSsh?: Input<boolean> | undefined;
}

export interface BareMetalFleetArgs extends FleetArgs<BareMetalRegion>, Omit<BareMetalRentalArgs, SetByFleet> {
  kind: "bare-metal";
  /** A volume that is attached to all members. Requires that all of them are in one region. */
  sharedVolume?:
    | {
        /** Size in GB: a multiple of 256, from 256 to 64000. */
        sizeInGb: Input<number>;
      }
    | undefined;
}

export interface VmFleetArgs extends FleetArgs<VmRegion>, Omit<VmRentalArgs, SetByFleet> {
  kind: "vm";
}

/** Arguments of the fleet itself, and all arguments of its rentals that the fleet does not set. */
export type GpuFleetArgs = BareMetalFleetArgs | VmFleetArgs;

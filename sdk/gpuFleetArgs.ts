import type { Input } from "@pulumi/pulumi";
import type { regions } from "../provider/service/region";
import type { BareMetalRentalArgs, VmRentalArgs } from "./args";

export type BareMetalRegion = (typeof regions.bareMetal)[number];
export type VmRegion = (typeof regions.virtualMachine)[number];

/** What the fleet decides for its members, so that a program does not. */
type DecidedByFleet =
  | "region"
  | "fallbackRegions"
  | "label"
  | "adoptId"
  | "maxCostPerHour"
  | "waitForReady"
  | "waitForSsh";

export interface FleetArgs<Region extends string> {
  /** How many members. Growing or shrinking the fleet touches only the members that come or go. */
  count: number;
  /** Where the members run: spread evenly, member i in `regions[i % regions.length]`. */
  regions: readonly Region[];
  /** Where to try next when a region has no capacity, in this order. The region that was used stays. */
  fallbackRegions?: readonly Region[] | undefined;
  /**
   * The most that the machines may cost together, in USD per hour. A fleet that would cost more is not rented; where a price
   * shows only after renting, what is new is ended at once.
   */
  maxCostPerHour?: Input<number> | undefined;
  /** Whether the fleet is up only when all members can be used. Default: `true`. */
  waitForReady?: Input<boolean> | undefined;
  /** Whether to wait also until ssh answers on all members. Default: `false`. */
  waitForSsh?: Input<boolean> | undefined;
}

export interface BareMetalFleetArgs extends FleetArgs<BareMetalRegion>, Omit<BareMetalRentalArgs, DecidedByFleet> {
  kind: "bare-metal";
  /** A volume that all members share. It is in one region, so the fleet must be, too. */
  sharedVolume?:
    | {
        /** Size in GB: a multiple of 256, from 256 to 64000. */
        sizeInGb: Input<number>;
      }
    | undefined;
}

export interface VmFleetArgs extends FleetArgs<VmRegion>, Omit<VmRentalArgs, DecidedByFleet> {
  kind: "vm";
}

/** A fleet's own arguments, and every argument of its kind of member that the fleet does not decide itself. */
export type GpuFleetArgs = BareMetalFleetArgs | VmFleetArgs;

import type { Input } from "@pulumi/pulumi";
import type { regions } from "../provider/shared/region";
import type { BareMetalRentalArgs, VmRentalArgs } from "./args";

export type BareMetalRegion = (typeof regions.bareMetal)[number];
export type VmRegion = Exclude<(typeof regions.virtualMachine)[number], "mock-region">;

/** Arguments of a rental that the fleet sets itself. */
type SetByFleet =
  | "region"
  | "fallbackRegions"
  | "label"
  | "adoptId"
  | "maxCostPerHour"
  | "waitForReady"
  | "waitForSsh"
  | "waitForGpus";

export interface FleetArgs<Region extends string> {
  /**
   * Number of members. Changing it creates or removes members and leaves the others alone. With 0 there are no machines, and a
   * shared volume is kept.
   */
  count: number;
  /**
   * Number of members that must be ready. When that many are, the others get one more minute; a warning then names those that are
   * missing. Default: all. A member that cannot be rented at all, for want of capacity, fails the update all the same.
   */
  minCount?: number | undefined;
  /**
   * Regions of the members. New members are spread evenly: member i is rented in `regions[i % regions.length]`. A member stays where it
   * is as long as its region is listed, so another order or a further region moves nobody.
   */
  regions: readonly Region[];
  /** Regions to try, in this order, if a region has no capacity. A member stays in the region where it was rented. */
  fallbackRegions?: readonly Region[] | undefined;
  /**
   * Maximum price of all machines together, in USD per hour. A fleet that would cost more is not rented. If the price is known
   * only after renting, the new machines are terminated immediately.
   */
  maxCostPerHour?: Input<number> | undefined;
  /**
   * How members are replaced when an argument changes. `"create-first"` rents all new ones before it terminates the old ones, which needs
   * room for both. `"delete-first"` terminates each before it rents its successor. `{ batch: n }` does that for at most n members at a
   * time, and goes on when their successors are ready. Default: `"create-first"`.
   */
  replacement?: "create-first" | "delete-first" | { batch: number } | undefined;
  /** Wait until all members are ready. Default: `true`. */
  waitForReady?: Input<boolean> | undefined;
  /** Also wait until ssh answers on all members. Default: `false`. */
  waitForSsh?: Input<boolean> | undefined;
  /**
   * Also wait until `nvidia-smi` on all members, over ssh, lists as many GPUs as were rented and none reports an error.
   * Default: `false`.
   */
  waitForGpus?: Input<boolean> | undefined;
}

export interface BareMetalFleetArgs extends FleetArgs<BareMetalRegion>, Omit<BareMetalRentalArgs, SetByFleet> {
  kind: "bare-metal";
  /**
   * A volume that is attached to all members, which must then be in one region. With `sizeInGb` it is created with the fleet;
   * `protect: true` refuses to delete it, and only it. With `id` it is one that exists, which the fleet never creates or deletes.
   */
  sharedVolume?:
    | {
        /** Size in GB: a multiple of 256, from 256 to 64000. */
        sizeInGb: Input<number>;
        /** Refuse to delete the volume, and only it, as the resource option of this name does. Default: `false`. */
        protect?: boolean | undefined;
      }
    | {
        /** Id of the volume: `storageVolumeId` of a `StorageVolume`, or as the service shows it. */
        id: Input<number>;
      }
    | undefined;
}

export interface VmFleetArgs extends FleetArgs<VmRegion>, Omit<VmRentalArgs, SetByFleet> {
  kind: "vm";
}

/** Arguments of the fleet itself, and all arguments of its rentals that the fleet does not set. */
export type GpuFleetArgs = BareMetalFleetArgs | VmFleetArgs;

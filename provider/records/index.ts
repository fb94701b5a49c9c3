import type { Kind } from "../lifecycle";
import { bareMetalRentals } from "./bareMetalRentals";
import { marketplaceInstances } from "./marketplaceInstances";
import { storageVolumes } from "./storageVolumes";
import { vmRentals } from "./vmRentals";

export * from "./marketplaceMachines";
export { bareMetalRentals, marketplaceInstances, storageVolumes, vmRentals };

/** Everything that the service bills for by the hour. */
export const kinds: readonly Kind<unknown>[] = [bareMetalRentals, vmRentals, storageVolumes, marketplaceInstances];

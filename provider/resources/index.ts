import type { Kind } from "../lifecycle";
import { bareMetalRentals } from "./bareMetalRental/record";
import { marketplaceInstances } from "./marketplaceInstance/record";
import { storageVolumes } from "./storageVolume/record";
import { vmRentals } from "./vmRental/record";

export { bareMetalRentals, marketplaceInstances, storageVolumes, vmRentals };

/** Everything that the service bills for by the hour. */
export const kinds: readonly Kind<unknown>[] = [bareMetalRentals, vmRentals, storageVolumes, marketplaceInstances];

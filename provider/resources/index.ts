import type { Handler, ResourceDefinition } from "../lifecycle";
import { bareMetalRental } from "./bareMetalRental";
import { fleetEnded, fleetReady } from "./fleet";
import { marketplaceInstance } from "./marketplaceInstance";
import { storageVolume } from "./storageVolume";
import { vmRental } from "./vmRental";
import { volumeAttachment } from "./volumeAttachment";

export * from "./bareMetalRental";
export * from "./derivedOutputs";
export * from "./marketplaceInstance";
export * from "./storageVolume";
export * from "./vmRental";
export * from "./volumeAttachment";

/** Every resource. A new one is added here and nowhere else in the provider. */
const resources: readonly Handler[] = [
  bareMetalRental,
  vmRental,
  storageVolume,
  volumeAttachment,
  marketplaceInstance,
  fleetReady,
  fleetEnded,
];

/** Resource type → handler. */
export const handlers: ReadonlyMap<string, Handler> = new Map(resources.map((handler) => [handler.type, handler]));

/** Everything that the service bills for by the hour. */
export const owned: readonly ResourceDefinition[] = resources.flatMap((handler) => handler.owned ?? []);

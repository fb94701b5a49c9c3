import type { Handler, ResourceDefinition } from "../lifecycle";
import { bareMetalRental } from "./bareMetalRental";
import { definedResources } from "./definedResources";
import { fleetEnded, fleetReady } from "./fleet";
import { storageVolume } from "./storageVolume";
import { vmRental } from "./vmRental";
import { volumeAttachment } from "./volumeAttachment";

/** What most programs use stands first wherever resources are listed. */
const first: readonly Handler[] = [bareMetalRental, vmRental, storageVolume, volumeAttachment];

const resources: ReadonlySet<Handler> = new Set([...first, ...definedResources, fleetReady, fleetEnded]);

/** Resource type → handler. */
export const handlers: ReadonlyMap<string, Handler> = new Map([...resources].map((handler) => [handler.type, handler]));

/** Everything that the service bills for by the hour. */
export const owned: readonly ResourceDefinition[] = [...resources].flatMap((handler) => handler.owned ?? []);

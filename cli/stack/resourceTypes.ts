import { handlers } from "../../provider";
import { type Handler, type Phase, phaseOf, type ResourceDefinition } from "../../provider/lifecycle";
import { gateTypes } from "../../provider/shared/fleetNames";

/** Resource types of this provider, as its handlers know them. These few are treated apart somewhere. */
export const bareMetalRentalType = "BareMetalRental";
export const storageVolumeType = "StorageVolume";
export const marketplaceInstanceType = "MarketplaceInstance";
export const volumeAttachmentType = "VolumeAttachment";
/** The resources that wait for the members of a fleet: until they are ready, and until they have ended. */
export const fleetReadyType = gateTypes.ready;
export const fleetEndedType = gateTypes.ended;

export function handlerOf(type: string | undefined): Handler | undefined {
  return type === undefined ? undefined : handlers.get(type);
}

/** The definition of a type that bills. */
export function definitionOf(type: string | undefined): ResourceDefinition | undefined {
  return handlerOf(type)?.owned;
}

/** "bare-metal rental", "volume attachment": a type in words. */
export function nounOf(type: string): string {
  return definitionOf(type)?.noun ?? type.replace(/(?!^)[A-Z]/g, " $&").toLowerCase();
}

/** "bare-metal rentals", for a type that bills. */
export function pluralOf(type: string): string | undefined {
  return definitionOf(type)?.kind.plural;
}

/** How far along a resource of this type is, by its status. */
export function phaseIn(type: string, status: string): Phase {
  return phaseOf(status, definitionOf(type)?.kind.statuses ?? {});
}

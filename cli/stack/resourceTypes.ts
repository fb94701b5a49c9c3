import { handlers } from "../../provider";
import { type Handler, type Phase, phaseOf, type Rented } from "../../provider/lifecycle";

/** Resource types of this provider, as its handlers know them. These few are treated apart somewhere. */
export const storageVolumeType = "StorageVolume";
export const marketplaceInstanceType = "MarketplaceInstance";
export const volumeAttachmentType = "VolumeAttachment";
/** The resource that waits for the members of a fleet. */
export const fleetReadyType = "FleetReady";

/** The types that bill, with what each of them rents. */
export function rentedTypes(): { type: string; rented: Rented }[] {
  return [...handlers.values()].flatMap(({ type, rented }) => (rented ? [{ type, rented }] : []));
}

export function handlerOf(type: string | undefined): Handler | undefined {
  return type === undefined ? undefined : handlers.get(type);
}

/** "bare-metal rental", "volume attachment": a type in words. */
export function nounOf(type: string): string {
  return handlers.get(type)?.rented?.noun ?? type.replace(/(?!^)[A-Z]/g, " $&").toLowerCase();
}

/** "bare-metal rentals", for a type that bills. */
export function pluralOf(type: string): string | undefined {
  return handlers.get(type)?.rented?.kind.plural;
}

/** How far along a resource of this type is, by its status. */
export function phaseIn(type: string, status: string): Phase {
  return phaseOf(status, handlers.get(type)?.rented?.kind.statuses ?? {});
}

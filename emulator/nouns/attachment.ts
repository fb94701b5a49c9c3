import { Refusal } from "../refusal";
import {
  type Call,
  type Fact,
  isLive,
  phaseAt,
  type RentalFacts,
  type StorageVolumeFacts,
  statusAt,
  type World,
} from "../state";
import { own } from "./account";

/** The bare-metal rentals with these ids; throws a Refusal where one cannot have a volume. */
export function liveRentals(world: World, call: Call, ids: readonly number[]): RentalFacts[] {
  return [...new Set(ids)].map((id) => {
    const rental = own(call, world.store.rentals.get(id));
    if (!rental) throw new Refusal(400, `rentalIds: rental ${id} not found`);
    if (rental.kind !== "bare-metal") throw new Refusal(400, `rentalIds: rental ${id} is not a bare-metal rental`);
    const status = statusAt(rental.kind, rental.life, call.at);
    if (!isLive(phaseAt(rental.life, call.at))) throw new Refusal(400, `rentalIds: rental ${id} is ${status}`);
    return rental;
  });
}

/** The attachments that are missing between the volume and these rentals. */
export function attachments(
  world: World,
  call: Call,
  volume: StorageVolumeFacts,
  rentals: readonly RentalFacts[],
): Fact[] {
  const already = new Set(attachedRentalIds(world, volume.id, call.at));
  const again = rentals.find(({ id }) => already.has(id));
  if (again && !world.dialect.attachesAgain)
    throw new Refusal(400, `storage volume ${volume.id} is already attached to rental ${again.id}`);
  const first = world.store.nextAttachmentId();
  return rentals
    .filter((rental) => !already.has(rental.id))
    .map((rental, index) => {
      if (rental.region !== volume.region) {
        throw new Refusal(
          400,
          `storage volume ${volume.id} is in ${volume.region}, but rental ${rental.id} is in ${rental.region}`,
        );
      }
      const record = { id: first + index, volumeId: volume.id, rentalId: rental.id, from: call.at, until: null };
      return { kind: "attachment" as const, record };
    });
}

export function attachedRentalIds(world: World, volumeId: number, at: number): number[] {
  return world.store.attachmentsOfStorageVolume(volumeId, at).map(({ rentalId }) => rentalId);
}

/** What a rental record says of the volumes attached to it. */
export function attachedStorage(world: World, rentalId: number, at: number) {
  return world.store.attachmentsOfRental(rentalId, at).flatMap(({ volumeId }) => {
    const volume = world.store.storageVolumes.get(volumeId);
    if (!volume) return [];
    return {
      id: volume.id,
      cost_per_hour: volume.price.perHour,
      size_in_gb: volume.sizeInGb,
      label: volume.label,
      vip: vipOf(volume),
      // The interface does not say which ids. Listing all of them in every rental of a fleet that shares one volume would
      // make the list grow with the square of the fleet.
      attached_instance_ids: [rentalId],
    };
  });
}

/** The address of the volume in the network of its rentals. */
export function vipOf({ id }: StorageVolumeFacts): string {
  return `10.${(id >> 16) & 255}.${(id >> 8) & 255}.${id & 255}`;
}

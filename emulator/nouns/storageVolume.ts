import type { z } from "zod";
import type { attachStorageVolumeRequest, createStorageVolumeRequest } from "../../provider/service";
import { Refusal } from "../refusal";
import type { Call, Fact, RentalFacts, VolumeFacts, World } from "../state";
import { begin, end, isLive, isPresent, phaseAt, statusAt } from "../state";
import { formatTimestamp } from "../timestamp";
import { refuseWithoutFunds } from "./billing";
import { flatPrice, storagePrice } from "./price";
import { user } from "./rental";

/** The facts of a volume that begins with this request. */
export function newVolume(
  world: World,
  call: Call,
  wanted: { label: string; sizeInGb: number; region: RentalFacts["region"]; fails: boolean },
): VolumeFacts {
  refuseWithoutFunds(world, call.at);
  const { region } = wanted;
  if (region === "private-cloud") throw new Refusal(400, "region: there is no storage in private-cloud");
  return {
    id: world.store.nextVolumeId(),
    label: wanted.label,
    region,
    sizeInGb: wanted.sizeInGb,
    price: flatPrice(wanted.sizeInGb * storagePrice),
    life: begin(call.at, world.settings.provisionMs, wanted.fails),
  };
}

export function createStorageVolume(world: World, call: Call, request: z.output<typeof createStorageVolumeRequest>) {
  const volume = newVolume(world, call, { ...request, fails: call.faults.failProvisioning });
  const rentals = liveRentals(world, call, request.rentalIds ?? []);
  world.store.commit({ of: "volume", is: volume }, ...attachments(world, call, volume, rentals));
  return {
    storageVolumeId: volume.id,
    region: volume.region,
    status: statusAt("storage-volume", volume.life, call.at),
    label: volume.label,
    sizeInGb: volume.sizeInGb,
    attachedRentals: attachedRentalIds(world, volume.id, call.at),
    message: `storage volume ${volume.id} is being created`,
  };
}

/** The volume with that id, which is not being deleted. */
export function getLiveVolume(world: World, call: Call, id: number): VolumeFacts {
  const volume = world.store.volumes.get(id);
  const phase = volume && phaseAt(volume.life, call.at);
  if (!volume || phase === "ending" || phase === "ended") throw new Refusal(400, `storage volume ${id} not found`);
  return volume;
}

function liveRentals(world: World, call: Call, ids: readonly number[]): RentalFacts[] {
  return [...new Set(ids)].map((id) => {
    const rental = world.store.rentals.get(id);
    if (!rental) throw new Refusal(400, `rentalIds: rental ${id} not found`);
    if (rental.kind !== "bare-metal") throw new Refusal(400, `rentalIds: rental ${id} is not a bare-metal rental`);
    const status = statusAt(rental.kind, rental.life, call.at);
    if (!isLive(phaseAt(rental.life, call.at))) throw new Refusal(400, `rentalIds: rental ${id} is ${status}`);
    return rental;
  });
}

/** What attaching the volume to these rentals adds; those that have it already are passed over. */
export function attachments(world: World, call: Call, volume: VolumeFacts, rentals: readonly RentalFacts[]): Fact[] {
  const already = new Set(attachedRentalIds(world, volume.id, call.at));
  const first = world.store.nextAttachmentId();
  return rentals
    .filter((rental) => !already.has(rental.id))
    .map((rental, index) => {
      if (rental.region !== volume.region) {
        throw new Refusal(
          400,
          `storage volume ${volume.id} is in ${volume.region}, rental ${rental.id} in ${rental.region}`,
        );
      }
      const is = { id: first + index, volumeId: volume.id, rentalId: rental.id, from: call.at, until: null };
      return { of: "attachment" as const, is };
    });
}

export function attachStorageVolume(world: World, call: Call, request: z.output<typeof attachStorageVolumeRequest>) {
  const volume = getLiveVolume(world, call, request.storageVolumeId);
  const rentals = liveRentals(world, call, request.rentalIds);
  world.store.commit(...attachments(world, call, volume, rentals));
  return {
    storageVolumeId: volume.id,
    attachedRentalIds: attachedRentalIds(world, volume.id, call.at),
    message: `storage volume ${volume.id} is attached`,
  };
}

export function detachStorageVolume(world: World, call: Call, id: number, rentalIds: readonly number[]) {
  const volume = world.store.volumes.get(id);
  if (!volume) throw new Refusal(404, "storage volume not found");
  const wanted = new Set(rentalIds);
  const held = world.store.attachmentsOfVolume(id, call.at).filter(({ rentalId }) => wanted.has(rentalId));
  world.store.commit(...held.map((is): Fact => ({ of: "attachment", is: { ...is, until: call.at } })));
  return { message: `storage volume ${id} is detached from ${held.length} rentals` };
}

export function deleteStorageVolume(world: World, call: Call, id: number) {
  const volume = world.store.volumes.get(id);
  if (!volume) throw new Refusal(404, "storage volume not found");
  const phase = phaseAt(volume.life, call.at);
  if (phase === "ending" || phase === "ended") throw new Refusal(400, "already deleted");
  const attached = attachedRentalIds(world, id, call.at);
  if (attached.length > 0) throw new Refusal(400, `volume is attached to rental ${attached.join(", ")}`);
  world.store.commit({ of: "volume", is: { ...volume, life: end(volume.life, call.at, world.settings.endMs) } });
  return { message: `storage volume ${id} is being deleted` };
}

export function listStorageVolumes(world: World, call: Call) {
  const at = call.asOf;
  return [...world.store.volumes.values()]
    .filter(({ life }) => {
      const phase = phaseAt(life, at);
      return isPresent(phase) || (phase === "ended" && world.dialect.keepsEnded);
    })
    .map((volume) => volumeRecord(world, volume, at));
}

function volumeRecord(world: World, volume: VolumeFacts, at: number) {
  const { life } = volume;
  const time = (milliseconds: number) => formatTimestamp(milliseconds, world.dialect.timestamps);
  const ended = phaseAt(life, at) === "ended" && life.endedAt !== null ? time(life.endedAt) : null;
  return {
    id: volume.id,
    createdAt: time(life.createdAt),
    updatedAt: ended,
    deletedAt: ended,
    userId: user.id,
    orgId: null,
    startedAt: at >= life.readyAt && !life.fails ? time(life.readyAt) : null,
    terminatedAt: ended,
    externalId: `emulated-volume-${volume.id}`,
    sizeGb: volume.sizeInGb,
    label: volume.label,
    costPerHour: volume.price.perHour,
    region: volume.region,
    storageVolumeId: `volume-${volume.id}`,
    meta: {},
    status: statusAt("storage-volume", life, at),
    attachedRentals: attachedRentalIds(world, volume.id, at),
    sizeInGb: volume.sizeInGb,
    vip: vipOf(volume),
  };
}

function attachedRentalIds(world: World, volumeId: number, at: number): number[] {
  return world.store.attachmentsOfVolume(volumeId, at).map(({ rentalId }) => rentalId);
}

/** What a rental record says of the volumes attached to it. */
export function attachedStorage(world: World, rentalId: number, at: number) {
  return world.store.attachmentsOfRental(rentalId, at).flatMap(({ volumeId }) => {
    const volume = world.store.volumes.get(volumeId);
    if (!volume) return [];
    return {
      id: volume.id,
      cost_per_hour: volume.price.perHour,
      size_in_gb: volume.sizeInGb,
      label: volume.label,
      vip: vipOf(volume),
      // Which ids the interface does not say. All of them, in every rental of a large fleet that shares one volume, would
      // make a list grow with the square of the fleet.
      attached_instance_ids: [rentalId],
    };
  });
}

function vipOf({ id }: VolumeFacts): string {
  return `10.${(id >> 16) & 255}.${(id >> 8) & 255}.${id & 255}`;
}

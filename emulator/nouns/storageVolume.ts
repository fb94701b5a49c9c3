import type { z } from "zod";
import type { attachStorageVolumeRequest, createStorageVolumeRequest } from "../../provider/service";
import { count } from "../../provider/shared/count";
import { Refusal } from "../refusal";
import {
  begin,
  type Call,
  end,
  type Fact,
  isEnding,
  phaseAt,
  type RentalFacts,
  type StorageVolumeFacts,
  statusAt,
  type World,
} from "../state";
import { own, userOf } from "./account";
import { attachedRentalIds, attachments, liveRentals, vipOf } from "./attachment";
import { refuseWithoutFunds } from "./billing";
import { flatPrice, storagePrice } from "./price";
import { isListed, timesOf } from "./record";

/** A new volume; throws a Refusal where it cannot be created. */
export function newStorageVolume(
  world: World,
  call: Call,
  wanted: { label: string; sizeInGb: number; region: RentalFacts["region"]; fails: boolean },
): StorageVolumeFacts {
  refuseWithoutFunds(world, call);
  const { region } = wanted;
  if (region === "private-cloud") throw new Refusal(400, "region: private-cloud has no storage volumes");
  return {
    id: world.store.nextStorageVolumeId(),
    account: call.account,
    label: wanted.label,
    region,
    sizeInGb: wanted.sizeInGb,
    price: flatPrice(wanted.sizeInGb * storagePrice),
    life: begin(call.at, world.settings.provisionMs, wanted.fails),
  };
}

export function createStorageVolume(world: World, call: Call, request: z.output<typeof createStorageVolumeRequest>) {
  const volume = newStorageVolume(world, call, { ...request, fails: call.faults.failProvisioning });
  const rentals = liveRentals(world, call, request.rentalIds ?? []);
  world.store.commit({ kind: "storageVolume", record: volume }, ...attachments(world, call, volume, rentals));
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

/** The volume with that id, unless it is being deleted. */
export function getLiveStorageVolume(world: World, call: Call, id: number): StorageVolumeFacts {
  const volume = own(call, world.store.storageVolumes.get(id));
  if (!volume || isEnding(phaseAt(volume.life, call.at))) throw new Refusal(400, `storage volume ${id} not found`);
  return volume;
}

export function attachStorageVolume(world: World, call: Call, request: z.output<typeof attachStorageVolumeRequest>) {
  const volume = getLiveStorageVolume(world, call, request.storageVolumeId);
  const rentals = liveRentals(world, call, request.rentalIds);
  world.store.commit(...attachments(world, call, volume, rentals));
  return {
    storageVolumeId: volume.id,
    attachedRentalIds: attachedRentalIds(world, volume.id, call.at),
    message: `storage volume ${volume.id} is attached`,
  };
}

function getStorageVolume(world: World, call: Call, id: number): StorageVolumeFacts {
  const volume = own(call, world.store.storageVolumes.get(id));
  if (!volume) throw new Refusal(404, "storage volume not found");
  return volume;
}

export function detachStorageVolume(world: World, call: Call, id: number, rentalIds: readonly number[]) {
  getStorageVolume(world, call, id);
  const wanted = new Set(rentalIds);
  const attached = world.store.attachmentsOfStorageVolume(id, call.at).filter(({ rentalId }) => wanted.has(rentalId));
  const unattached = rentalIds.find((rentalId) => !attached.some((one) => one.rentalId === rentalId));
  if (unattached !== undefined && !world.dialect.attachesAgain)
    throw new Refusal(400, `storage volume ${id} is not attached to rental ${unattached}`);
  const [first] = attached;
  if (first && !world.dialect.detachesRunning)
    throw new Refusal(403, `storage volume ${id} cannot be detached while rental ${first.rentalId} runs`);
  const ended = attached.map((attachment): Fact => ({ kind: "attachment", record: { ...attachment, until: call.at } }));
  world.store.commit(...ended);
  return { message: `storage volume ${id} is detached from ${count(ended.length, "rental")}` };
}

export function deleteStorageVolume(world: World, call: Call, id: number) {
  const volume = getStorageVolume(world, call, id);
  if (isEnding(phaseAt(volume.life, call.at))) throw new Refusal(400, "already deleted");
  const attached = attachedRentalIds(world, id, call.at);
  if (attached.length > 0)
    throw new Refusal(
      400,
      `storage volume ${id} is attached to ${attached.length === 1 ? "rental" : "rentals"} ${attached.join(", ")}`,
    );
  world.store.commit({
    kind: "storageVolume",
    record: { ...volume, life: end(volume.life, call.at, world.settings.endMs) },
  });
  return { message: `storage volume ${id} is being deleted` };
}

export function listStorageVolumes(world: World, call: Call) {
  const at = call.asOf;
  return [...world.store.storageVolumes.values()]
    .filter((volume) => own(call, volume) && isListed(world, volume.life, at))
    .map((volume) => volumeRecord(world, volume, at));
}

/** Which volume is attached to which rental now. */
export function attachmentsIn(world: World): { volumeId: number; rentalId: number }[] {
  const at = world.clock.now();
  return [...world.store.storageVolumes.keys()].flatMap((volumeId) =>
    attachedRentalIds(world, volumeId, at).map((rentalId) => ({ volumeId, rentalId })),
  );
}

/** Far from any `storageVolumeId`, so that one taken for the other is found out. */
export const firstRecordId = 700_001;

/** Volumes go in pairs: the record of each has the number of the other. */
export function neighbourOf(id: number): number {
  return id % 2 === 1 ? id + 1 : id - 1;
}

function recordIdOf({ settings }: World, { id }: StorageVolumeFacts): number {
  if (settings.volumeIds === "same") return id;
  return settings.volumeIds === "separate" ? firstRecordId + id : neighbourOf(id);
}

function volumeRecord(world: World, volume: StorageVolumeFacts, at: number) {
  const { life } = volume;
  const { createdAt, startedAt, endedAt } = timesOf(world, life, at);
  return {
    id: recordIdOf(world, volume),
    createdAt,
    updatedAt: endedAt,
    deletedAt: endedAt,
    userId: userOf(volume.account).id,
    orgId: null,
    startedAt,
    terminatedAt: endedAt,
    externalId: `emulated-volume-${volume.id}`,
    sizeGb: volume.sizeInGb,
    label: volume.label,
    costPerHour: volume.price.perHour,
    region: volume.region,
    storageVolumeId: world.settings.volumeIds === "same" ? `volume-${volume.id}` : volume.id,
    meta: {},
    status: statusAt("storage-volume", life, at),
    attachedRentals: attachedRentalIds(world, volume.id, at),
    sizeInGb: volume.sizeInGb,
    vip: vipOf(volume),
  };
}

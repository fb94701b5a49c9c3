import { type Kind, phaseOf, type Statuses, type View } from "../../lifecycle";
import {
  costPerHourOf,
  inDocumentedLetters,
  ownVolumeId,
  regions,
  type StorageVolume,
  storageVolumeIdOf,
} from "../../service";
import { accountOf } from "../account";
import { withEnd } from "../ended";

const statuses: Statuses = { pending: ["inactive", "unknown"], ready: ["active"] };

function volumeIdOf(volume: StorageVolume): string {
  return String(storageVolumeIdOf(volume));
}

/** Storage volumes as the service lists them. */
export const storageVolumes: Kind<StorageVolume> = {
  plural: "storage volumes",
  base: "v2",
  statuses,
  fetch: (client, call) => client.listStorageVolumes(call),
  idOf: volumeIdOf,
  ownId: { field: "storageVolumeId", isIn: (volume) => ownVolumeId(volume) !== undefined },
  labelOf: (volume) => volume.label,
  view: (volume, now) => ({
    id: volumeIdOf(volume),
    recordId: String(volume.id),
    label: volume.label ?? undefined,
    ...withEnd(
      { status: volume.status, phase: phaseOf(volume.status, statuses) },
      now,
      volume.deletedAt,
      volume.terminatedAt,
    ),
    region: inDocumentedLetters(regions.all, volume.region),
    costPerHour: costPerHourOf(volume),
    createdAt: volume.createdAt,
    account: accountOf(volume),
    size: sizeOf(volume) === undefined ? undefined : `${sizeOf(volume)} GB`,
    observedInputs: {
      label: volume.label ?? undefined,
      region: inDocumentedLetters(regions.all, volume.region),
      sizeInGb: sizeOf(volume),
    },
    outputs: { vip: volume.vip, attachedRentals: volume.hidesRentals ? undefined : volume.attachedRentals },
  }),
};

/** The record has the size twice. */
export function sizeOf({ sizeInGb, sizeGb }: StorageVolume): number | undefined {
  return sizeInGb ?? sizeGb;
}

/** Those of these rentals that the record shows the volume attached to; where it does not tell, all of them. */
export function attachedOf({ outputs }: View, rentalIds: unknown): number[] {
  const [shown, known] = [outputs?.["attachedRentals"], numbers(rentalIds)];
  return shown === undefined ? known : known.filter((rental) => numbers(shown).includes(rental));
}

/** A list of ids out of a state, each once. */
export function numbers(value: unknown): number[] {
  return Array.isArray(value) ? [...new Set(value.map(Number))] : [];
}

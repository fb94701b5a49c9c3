import { type Kind, type Mention, phaseOf, type Statuses, type View } from "../../lifecycle";
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

/**
 * Those of the rentals of a state that the record shows the volume attached to. A record that does not tell says nothing, unless one
 * has told before: some services leave out what is empty.
 */
export function attachedOf({ outputs }: View, rentalIds: unknown, wasTold: boolean): number[] {
  const [shown, known] = [outputs?.["attachedRentals"], numbers(rentalIds)];
  return shown === undefined && !wasTold ? known : known.filter((rental) => numbers(shown).includes(rental));
}

/** A list of ids out of a state, each once. */
export function numbers(value: unknown): number[] {
  return Array.isArray(value) ? [...new Set(value.map(Number))] : [];
}

/** A volume that something names by its id. */
export function mentionOfVolume(id: string | number): Mention {
  return { type: "StorageVolume", kind: storageVolumes, noun: "storage volume", id: String(id) };
}

import { type Kind, type Operation, phaseOf, type Statuses, waitUntil } from "../../lifecycle";
import { type StorageVolume, storageVolumeIdOf } from "../../service";
import { accountOf } from "../account";
import { hasEnded } from "../ended";

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
  labelOf: (volume) => volume.label,
  view: (volume, now) => ({
    id: volumeIdOf(volume),
    label: volume.label ?? undefined,
    status: volume.status,
    phase: hasEnded(now, volume.deletedAt, volume.terminatedAt) ? "ended" : phaseOf(volume.status, statuses),
    region: volume.region,
    costPerHour: volume.costPerHour,
    createdAt: volume.createdAt,
    account: accountOf(volume),
    size: sizeOf(volume) === undefined ? undefined : `${sizeOf(volume)} GB`,
    observedInputs: { label: volume.label ?? undefined, region: volume.region, sizeInGb: sizeOf(volume) },
    outputs: { vip: volume.vip, attachedRentals: volume.attachedRentals },
  }),
};

/** The record has the size twice. */
export function sizeOf({ sizeInGb, sizeGb }: StorageVolume): number | undefined {
  return sizeInGb ?? sizeGb;
}

/** A volume cannot be deleted while it is attached; a rental that is being ended lets go of it when it has ended. */
export function waitUntilDetached(operation: Operation, id: string): Promise<void> {
  return waitUntil({
    operation,
    prompt: true,
    list: operation.runtime.lists.of(storageVolumes),
    judge: (snapshot) => {
      const view = snapshot.find(id);
      const attached = view ? numbers(view.outputs?.["attachedRentals"]) : [];
      return attached.length === 0
        ? { kind: "done", result: undefined }
        : {
            kind: "pending",
            status: `attached to ${attached.length === 1 ? "rental" : "rentals"} ${attached.join(", ")}`,
          };
    },
    progress: (status) => status,
  });
}

/** A list of ids out of a state. */
export function numbers(value: unknown): number[] {
  return Array.isArray(value) ? value.map(Number) : [];
}

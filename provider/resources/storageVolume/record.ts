import { type Kind, type Operation, phaseOf, type Statuses, waitUntil } from "../../lifecycle";
import type { StorageVolume } from "../../service";
import { accountOf } from "../account";

const statuses: Statuses = { pending: ["inactive", "unknown"], ready: ["active"] };

/** Create, attach and delete go by `storageVolumeId`; a record that has none of use there goes by `id`. */
function volumeIdOf({ id, storageVolumeId }: StorageVolume): string {
  const isNumber = typeof storageVolumeId === "number" && Number.isSafeInteger(storageVolumeId) && storageVolumeId > 0;
  return String(isNumber ? storageVolumeId : id);
}

/** Storage volumes as the service lists them. */
export const storageVolumes: Kind<StorageVolume> = {
  plural: "storage volumes",
  base: "v2",
  statuses,
  fetch: (client, call) => client.listStorageVolumes(call),
  idOf: volumeIdOf,
  labelOf: (volume) => volume.label,
  view: (volume) => ({
    id: volumeIdOf(volume),
    label: volume.label,
    status: volume.status,
    phase: volume.deletedAt || volume.terminatedAt ? "ended" : phaseOf(volume.status, statuses),
    region: volume.region,
    costPerHour: volume.costPerHour,
    createdAt: volume.createdAt,
    account: accountOf(volume),
    size: `${volume.sizeInGb} GB`,
    observedInputs: { label: volume.label, region: volume.region, sizeInGb: volume.sizeInGb },
    outputs: { vip: volume.vip, attachedRentals: volume.attachedRentals },
  }),
};

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

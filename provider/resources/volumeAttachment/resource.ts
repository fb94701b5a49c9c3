import { z } from "zod";
import { defineResource, everyResource, type Snapshot, type Values, type View } from "../../lifecycle";
import { attachStorageVolumeRequest, type StorageVolume } from "../../service";
import { attach, detach } from "../storageVolume/attachments";
import { numbers, storageVolumes } from "../storageVolume/record";

const inputs = z.strictObject({
  ...attachStorageVolumeRequest.shape,
  rentalIds: z.array(z.int().positive()).min(1).describe("The bare-metal rentals to attach the volume to."),
  ...everyResource,
});
type Inputs = z.output<typeof inputs>;

/** The volume's record, seen as the attachment of these rentals. With none of them attached there is no attachment. */
function find(snapshot: Snapshot<StorageVolume>, id: string, { storageVolumeId, rentalIds }: Values): View | undefined {
  const volume = snapshot.find(String(storageVolumeId));
  if (!volume || volume.phase === "ended") return undefined;
  const attached = volume.outputs?.["attachedRentals"];
  const wanted = Array.isArray(rentalIds) ? rentalIds : [];
  const own = wanted.filter((rental) => Array.isArray(attached) && attached.includes(rental));
  if (own.length === 0) return undefined;
  const complete = own.length === wanted.length;
  return {
    id,
    status: complete ? "attached" : `attached to ${own.length} of ${wanted.length}`,
    phase: complete ? "ready" : "pending",
    shown: { rentalIds: own },
    outputs: { vip: volume.outputs?.["vip"] },
  };
}

/** The rentals are those at creation: it keeps its id when some are added or removed. */
export function attachmentId(storageVolumeId: number, rentalIds: readonly number[]): string {
  return `${storageVolumeId}:${rentalIds.join(",")}`;
}

export const volumeAttachment = defineResource<Inputs, StorageVolume>({
  type: "VolumeAttachment",
  noun: "attachment of volume",
  inputs,
  timeouts: { create: "10m", delete: "10m" },
  labelled: false,
  inPlace: ["rentalIds"],
  sets: ["rentalIds"],
  kind: storageVolumes,
  find,
  async create(work) {
    const { storageVolumeId, rentalIds } = work.inputs;
    await attach(work, storageVolumeId, rentalIds);
    return { id: attachmentId(storageVolumeId, rentalIds), status: "attached", phase: "ready", shown: {} };
  },
  async update(work, _id, olds) {
    const { storageVolumeId, rentalIds } = work.inputs;
    const before = numbers(olds["rentalIds"]);
    await attach(
      work,
      storageVolumeId,
      rentalIds.filter((rental) => !before.includes(rental)),
    );
    await detach(
      work,
      storageVolumeId,
      before.filter((rental) => !rentalIds.includes(rental)),
    );
  },
  end: (work, _id, state) => detach(work, Number(state["storageVolumeId"]), numbers(state["rentalIds"])),
});

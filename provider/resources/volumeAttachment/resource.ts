import { z } from "zod";
import { defineResource, everyResource, type Snapshot, type Values, type View } from "../../lifecycle";
import { attachStorageVolumeRequest, type StorageVolume } from "../../service";
import { attach, changeAttachments, detach, numbers, storageVolumes } from "../storageVolume";

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
    observedInputs: { rentalIds: own },
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
  inPlace: ["rentalIds"],
  sets: ["rentalIds"],
  kind: storageVolumes,
  find,
  async create(context) {
    const { storageVolumeId, rentalIds } = context.inputs;
    await attach(context, storageVolumeId, rentalIds);
    return { id: attachmentId(storageVolumeId, rentalIds), status: "attached", phase: "ready", observedInputs: {} };
  },
  update: (context, _id, olds) =>
    changeAttachments(context, context.inputs.storageVolumeId, numbers(olds["rentalIds"]), context.inputs.rentalIds),
  end: (context, _id, state) => detach(context, Number(state["storageVolumeId"]), numbers(state["rentalIds"])),
});

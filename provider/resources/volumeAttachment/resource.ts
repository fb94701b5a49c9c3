import { z } from "zod";
import { defineResource, everyResource, type Values, type View } from "../../lifecycle";
import { attachStorageVolumeRequest, type StorageVolume } from "../../service";
import { attach, changeAttachments, detach, numbers, storageVolumes } from "../storageVolume";

const inputs = z.strictObject({
  ...attachStorageVolumeRequest.shape,
  rentalIds: z.array(z.int().positive()).min(1).describe("Ids of the bare-metal rentals to attach the volume to."),
  ...everyResource,
});
type Inputs = z.output<typeof inputs>;

/** The volume's record, seen as the attachment of these rentals. */
function see(volume: View, id: string, { rentalIds }: Values): View {
  const wanted = numbers(rentalIds);
  const attached = numbers(volume.outputs?.["attachedRentals"]);
  const own = wanted.filter((rental) => attached.includes(rental));
  const isComplete = own.length === wanted.length;
  return {
    id,
    status: isComplete ? "attached" : `attached to ${own.length} of ${wanted.length}`,
    phase: isComplete ? "ready" : "pending",
    account: volume.account,
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
  noun: "volume attachment",
  inputs,
  timeouts: { create: "10m", delete: "10m" },
  inPlace: ["rentalIds"],
  sets: ["rentalIds"],
  kind: storageVolumes,
  recordId: ({ storageVolumeId }) => String(storageVolumeId),
  see,
  async create(context) {
    const { storageVolumeId, rentalIds } = context.inputs;
    await attach(context, storageVolumeId, rentalIds);
    return { id: attachmentId(storageVolumeId, rentalIds), status: "attached", phase: "ready", observedInputs: {} };
  },
  update: (context, _id, olds) =>
    changeAttachments(context, context.inputs.storageVolumeId, numbers(olds["rentalIds"]), context.inputs.rentalIds),
  end: (context, _id, state) => detach(context, Number(state["storageVolumeId"]), numbers(state["rentalIds"])),
});

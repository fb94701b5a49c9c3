import { z } from "zod";
import {
  adopt,
  defineResource,
  everyResource,
  type OperationContext,
  RefusedError,
  type Runtime,
  type Values,
  type View,
} from "../../lifecycle";
import { attachStorageVolumeRequest, type StorageVolume } from "../../service";
import {
  adoptPairs,
  attach,
  changeAttachments,
  detach,
  lacksOnlyExpired,
  notExpired,
  numbers,
  storageVolumes,
} from "../storageVolume";

const attachmentIds = /^(\d+):(\d+(?:,\d+)*)$/;

const inputs = z.strictObject({
  ...attachStorageVolumeRequest.shape,
  rentalIds: z.array(z.int().positive()).min(1).describe("Ids of the bare-metal rentals to attach the volume to."),
  ...everyResource,
  adoptId: z
    .string()
    .regex(attachmentIds, 'must be the id of an attachment, "<volume>:<rental>,<rental>"')
    .optional()
    .describe("Id of an existing attachment to manage from now on, `<volume>:<rental>,<rental>`. Nothing is attached."),
});
type Inputs = z.output<typeof inputs>;

/** The volume's record, seen as the attachment of these rentals. */
function see(volume: View, id: string, { rentalIds }: Values, runtime: Runtime): View {
  const attached = numbers(volume.outputs?.["attachedRentals"]);
  const own = numbers(rentalIds).filter((rental) => attached.includes(rental));
  const wanted = notExpired(runtime, numbers(rentalIds));
  const isComplete = wanted.every((rental) => own.includes(rental));
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

/** The volume and the rentals in an id. */
function fromId(id: string): { storageVolumeId: number; rentalIds: number[] } {
  const [, volume, rentals] = attachmentIds.exec(id) ?? [];
  if (volume === undefined || rentals === undefined) {
    throw new RefusedError(
      `${JSON.stringify(id)} is not the id of a volume attachment, which is <volume>:<rental>,<rental>`,
    );
  }
  return { storageVolumeId: Number(volume), rentalIds: rentals.split(",").map(Number) };
}

/** An attachment that exists is taken over only as a whole: what the program says must be what the id says, and attached. */
async function adoptAttachment(context: OperationContext<Inputs>, id: string): Promise<View> {
  const { storageVolumeId, rentalIds } = context.inputs;
  const named = fromId(id);
  const isSame = named.storageVolumeId === storageVolumeId && sorted(named.rentalIds) === sorted(rentalIds);
  if (!isSame) {
    throw new RefusedError(
      `volume attachment ${id} cannot be adopted, because it differs from the program: ${attachmentId(storageVolumeId, rentalIds)}. Change the program, or remove adoptId to attach the volume.`,
    );
  }
  return adoptPairs(context, storageVolumeId, rentalIds, () => adopt(context, id));
}

function sorted(ids: readonly number[]): string {
  return [...ids].sort((one, other) => one - other).join(",");
}

export const volumeAttachment = defineResource<Inputs, StorageVolume>({
  type: "VolumeAttachment",
  noun: "volume attachment",
  inputs,
  timeouts: { create: "10m", delete: "10m" },
  inPlace: ["rentalIds"],
  sets: ["rentalIds"],
  isSame: (key, olds, news, isExpired) => key === "rentalIds" && lacksOnlyExpired(isExpired, olds, news),
  kind: storageVolumes,
  recordId: ({ storageVolumeId }) => String(storageVolumeId),
  fromId,
  see,
  adopt: adoptAttachment,
  async create(context) {
    const { storageVolumeId, rentalIds } = context.inputs;
    await attach(context, storageVolumeId, rentalIds);
    return { id: attachmentId(storageVolumeId, rentalIds), status: "attached", phase: "ready", observedInputs: {} };
  },
  update: (context, _id, olds) =>
    changeAttachments(context, context.inputs.storageVolumeId, numbers(olds["rentalIds"]), context.inputs.rentalIds),
  end: (context, _id, state) => detach(context, Number(state["storageVolumeId"]), numbers(state["rentalIds"])),
});

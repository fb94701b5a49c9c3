import { z } from "zod";
import {
  adopt,
  beginWithState,
  byPresentName,
  defineResource,
  everyResource,
  type Found,
  type OperationContext,
  PartialStateError,
  RefusedError,
  type Runtime,
  stateOf,
  unfinishedKey,
  type Values,
  type View,
} from "../../lifecycle";
import { attachStorageVolumeRequest, type StorageVolume } from "../../service";
import { messageOf } from "../../shared/messageOf";
import {
  adoptPairs,
  attach,
  attachedOf,
  changeAttachments,
  detach,
  doubtfulRentals,
  ensureNewAttached,
  lacksOnlyExpired,
  notExpired,
  numbers,
  storageVolumes,
} from "../storageVolume";
import { findOthers, type Others, rememberParts, wasTold, withOnly } from "./parts";

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
function see(volume: View, id: string, state: Values, runtime: Runtime): View {
  const { rentalIds, [unfinishedKey]: isHalfWay } = state;
  const own = attachedOf(volume, rentalIds, wasTold(state));
  const wanted = notExpired(runtime, numbers(rentalIds));
  const isComplete = wanted.every((rental) => own.includes(rental));
  // Where neither an answer nor the record tells, the next update attaches once more.
  const isInDoubt = isHalfWay === true && volume.outputs?.["attachedRentals"] === undefined;
  const status = isComplete ? "attached" : `attached to ${own.length} of ${wanted.length}`;
  return {
    id,
    status: isInDoubt ? "unknown" : status,
    phase: isComplete && !isInDoubt ? "ready" : "pending",
    account: volume.account,
    hasOwnId: volume.hasOwnId,
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
  const different = [
    ...(named.storageVolumeId === storageVolumeId
      ? []
      : [`storageVolumeId is ${named.storageVolumeId}, not ${storageVolumeId}`]),
    ...(sorted(named.rentalIds) === sorted(rentalIds) ? [] : [`rentalIds is [${named.rentalIds}], not [${rentalIds}]`]),
  ];
  if (different.length > 0) {
    throw new RefusedError(
      `volume attachment ${id} cannot be adopted, because it differs from the program: ${different.join("; ")}. Change the program, or remove adoptId to attach the volume.`,
    );
  }
  return adoptPairs(context, storageVolumeId, rentalIds, () => adopt(context, id));
}

function sorted(ids: readonly number[]): string {
  return [...ids].sort((one, other) => one - other).join(",");
}

/** Attaches by what the program says, unless the state shows that one of these ids is somebody else's by now. */
async function attachAsAsked(context: OperationContext<Inputs>): Promise<View> {
  const { storageVolumeId, rentalIds } = context.inputs;
  refuseOthers(await findOthers(context, {}, context.inputs), rentalIds);
  const id = attachmentId(storageVolumeId, rentalIds);
  const view: View = { id, status: "attached", phase: "ready", observedInputs: {} };
  let mayBeAttached = false;
  const onUnsure = () => {
    mayBeAttached = true;
  };
  await attach(context, storageVolumeId, rentalIds, onUnsure).catch((error: unknown) => {
    if (!mayBeAttached) throw error;
    // Nothing else would ever detach it.
    const outputs = {
      ...stateOf(context, { ...view, status: "unknown", phase: "pending" }, {}, true),
      [unfinishedKey]: true,
    };
    throw new PartialStateError(messageOf(error), id, outputs, { cause: error });
  });
  return view;
}

/** Refuses to attach what is another one than the state says. */
function refuseOthers({ volume, rentals }: Others, wanted: readonly number[], wayOut = ""): void {
  const other = volume ?? wanted.map((rental) => rentals.get(rental)).find((one) => one !== undefined);
  if (other) throw new RefusedError(`${other.why}. Nothing was attached or detached.${wayOut}`);
}

/** What is another one by now has nothing to do with the pair that was attached. */
async function changeRentals(context: OperationContext<Inputs>, id: string, olds: Values): Promise<void> {
  const { storageVolumeId, rentalIds } = context.inputs;
  const before = numbers(olds["rentalIds"]);
  const doubtful = doubtfulRentals(olds);
  const others = await findOthers(context, olds, {
    storageVolumeId,
    rentalIds: [...new Set([...before, ...doubtful, ...rentalIds])],
  });
  refuseOthers(others, rentalIds, " Run `pulumi up --refresh` if it is meant all the same.");
  const own = (rentals: readonly number[]) => rentals.filter((rental) => !others.rentals.has(rental));
  sayGone(context, storageVolumeId, others);
  const change = { before: own(before), doubtful: own(doubtful), after: rentalIds };
  await changeAttachments(context, { id, storageVolumeId, olds }, change);
}

/** Detaches what was attached, and nothing that has its id by now. */
async function detachOwn(context: OperationContext, state: Values): Promise<void> {
  const storageVolumeId = Number(state["storageVolumeId"]);
  const rentalIds = [...numbers(state["rentalIds"]), ...doubtfulRentals(state)];
  const others = await findOthers(context, state, { storageVolumeId, rentalIds });
  sayGone(context, storageVolumeId, others);
  await detach(context, storageVolumeId, leftOf(rentalIds, others));
}

/** The rentals to which the volume can still be attached. */
function leftOf(rentalIds: readonly number[], { volume, rentals }: Others): number[] {
  return volume ? [] : rentalIds.filter((rental) => !rentals.has(rental));
}

function sayGone({ runtime, urn }: OperationContext, storageVolumeId: number, { volume, rentals }: Others): void {
  const former = volume ? "the one that was attached" : `the one that volume ${storageVolumeId} was attached to`;
  for (const { what } of volume ? [volume] : rentals.values()) {
    runtime.engine.info(urn, `${what}: ${former} is gone, so nothing was detached`);
  }
}

const handler = defineResource<Inputs, StorageVolume>({
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
  create: attachAsAsked,
  /** Where nobody waits until it is ready, a request that was accepted without effect would count as attached. */
  async ensureAttached(context) {
    const { storageVolumeId, rentalIds, waitForReady } = context.inputs;
    if (!waitForReady) await ensureNewAttached(context, storageVolumeId, rentalIds);
  },
  remember: rememberParts,
  update: changeRentals,
  end: (context, _id, state) => detachOwn(context, state),
});

/** A pair is gone when what has the id of its volume or its rental is another one. */
async function read(runtime: Runtime, id: string, state: Values): Promise<Found | undefined> {
  // Whether it is the right address and account is asked first: elsewhere everything is another one.
  const found = await handler.read(runtime, id, state);
  const rentalIds = numbers(found?.outputs["rentalIds"]);
  const all = [...new Set([...rentalIds, ...numbers(state["rentalIds"]), ...doubtfulRentals(state)])];
  if (!found || all.length === 0) return found;
  const context = await byPresentName(beginWithState(handler.definition, runtime, state, id), id);
  const others = await findOthers(context, state, {
    storageVolumeId: Number(found.outputs["storageVolumeId"]),
    rentalIds: all,
  });
  if (!others.volume && others.rentals.size === 0) return found;
  const left = leftOf(rentalIds, others);
  const whats = (others.volume ? [others.volume] : [...others.rentals.values()]).map(({ what }) => what);
  const rest =
    left.length > 0
      ? "rentalIds differs from the program; `pulumi up` changes that"
      : `volume attachment ${id} no longer exists; \`pulumi up\` creates a new one if the program still has it`;
  runtime.engine.warn(context.urn, `${whats.join(", ")}: ${rest}`);
  return left.length > 0 ? handler.read(runtime, id, withOnly(left, state)) : undefined;
}

export const volumeAttachment = { ...handler, read };

import { z } from "zod";
import {
  adopt,
  defineResource,
  endAndWait,
  everyMachine,
  everyResource,
  type Operation,
  type OperationContext,
  partsKey,
  phaseOf,
  type Runtime,
  refuseMentionsOfOthers,
  requestFrom,
  type Values,
  whyMentionIsAnothers,
  withTime,
} from "../../lifecycle";
import { costPerHourOf, createStorageVolumeRequest, type StorageVolume } from "../../service";
import { showGb } from "../../shared/size";
import { mentionOfRental } from "../bareMetalRecord";
import { adoptPairs, changeAttachments, ensureAttached, lacksOnlyExpired, notExpired } from "./attachments";
import { detach } from "./detach";
import { waitUntilDetached } from "./detached";
import { canGoWith, endBeforeVolume } from "./leaving";
import { doubtfulRentals, stillDoubtful } from "./pairs";
import { attachedOf, numbers, sizeOf, storageVolumes } from "./record";

const inputs = z.strictObject({
  ...createStorageVolumeRequest.shape,
  label: createStorageVolumeRequest.shape.label.optional(),
  ...everyResource,
  adoptId: everyMachine.adoptId,
});
type Inputs = z.output<typeof inputs>;

/** What a volume of this size costs where one in the same region is already there. */
export async function priceOfVolume({ lists }: Runtime, { region, sizeInGb }: Values): Promise<number | undefined> {
  const snapshot = await lists.of(storageVolumes).latest();
  const alike = snapshot.liveItems.find((volume) => volume.region === region && costPerHourOf(volume) !== undefined);
  const size = alike && sizeOf(alike);
  const known = alike && costPerHourOf(alike);
  return known && size ? (known / size) * Number(sizeInGb) : undefined;
}

/** To which rentals the program has had it attached: a refresh may find it detached from one, and be wrong. */
async function rememberRentals(context: OperationContext, id: string, state: Values): Promise<Values> {
  const rentals = [...numbers(state["rentalIds"]), ...stillDoubtful(context, Number(id), state)];
  if (rentals.length === 0 && state[partsKey] === undefined) return {};
  return { [partsKey]: { rentals: Object.fromEntries(rentals.map((rental) => [rental, {}])) } };
}

/** A rental that the program names must be the one that the state has under this id. */
function refuseOthers(operation: Operation, rentalIds: readonly number[]): Promise<void> {
  return refuseMentionsOfOthers(operation, rentalIds.map(mentionOfRental), "attached or detached");
}

/** Those of these rentals that the service has not given their ids to others: the volume may be attached to such a one, and not by us. */
async function ownAmong(operation: Operation, rentalIds: readonly number[]): Promise<number[]> {
  const whys = await Promise.all(rentalIds.map((rental) => whyMentionIsAnothers(operation, mentionOfRental(rental))));
  for (const why of whys)
    if (why !== undefined) operation.runtime.engine.info(operation.urn, `${why}. Nothing was detached.`);
  return rentalIds.filter((_, index) => whys[index] === undefined);
}

export const storageVolume = defineResource<Inputs, StorageVolume>({
  type: "StorageVolume",
  noun: "storage volume",
  inputs,
  timeouts: { create: "10m", delete: "10m" },
  inPlace: ["rentalIds"],
  sets: ["rentalIds"],
  isSame: (key, olds, news, isExpired) => key === "rentalIds" && lacksOnlyExpired(isExpired, olds, news),
  kind: storageVolumes,
  price: ({ runtime, inputs }) => priceOfVolume(runtime, inputs),
  mentions: ({ rentalIds }) => numbers(rentalIds).map(mentionOfRental),
  async post(client, { rentalIds, ...asked }, call, runtime) {
    const request = { ...asked, rentalIds: rentalIds && notExpired(runtime, rentalIds) };
    const made = await client.createStorageVolume(requestFrom(createStorageVolumeRequest, request), call);
    return {
      id: String(made.storageVolumeId),
      label: made.label,
      status: made.status ?? "unknown",
      phase: phaseOf(made.status ?? "unknown", storageVolumes.statuses),
      region: made.region,
      observedInputs: {},
    };
  },
  adopt: (context, id) => adoptPairs(context, Number(id), context.inputs.rentalIds ?? [], () => adopt(context, id)),
  async ensureAttached(context, id) {
    const rentalIds = context.inputs.rentalIds ?? [];
    await refuseOthers(context, rentalIds);
    await ensureAttached(context, Number(id), rentalIds);
  },
  whyNotReady: ({ outputs }) =>
    numbers(outputs?.["attachedRentals"]).length > 0
      ? undefined
      : "It is not attached to a rental: if the service calls volumes active only while a rental uses them, set waitForReady: false.",
  /** Others may have attached it to further rentals; of those that the program names, which are attached is ours to know. */
  see: (record, _id, { attachedRentals, rentalIds }) => {
    // An empty one may be of an older version, which wrote that for what it was not told.
    const wasTold = numbers(attachedRentals).length > 0;
    const own = attachedOf(record, rentalIds, wasTold);
    return {
      ...record,
      outputs: {
        ...record.outputs,
        attachedRentals: record.outputs?.["attachedRentals"] ?? (wasTold ? [] : undefined),
      },
      observedInputs: { ...record.observedInputs, rentalIds: rentalIds === undefined ? undefined : own },
    };
  },
  async update(context, id, olds) {
    const after = context.inputs.rentalIds ?? [];
    await refuseOthers(context, after);
    const before = await ownAmong(context, numbers(olds["rentalIds"]));
    const doubtful = await ownAmong(context, doubtfulRentals(olds));
    const change = { before, doubtful, after };
    await changeAttachments(context, { id, storageVolumeId: Number(id), olds }, change);
  },
  remember: rememberRentals,
  contents: (_runtime, _urn, { sizeInGb }) => ({
    what: typeof sizeInGb === "number" ? `its ${showGb(sizeInGb)} of data` : "its data",
    keep: "Copy what you need first, or set protect: true to prevent the replacement",
  }),
  terminate: (client, id, call) => client.deleteStorageVolume({ storageVolumeId: Number(id) }, call),
  holdsData: true,
  async end(context, id, state) {
    const limit = context.deadline - context.runtime.clock.now();
    const rentals = [...numbers(state["rentalIds"]), ...doubtfulRentals(state)];
    const fate = await detach(context, Number(id), rentals, (one) => canGoWith(context, id, one));
    if (fate?.mayBeEarly) await endBeforeVolume(context, id, fate);
    // From then on it has as much time as if it had begun only now.
    const own = fate?.mayBeEarly ? withTime(context, limit) : context;
    const tied = fate && !fate.mayBeEarly ? fate.held.map(({ rental }) => rental) : [];
    await waitUntilDetached(own, id, { label: state["label"], tied });
    await endAndWait(own, own.definition, id, state);
  },
});

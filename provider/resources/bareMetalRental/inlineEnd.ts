import {
  concludeGone,
  endAndWait,
  findOrProveAbsent,
  findRecordOrProveAbsent,
  notListedFor,
  type Operation,
  type OperationContext,
  RefusedError,
  type Snapshot,
  sayingOf,
  showCost,
  unheld,
  unresolvedFingerprint,
  untilAnswered,
  type Values,
  type View,
  WaitTimeoutError,
  waitUntil,
  whereKey,
} from "../../lifecycle";
import { messageOf } from "../../shared/messageOf";
import { readTimestamp } from "../../shared/timestamp";
import { storageVolume, waitUntilDetached } from "../storageVolume";
import {
  candidatesIn,
  findNamed,
  findProven,
  isEnoughToEnd,
  isNamedByRecord,
  standingOf,
  volumesOf,
} from "./inlineProof";
import { keeping, keptVolume, type Sought, sizeShownBy, soughtBy } from "./inlineVolume";
import { namingInSecret } from "./namedVolume";

/** The volume that was made along with a rental; or that nothing proves which one it is, if there is one at all. */
type Found = View | "unproven" | undefined;

/** The volume that is sought for a rental that is being ended. A twin has its state from the record alone: what was there before is known of the other. */
export function soughtToEnd(context: OperationContext, rentalId: string, state: Values): Sought | undefined {
  const other = keptVolume({ ...Object(context.inputs) });
  return soughtBy(rentalId, other && !keptVolume(state) ? { ...state, ...keeping({ before: other.before }) } : state);
}

/**
 * The volume of a rental that still runs, to be ended after it: once the rental has ended, nothing shows them attached any more. A list may
 * lag behind: what the state knows of is ended whether or not the list shows it, because nobody would ever look for it again.
 */
export async function findVolumeToEnd(operation: Operation, sought: Sought, keeps: boolean): Promise<Found> {
  const { known } = sought;
  if (known.id === undefined && keeps) return findVolumeLeft(operation, sought);
  if (known.id === undefined) return (await waitForProof(operation, sought)) ?? "unproven";
  const listed = await findNamed(operation, sought, await volumesOf(operation).fresh(), known.id);
  if (listed) return judge(operation, sought, listed);
  if (!isEnoughToEnd(operation, sought)) return findVolumeLeft(operation, sought);
  return judge(operation, sought, unseenVolume(sought, known.id));
}

/** The same of a rental that is gone. */
export async function findVolumeLeft(operation: Operation, sought: Sought): Promise<Found> {
  const { known, label } = sought;
  const list = volumesOf(operation);
  const { id } = known;
  if (id === undefined) return (await findProven(operation, sought, await list.fresh())) ?? "unproven";
  const listed = await findRecordOrProveAbsent(operation, list, { id, label });
  if (listed) return judge(operation, sought, listed);
  if (isNamedByRecord(sought, await list.latest(), id)) return "unproven";
  await concludeGone(operation, storageVolume.definition, id);
  return undefined;
}

/**
 * The same after a rental has ended whose volume could not be looked up before: a rental that costs many times as much must not run on
 * for that. A volume that is kept need not be found; any other is named, and the state holds it until it is.
 */
export async function findVolumeAfter(operation: Operation, sought: Sought, keeps: boolean): Promise<Found> {
  const { id } = sought.known;
  try {
    return await findVolumeLeft(operation, sought);
  } catch (error) {
    if (keeps) return id === undefined ? "unproven" : unseenVolume(sought, id);
    const which = id === undefined ? "the storage volume created with it" : `storage volume ${id}, created with it,`;
    throw new Error(
      `rental ${sought.rentalId} has ended, but ${which} could not be looked up and may still bill: ${messageOf(error).replace(/\.$/, "")}. It stays in the state: run the same command again when the service shows it, or delete the volume by hand and remove this resource with \`pulumi state delete\`.`,
      { cause: error },
    );
  }
}

/** What the state knows of it. */
function unseenVolume({ label }: Sought, id: string): View {
  return { id, label, status: "unknown", phase: "pending", observedInputs: {} };
}

/** Whether what has its id is still it: a service may give the id of what was deleted to another one. */
async function judge(operation: Operation, sought: Sought, volume: View): Promise<Found> {
  if (volume.phase === "ended") return undefined;
  const standing = await standingOf(operation, sought, volume);
  if (standing.kind === "ours") return volume;
  if (standing.kind === "unproven") return "unproven";
  const text =
    standing.kind === "named"
      ? `${named([volume])}, which was created with rental ${sought.rentalId}, is left alone, because a rental has it as a volume that exists (storageVolume.id): it stays and bills when that one ends, too. ${toManage(volume.id)}`
      : `${named([volume])} has the id of the one that was created with rental ${sought.rentalId}, but ${standing.why}: it is left alone`;
  operation.runtime.engine.warn(operation.urn, text);
  return undefined;
}

/** Of a fresh rental lists may not show yet what is attached to it. */
async function waitForProof(operation: Operation, sought: Sought): Promise<View | undefined> {
  const { client, clock, settings } = operation.runtime;
  const list = volumesOf(operation);
  const createdAt = readTimestamp(sought.state["createdAt"]) ?? 0;
  const left = Math.min(createdAt + settings.listLagMs - client.serviceNow(), settings.listLagMs);
  if (left <= 0) return findProven(operation, sought, await list.fresh());
  let hasLooked = false;
  try {
    return await waitUntil<unknown, View>({
      operation,
      list,
      prompt: true,
      deadline: Math.min(clock.now() + left, operation.deadline),
      judge: async (snapshot) => {
        const volume = await findProven(operation, sought, snapshot);
        hasLooked = true;
        return volume ? { kind: "done", result: volume } : { kind: "pending", status: "its volume is not listed" };
      },
      progress: (status) => status,
    });
  } catch (error) {
    if (error instanceof WaitTimeoutError && hasLooked) return undefined;
    throw error;
  }
}

/** Ends the volume after its rental, or says what stays and what that costs. */
export async function endVolume(operation: Operation, sought: Sought, found: Found, keep: boolean): Promise<void> {
  if (found === undefined) return;
  if (keep) return sayKept(operation, sought, found);
  if (found === "unproven") return refuseCandidates(operation, sought);
  const urns = operation.isUndoing ? [] : await namingInSecret(operation, sought.rentalId);
  if (urns.length > 0) return refuseNamedInSecret(operation, sought, found, urns);
  const { definition } = storageVolume;
  const where = { ...Object(sought.state[whereKey]), created: found.createdAtListed };
  const state = { label: found.label, createdAt: found.createdAt, [whereKey]: where };
  await sayingOf(`${named([found])}, which was created with rental ${sought.rentalId}, is still there`, async () => {
    await waitUntilDetached(operation, found.id, { label: found.label });
    await endAndWait({ ...operation, noun: definition.noun }, definition, found.id, state);
  });
}

/** Where a rental may have it as one that exists, and the state keeps that secret, a person says so. */
async function refuseNamedInSecret(
  operation: Operation,
  { rentalId, label }: Sought,
  { id }: View,
  urns: readonly string[],
): Promise<void> {
  const volume = await findRecordOrProveAbsent(operation, volumesOf(operation), { id, label });
  if (!volume || volume.phase === "ended") return;
  throw new RefusedError(
    `${named([volume])} was created with rental ${rentalId}, and is not deleted: the state keeps secret which volume is the storageVolume of ${urns.join(" and ")}, and it may be this one. If it is, remove this resource with \`pulumi state delete\`: the volume stays. If it is not, delete the volume by hand and run this again.`,
  );
}

/** A service may make the volume of a rental that it does not make: nothing else would ever mention it. */
export async function sayLeft(operation: Operation, sought: Sought): Promise<void> {
  const snapshot = await volumesOf(operation)
    .fresh()
    .catch(() => undefined);
  if (!snapshot || (await openCandidates(operation, sought, snapshot)).length === 0) return;
  // What creates side by side have made is theirs, as soon as they are answered.
  await untilAnswered(operation, storageVolume.type);
  const left = await openCandidates(operation, sought, snapshot);
  if (left.length === 0) return;
  const [have, are, them] = left.length === 1 ? ["has", "is", "it"] : ["have", "are", "them"];
  operation.runtime.engine.warn(
    operation.urn,
    `${named(left)} ${have} come up with the label of this rental's volume, and ${are} attached to nothing. If nobody else has created ${them}, the service has, although it has not created the rental: then delete ${them} by hand, nothing else mentions ${them}.`,
  );
}

/** Says that a volume goes after its rental, in case that the run does not get there. */
export function sayNext({ runtime, urn }: Operation, { rentalId }: Sought, volume: View): void {
  runtime.engine.warn(urn, `${named([volume])} was created with rental ${rentalId}, and is deleted after it`);
}

/** Two creates of one request are this close to each other. */
const twinsWithinMs = 60_000;

/**
 * A proxy may have sent the create twice, and the end of the second rental may have been interrupted before its volume was deleted. Then
 * nothing proves whose that volume is, and nobody else would ever mention it: so it is named.
 */
export async function sayTwinVolumes(operation: Operation, sought: Sought, own: Found, keeps: boolean): Promise<void> {
  const ownVolume = typeof own === "object" ? own : undefined;
  const since = readTimestamp(ownVolume?.createdAt) ?? readTimestamp(sought.state["createdAt"]);
  const size = (ownVolume && sizeShownBy(ownVolume)) ?? sought.known.sizeInGb ?? sought.sizeInGb;
  const isTwin = (view: View) => {
    const { id, label, phase, createdAt } = view;
    return (
      id !== ownVolume?.id &&
      id !== sought.known.id &&
      label !== undefined &&
      phase !== "ending" &&
      // What one request asks for has one size, and records without a time tell nothing more.
      (sizeShownBy(view) ?? size) === size &&
      Math.abs((readTimestamp(createdAt) ?? since ?? 0) - (since ?? 0)) <= twinsWithinMs
    );
  };
  const snapshot = await volumesOf(operation)
    .latest()
    .catch(() => undefined);
  if (!snapshot?.views().some((volume) => isTwin(volume) && volume.label === sought.label)) return;
  const twins = (await openCandidates(operation, sought, snapshot)).filter(isTwin);
  if (twins.length === 0) return;
  const [have, were, are, them] = twins.length === 1 ? ["has", "was", "is", "it"] : ["have", "were", "are", "them"];
  const hasTimes = twins.every(({ createdAt }) => readTimestamp(createdAt) !== undefined);
  const time = hasTimes ? `, ${were} created at the same time` : "";
  // Of a fleet all members may have volumes of one label, made at one time, and some may be gone and have kept theirs.
  const kept = `Other rentals may have kept ${them} on purpose (keepVolume). If none has, the request was sent twice, and a second rental has left ${them} behind`;
  operation.runtime.engine.warn(
    operation.urn,
    `${named(twins)} ${have} the label of this rental's volume${time}, and ${are} attached to nothing. ${kept}: ${keeps ? "" : `then delete ${them} by hand, `}nothing else mentions ${them}.`,
  );
}

/** Nobody else would ever mention it. */
export async function sayKept(operation: Operation, sought: Sought, found: View | "unproven"): Promise<void> {
  const { engine } = operation.runtime;
  if (found !== "unproven") {
    const cost = found.costPerHour === undefined ? "" : ` and costs ${showCost(found)}`;
    return engine.info(operation.urn, `keepVolume: ${named([{ ...found, costPerHour: undefined }])} is kept${cost}`);
  }
  const snapshot = await volumesOf(operation)
    .fresh()
    .catch(() => undefined);
  const candidates = snapshot ? await openCandidates(operation, sought, snapshot) : [];
  if (candidates.length > 0)
    engine.info(operation.urn, `keepVolume: ${named(candidates)} may have been created with it`);
}

/** Where nothing proves which one it is, a person says so. */
export async function refuseCandidates(operation: Operation, sought: Sought): Promise<void> {
  const candidates = await findOrProveAbsent({
    operation,
    list: volumesOf(operation),
    find: async (snapshot) => {
      const open = await openCandidates(operation, sought, snapshot);
      return open.length > 0 ? open : undefined;
    },
    progress: notListedFor,
  });
  if (!candidates) return;
  const rental = unresolvedFingerprint(sought.rentalId) === undefined ? `rental ${sought.rentalId}` : "this rental";
  const made = `created with ${rental} is not known`;
  throw new RefusedError(
    candidates.length === 1
      ? `whether ${named(candidates)} was ${made}, so it is not deleted. If it was, delete it by hand and run this again. If it was not, remove this resource with \`pulumi state delete\`.`
      : `which of the ${named(candidates)} was ${made}, so none of them is deleted. Delete the right one by hand, then remove this resource with \`pulumi state delete\`.`,
  );
}

/** Those that no stack of the backend holds. */
async function openCandidates(operation: Operation, sought: Sought, snapshot: Snapshot<unknown>): Promise<View[]> {
  return unheld({ ...operation, type: "StorageVolume" }, await candidatesIn(operation, sought, snapshot));
}

export function toManage(id: string): string {
  return `To have it managed, declare a StorageVolume with adoptId: ${id}.`;
}

/** Without their label: the program may have it as a secret. */
export function named(volumes: readonly View[]): string {
  const each = volumes.map((volume) => {
    const facts = [volume.size, showCost(volume)].filter(Boolean).join(", ");
    return facts ? `${volume.id} (${facts})` : volume.id;
  });
  return `storage ${each.length === 1 ? "volume" : "volumes"} ${each.join(", ")}`;
}

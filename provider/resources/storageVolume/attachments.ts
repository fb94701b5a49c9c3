import { BadRequestError, NotFoundError, OperationUnavailableError, OutcomeUnknownError } from "../../client";
import {
  callFor,
  EndRefusedError,
  findOrProveAbsent,
  type IsExpired,
  notListedFor,
  type Operation,
  type Runtime,
  type Snapshot,
  type StateEntry,
  type Values,
  WaitFailedError,
  WaitTimeoutError,
  waitUntil,
} from "../../lifecycle";
import { refusalIn } from "../../service";
import { numbers, storageVolumes } from "./record";

/** What this process knows of a volume and a rental that belong together is kept under this name. */
const pair = "attachment";

const keyOf = (storageVolumeId: number, rental: number) => `${storageVolumeId}:${rental}`;

/** Attaches the volume to the rentals. Those that are attached already are fine. */
export async function attach(operation: Operation, storageVolumeId: number, wanted: number[]): Promise<void> {
  const rentalIds = notExpired(operation.runtime, wanted);
  if (rentalIds.length === 0) return;
  const { client, memory } = operation.runtime;
  const keys = rentalIds.map((rental) => keyOf(storageVolumeId, rental));
  await memory.inTurn(keys, async () => {
    for (const key of keys) memory.claim(pair, key);
    await reach(operation, { storageVolumeId, rentalIds, goal: "attached" }, () =>
      client.attachStorageVolume({ storageVolumeId, rentalIds }, callFor(operation)),
    );
  });
}

/** Whether a rental has expired and ended: nothing can be attached to it any more. */
function hasEnded(isExpired: IsExpired, rental: number): boolean {
  return isExpired("BareMetalRental", String(rental));
}

/** The rentals that something can be attached to. They came by before what is attached to them. */
export function notExpired({ memory }: Runtime, rentals: readonly number[]): number[] {
  return rentals.filter((rental) => !hasEnded((...one) => memory.isExpired(...one), rental));
}

/** Whether all that is still to be attached has expired. */
export function lacksOnlyExpired(isExpired: IsExpired, olds: Values, news: Values): boolean {
  const [before, after] = [numbers(olds["rentalIds"]), numbers(news["rentalIds"])];
  const isKept = before.every((rental) => after.includes(rental));
  return isKept && after.every((rental) => before.includes(rental) || hasEnded(isExpired, rental));
}

/** Takes over pairs that are attached already: whoever held them before in this process lets go of them without detaching. */
export async function adoptPairs<Result>(
  operation: Operation,
  storageVolumeId: number,
  rentalIds: readonly number[],
  adopt: () => Promise<Result>,
): Promise<Result> {
  const { memory } = operation.runtime;
  const keys = rentalIds.map((rental) => keyOf(storageVolumeId, rental));
  return memory.inTurn(keys, async () => {
    const adopted = await adopt();
    for (const key of keys) memory.claim(pair, key);
    return adopted;
  });
}

/** Detaches the volume from the rentals. Those that are not attached are fine; those that another resource holds stay. */
export async function detach(operation: Operation, storageVolumeId: number, rentalIds: number[]): Promise<void> {
  const { client, engine, memory, state } = operation.runtime;
  if (rentalIds.length === 0) return;
  const entries = (await state.entries(operation.stack)) ?? [];
  const keys = rentalIds.map((rental) => keyOf(storageVolumeId, rental));
  await memory.inTurn(keys, async () => {
    const own = rentalIds.filter((rental) => isLast(operation, entries, keyOf(storageVolumeId, rental)));
    if (own.length === 0) return;
    try {
      await reach(operation, { storageVolumeId, rentalIds: own, goal: "detached" }, () =>
        client.detachStorageVolume({ storageVolumeId, rentalIds: own }, { deadline: operation.deadline }),
      );
    } catch (error) {
      if (!(error instanceof OperationUnavailableError)) throw error;
      engine.warn(
        operation.urn,
        `volume ${storageVolumeId} stays attached to ${own.join(", ")}, because the service has no detach operation; the attachment ends with the rental`,
      );
    }
  });
}

/**
 * Whether no other resource holds this pair: none that has attached it in this process, and none that the state has. A pair that
 * moves from one resource to another (a rename, a swap, to or from `rentalIds`) stays attached.
 */
function isLast({ runtime: { memory } }: Operation, entries: readonly StateEntry[], key: string): boolean {
  if (memory.isClaimed(pair, key)) return false;
  const holders = entries.filter((entry) => pairsOf(entry).includes(key)).length - memory.deletionsOf(pair, key);
  memory.noteDeletion(pair, key);
  return holders <= 1;
}

function pairsOf({ type, id, outputs }: StateEntry): string[] {
  if (type !== "VolumeAttachment" && type !== "StorageVolume") return [];
  const volume = Number(type === "StorageVolume" ? id : outputs["storageVolumeId"]);
  return numbers(outputs["rentalIds"]).map((rental) => keyOf(volume, rental));
}

/** Attaches what is new and detaches what is no longer wanted. */
export async function changeAttachments(
  operation: Operation,
  storageVolumeId: number,
  before: readonly number[],
  after: readonly number[],
): Promise<void> {
  const without = (rentals: readonly number[], others: readonly number[]) =>
    rentals.filter((rental) => !others.includes(rental));
  await attach(operation, storageVolumeId, without(after, before));
  await detach(operation, storageVolumeId, without(before, after));
}

/**
 * Makes sure that lists show the volume attached to the rentals: a create or an attach that was answered may have had no effect, or not
 * all of it. What they still do not show after as long as lists may lag has failed.
 */
export async function ensureAttached(operation: Operation, storageVolumeId: number, wanted: number[]): Promise<void> {
  const { clock, lists, settings } = operation.runtime;
  const rentalIds = notExpired(operation.runtime, wanted);
  if (rentalIds.length === 0) return;
  const latest = await lists
    .of(storageVolumes)
    .latest()
    .catch(() => undefined);
  if (latest && missingIn(latest, storageVolumeId, rentalIds)?.length === 0) return;
  const missing = await waitForPairs(operation, storageVolumeId, rentalIds, clock.now() + patience);
  if (missing?.length === 0) return;
  await attach(operation, storageVolumeId, missing ?? rentalIds);
  const left = await waitForPairs(operation, storageVolumeId, rentalIds, clock.now() + settings.listLagMs);
  // What is not listed at all is not known to be detached.
  if (!left || left.length === 0) return;
  throw new WaitFailedError(
    `the service accepted to attach it to ${left.length === 1 ? "rental" : "rentals"} ${left.join(", ")}, but did not`,
  );
}

/** Those that the record does not show; undefined where the list does not show the record. */
function missingIn(snapshot: Snapshot<unknown>, volume: number, rentalIds: readonly number[]): number[] | undefined {
  const id = String(volume);
  const record = snapshot.isUnreadable(id) ? undefined : snapshot.find(id);
  if (!record) return undefined;
  const attached = numbers(record.outputs?.["attachedRentals"]);
  return rentalIds.filter((rental) => !attached.includes(rental));
}

/** Waits until lists show the pairs. Gives what the last of them lacked. */
async function waitForPairs(
  operation: Operation,
  storageVolumeId: number,
  rentalIds: readonly number[],
  until: number,
): Promise<number[] | undefined> {
  let missing: number[] | undefined;
  try {
    return await waitUntil<unknown, number[]>({
      operation,
      list: operation.runtime.lists.of(storageVolumes),
      prompt: true,
      deadline: Math.min(until, operation.deadline),
      judge: (snapshot) => {
        missing = missingIn(snapshot, storageVolumeId, rentalIds);
        if (missing?.length === 0) return { kind: "done", result: missing };
        return { kind: "pending", status: missing ? `not attached to ${missing.join(", ")}` : "not listed" };
      },
      progress: (status) => status,
    });
  } catch (error) {
    if (error instanceof WaitTimeoutError) return missing;
    throw error;
  }
}

/** Before a lost request is sent again. */
const pause = 2000;
/** How long a volume that is not active yet may refuse what it accepts later. */
const youth = 120_000;
/** How long a list may take to show that what was refused holds all the same. */
const patience = 5000;

/** How a volume and rentals are to be. */
interface Wanted {
  storageVolumeId: number;
  rentalIds: readonly number[];
  goal: "attached" | "detached";
}

/** Whether its record shows that; undefined where the list lacks the record, which says nothing of what it is attached to. */
function holds(snapshot: Snapshot<unknown>, { storageVolumeId, rentalIds, goal }: Wanted): boolean | undefined {
  const missing = missingIn(snapshot, storageVolumeId, rentalIds);
  return missing && missing.length === (goal === "attached" ? 0 : rentalIds.length);
}

/**
 * Sends a request until its reply arrives: attaching twice is attaching once, whereas a list that lags behind could show what
 * was before. Where it is refused, things may be as they should be all the same, and only the list can tell.
 */
async function reach(operation: Operation, wanted: Wanted, send: () => Promise<unknown>): Promise<void> {
  const { clock, lists } = operation.runtime;
  const list = lists.of(storageVolumes);
  const startedAt = clock.now();
  for (let sent = 1; ; sent += 1) {
    const since = list.cursor();
    const trouble = await troubleWith(send);
    if (!trouble) {
      // A 2xx without an effect is seen in the list. One that lags says the same for a while: after a few times it is believed.
      if (sent >= mostTimes || (await look(operation, since, (snapshot) => holds(snapshot, wanted) || undefined)))
        return;
      continue;
    }
    if (trouble.isRefused) {
      const seen = await look(operation, since, (snapshot) => {
        const isSo = holds(snapshot, wanted);
        if (isSo !== false) return isSo && "holds";
        const isPending = snapshot.find(String(wanted.storageVolumeId))?.phase === "pending";
        return isPending && clock.now() - startedAt < youth ? "young" : "refused";
      });
      if (seen === "holds") return;
      if (seen === undefined && wanted.goal === "detached" && (await isGone(operation, wanted.storageVolumeId))) return;
      if (seen === "refused" || (seen === undefined && wanted.goal === "attached"))
        throw new WaitFailedError(trouble.error.message);
    }
    if (clock.now() + pause >= operation.deadline) throw trouble.error;
    await clock.sleep(pause);
  }
}

/** How often a request is sent that the service accepts and that lists do not show. */
const mostTimes = 3;

/** What the judge makes of the lists of the next moment; undefined if it makes nothing of any of them. */
async function look<Result>(
  operation: Operation,
  since: number,
  judge: (snapshot: Snapshot<unknown>) => Result | undefined,
): Promise<Result | undefined> {
  const { clock, lists } = operation.runtime;
  try {
    return await waitUntil<unknown, Result>({
      operation,
      list: lists.of(storageVolumes),
      prompt: true,
      since,
      deadline: Math.min(clock.now() + patience, operation.deadline),
      judge: (snapshot) => {
        const result = judge(snapshot);
        return result === undefined ? { kind: "pending", status: "not as asked for" } : { kind: "done", result };
      },
    });
  } catch (error) {
    if (error instanceof WaitTimeoutError) return undefined;
    throw error;
  }
}

/** Whether the volume itself is gone, and what it was attached to with it. */
async function isGone(operation: Operation, storageVolumeId: number): Promise<boolean> {
  const found = await findOrProveAbsent({
    operation,
    list: operation.runtime.lists.of(storageVolumes),
    find: (snapshot) => snapshot.find(String(storageVolumeId)),
    isConclusive: (snapshot) => snapshot.namesEverything,
    progress: notListedFor,
  });
  return found === undefined;
}

/** Undefined when all went well. What cannot be met by looking at the list is thrown. */
async function troubleWith(send: () => Promise<unknown>): Promise<{ error: Error; isRefused: boolean } | undefined> {
  try {
    const answer = await send();
    const refusal = refusalIn(bodyOf(answer));
    return refusal === undefined ? undefined : { error: new EndRefusedError(refusal), isRefused: true };
  } catch (error) {
    if (error instanceof BadRequestError || error instanceof NotFoundError) return { error, isRefused: true };
    if (error instanceof OutcomeUnknownError) return { error, isRefused: false };
    throw error;
  }
}

/** A detach hands on its body as it came: some services put their errors into the body of a 200. */
function bodyOf(answer: unknown): unknown {
  return typeof answer === "object" && answer !== null && "body" in answer ? answer.body : undefined;
}

import { OutcomeUnknownError } from "../../client";
import {
  callFor,
  type IsExpired,
  type Operation,
  PartialStateError,
  type Runtime,
  unfinishedKey,
  type Values,
  WaitFailedError,
  WaitTimeoutError,
  waitUntil,
} from "../../lifecycle";
import { messageOf } from "../../shared/messageOf";
import { detach } from "./detach";
import { rentalsIn } from "./detached";
import { claimedAmong, claimPairs, inTurn } from "./pairs";
import { missingIn, PairRefusedError, patience, reach } from "./reach";
import { numbers, storageVolumes } from "./record";

/** Attaches the volume to the rentals. Those that are attached already are fine. `onUnsure` is called where that failed, and some may be attached all the same. */
export async function attach(
  operation: Operation,
  storageVolumeId: number,
  wanted: number[],
  onUnsure: () => void = () => undefined,
): Promise<void> {
  const rentalIds = notExpired(operation.runtime, wanted);
  if (rentalIds.length === 0) return;
  const { client } = operation.runtime;
  await inTurn(operation, storageVolumeId, rentalIds, async () => {
    let wasReached = false;
    const send = async (asked: number[]) => {
      try {
        const answer = await client.attachStorageVolume({ storageVolumeId, rentalIds: asked }, callFor(operation));
        wasReached = true;
        return answer;
      } catch (error) {
        wasReached ||= error instanceof OutcomeUnknownError;
        throw error;
      }
    };
    try {
      await reach(operation, { storageVolumeId, rentalIds, goal: "attached" }, send);
    } catch (error) {
      // What nothing has attached is not claimed: whoever had it before detaches it.
      if (error instanceof PairRefusedError ? !error.isPartly : !wasReached) throw error;
      claimPairs(operation, storageVolumeId, rentalIds);
      onUnsure();
      throw error;
    }
    claimPairs(operation, storageVolumeId, rentalIds);
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
  return inTurn(operation, storageVolumeId, rentalIds, async () => {
    const adopted = await adopt();
    claimPairs(operation, storageVolumeId, rentalIds);
    return adopted;
  });
}

/** What a state has of a resource that attaches. */
export interface Attaching {
  id: string;
  storageVolumeId: number;
  olds: Values;
}

/**
 * Attaches what is new and detaches what is no longer wanted. Where that fails half-way, the state has both: also an attach that failed may
 * have had its effect. After that all are attached once more, which changes nothing where they are.
 */
export async function changeAttachments(
  operation: Operation,
  { id, storageVolumeId, olds }: Attaching,
  { before, doubtful, after }: { before: readonly number[]; doubtful: readonly number[]; after: readonly number[] },
): Promise<void> {
  const without = (rentals: readonly number[], others: readonly number[]) =>
    rentals.filter((rental) => !others.includes(rental));
  const isHalfWay = olds[unfinishedKey] === true;
  try {
    await attach(operation, storageVolumeId, isHalfWay ? [...after] : without(after, before));
    await detach(operation, storageVolumeId, without([...before, ...doubtful], after));
  } catch (error) {
    const outputs = { ...olds, rentalIds: [...before, ...without(after, before)], [unfinishedKey]: true };
    throw new PartialStateError(messageOf(error), id, outputs, { cause: error });
  }
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
    `the service accepted to attach volume ${storageVolumeId} to ${rentalsIn(left)}, but did not`,
  );
}

/** The same of those that this process has attached. Of those before them a rental may have ended since, and needs no volume. */
export function ensureNewAttached(operation: Operation, storageVolumeId: number, wanted: number[]): Promise<void> {
  return ensureAttached(operation, storageVolumeId, claimedAmong(operation, storageVolumeId, wanted));
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

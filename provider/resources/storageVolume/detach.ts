import { OperationUnavailableError, OutcomeUnknownError } from "../../client";
import {
  callFor,
  findRecordOrProveAbsent,
  type Operation,
  originKey,
  type StateEntry,
  WaitFailedError,
} from "../../lifecycle";
import { messageOf } from "../../shared/messageOf";
import { hasSecret } from "../../shared/secretValue";
import { inQuotes } from "../../shared/shell";
import { bareMetalRentals } from "../bareMetalRecord";
import { rentalsIn } from "./detached";
import { holdersOfPairs, inTurn, releasePairs } from "./pairs";
import { PairRefusedError, reach } from "./reach";

/**
 * Detaches the volume from the rentals. Those that are not attached are fine; those that another resource or stack holds stay. Gives
 * the rentals from which the service does not detach it, and which this run ends: the attachment ends with them.
 */
export async function detach(operation: Operation, storageVolumeId: number, rentalIds: number[]): Promise<Leaving[]> {
  if (rentalIds.length === 0) return [];
  const entries = await holdersOfPairs(operation);
  return inTurn(operation, storageVolumeId, rentalIds, async () => {
    const own = await releasePairs(operation, entries, storageVolumeId, rentalIds);
    return letGo(operation, storageVolumeId, own);
  });
}

/**
 * A service that has no way to detach, or refuses it while the rental runs, must not keep the rental from being ended: that comes after
 * this. Nor must one that refuses it once the rental has ended.
 */
async function letGo(operation: Operation, storageVolumeId: number, rentals: number[]): Promise<Leaving[]> {
  if (rentals.length === 0) return [];
  const { client, engine } = operation.runtime;
  const sayLeft = (why: string) =>
    engine.warn(
      operation.urn,
      `volume ${storageVolumeId} stays attached to ${rentals.join(", ")}, because ${why}; the attachment ends with the rental`,
    );
  try {
    const mayStay = async () => (await leavingAmong(operation, rentals)) !== undefined;
    await reach(operation, { storageVolumeId, rentalIds: rentals, goal: "detached", mayStay }, () =>
      client.detachStorageVolume({ storageVolumeId, rentalIds: rentals }, { deadline: operation.deadline }),
    );
    return [];
  } catch (error) {
    if (error instanceof OperationUnavailableError) {
      sayLeft("the service has no detach operation");
      return (await leavingAmong(operation, rentals)) ?? [];
    }
    const isRefused = error instanceof PairRefusedError;
    if (!isRefused && !(error instanceof OutcomeUnknownError)) throw error;
    const reason = error.message.replace(/\.$/, "");
    const ended = await endedAmong(operation, rentals);
    if (ended.length > 0) {
      engine.warn(
        operation.urn,
        `${rentalsIn(ended)} ended, so volume ${storageVolumeId} counts as detached there, although the service did not detach it: ${reason}`,
      );
      const left = rentals.filter((rental) => !ended.includes(rental));
      return letGo(operation, storageVolumeId, left);
    }
    const leaving = await leavingAmong(operation, rentals);
    if (leaving) {
      sayLeft(`the service ${isRefused ? "refused to detach it" : "does not answer a detach"}: ${reason}`);
      return leaving;
    }
    throw isRefused ? new WaitFailedError(`${reason}. ${wayOut(operation)}`, { cause: error }) : error;
  }
}

function wayOut({ type, urn }: Operation): string {
  const byHand = "It stays in the state: detach it in the service's console and run this again.";
  // A volume that no state has would bill on.
  if (type === "StorageVolume") return byHand;
  return `${byHand} It also ends with the rental: \`pulumi state delete ${inQuotes(urn)}\` leaves it attached until then.`;
}

/** Those that are listed as ended, or that all lists lack for as long as they may lag. */
async function endedAmong(operation: Operation, rentals: readonly number[]): Promise<number[]> {
  const list = operation.runtime.lists.of(bareMetalRentals);
  const hasEnded = async (rental: number) => {
    const record = await findRecordOrProveAbsent(operation, list, { id: String(rental) });
    return record === undefined || record.phase === "ended";
  };
  const isEnded = await Promise.all(rentals.map((rental) => hasEnded(rental).catch(() => false)));
  return rentals.filter((_, index) => isEnded[index]);
}

/** A rental that this run ends, and what of the state holds it. */
export interface Leaving {
  rental: number;
  entries: readonly StateEntry[];
}

/**
 * These rentals, if this run ends all of them: it is a destroy of everything; or the state has them, and the program no longer does, or has
 * another one instead. What another provider has, only a destroy ends for certain: its process alone knows the program.
 */
async function leavingAmong({ runtime, stack }: Operation, rentals: readonly number[]): Promise<Leaving[] | undefined> {
  const { engine, memory, state } = runtime;
  if ((await engine.scope()) === "partial") return undefined;
  const endsAll = await engine.endsAll();
  const entries = (await state.entries(stack, { now: true })) ?? [];
  const isLeft = ({ type, id, urn, isAnothers }: StateEntry) =>
    endsAll || (!isAnothers && !memory.isInProgram(urn) && memory.wantedBy(type, id) === undefined);
  const isLeaving = (entry: StateEntry) => !entry.isKept && (entry.isReplaced || isLeft(entry));
  const leaving = rentals.map((rental) => ({
    rental,
    entries: entries.filter(({ type, id }) => type === "BareMetalRental" && id === String(rental)),
  }));
  const isEach = leaving.every(({ entries: holders }) => holders.length > 0 && holders.every(isLeaving));
  return isEach ? leaving : undefined;
}

/**
 * Ends the rentals that keep a volume from being deleted, before their turn: the engine ends a volume that names its rentals before
 * them. Only in a destroy of everything: in any other run the program may still have them, although nothing has shown it yet. Not
 * what the state does not show in full either. Returns whether there were any, and all of them have ended.
 */
export async function endBeforeVolume(operation: Operation, leaving: readonly Leaving[]): Promise<boolean> {
  const { runtime, stack, urn } = operation;
  const { engine, memory } = runtime;
  if (leaving.length === 0 || !(await engine.endsAll())) return false;
  // What was imported and never agreed with is not terminated, and ciphertext tells nothing.
  const isPlain = ({ importId, outputs }: StateEntry) => importId === undefined && !hasSecret(outputs);
  if (!leaving.every(({ entries }) => entries.every(isPlain))) return false;
  await callFor(operation).beforeAttempt?.();
  engine.info(urn, `${rentalsIn(leaving.map(({ rental }) => rental))} must end before the volume can be deleted`);
  const ends = leaving.map(({ rental, entries }) =>
    memory.endEarly("BareMetalRental", String(rental), async () => {
      for (const entry of entries) {
        const origin = `${stack.organization}/${entry.urn}`;
        await runtime.deleteEntry({ ...entry, outputs: { [originKey]: origin, ...entry.outputs } });
      }
    }),
  );
  const failed = (await Promise.allSettled(ends)).flatMap((end) => (end.status === "rejected" ? [end.reason] : []));
  if (failed.length > 0) throw new WaitFailedError(failed.map(messageOf).join("; "), { cause: failed[0] });
  return true;
}

import { OperationUnavailableError, OutcomeUnknownError } from "../../client";
import { findRecordOrProveAbsent, type Operation, WaitFailedError } from "../../lifecycle";
import { inQuotes } from "../../shared/shell";
import { bareMetalRentals } from "../bareMetalRecord";
import { rentalsIn } from "./detached";
import { type Fate, fateOf } from "./leaving";
import { holdersOfPairs, inTurn, releasePairs } from "./pairs";
import { PairRefusedError, reach } from "./reach";

/** Whether it is enough that these rentals end in this run, and the attachment with them. */
type IsEnough = (fate: Fate) => Promise<boolean>;

/**
 * Detaches the volume from the rentals. Those that are not attached are fine; those that another resource or stack holds stay. Gives
 * what becomes of the rentals from which the service does not detach it, where it is enough that this run ends them.
 */
export async function detach(
  operation: Operation,
  storageVolumeId: number,
  rentalIds: number[],
  isEnough: IsEnough = async () => true,
): Promise<Fate | undefined> {
  if (rentalIds.length === 0) return undefined;
  const entries = await holdersOfPairs(operation);
  return inTurn(operation, storageVolumeId, rentalIds, async () => {
    const own = await releasePairs(operation, entries, storageVolumeId, rentalIds);
    return letGo(operation, storageVolumeId, own, isEnough);
  });
}

/**
 * A service that has no way to detach, or refuses it while the rental runs, must not keep the rental from being ended: that comes after
 * this. Nor must one that refuses it once the rental has ended.
 */
async function letGo(
  operation: Operation,
  storageVolumeId: number,
  rentals: number[],
  isEnough: IsEnough,
): Promise<Fate | undefined> {
  if (rentals.length === 0) return undefined;
  const { client, engine } = operation.runtime;
  const sayLeft = (why: string) =>
    engine.warn(
      operation.urn,
      `volume ${storageVolumeId} stays attached to ${rentals.join(", ")}, because ${why}; the attachment ends with the rental`,
    );
  const findEnd = async () => {
    const fate = await fateOf(operation, rentals);
    return fate.isEnd && (await isEnough(fate)) ? fate : undefined;
  };
  try {
    const mayStay = async () => (await findEnd()) !== undefined;
    await reach(operation, { storageVolumeId, rentalIds: rentals, goal: "detached", mayStay }, (asked) =>
      client.detachStorageVolume({ storageVolumeId, rentalIds: asked }, { deadline: operation.deadline }),
    );
    return undefined;
  } catch (error) {
    const isMissing = error instanceof OperationUnavailableError;
    const isRefused = isMissing || error instanceof PairRefusedError;
    if (!isRefused && !(error instanceof OutcomeUnknownError)) throw error;
    const reason = isMissing ? "the service has no detach operation" : error.message.replace(/\.$/, "");
    const ended = await endedAmong(operation, rentals);
    if (ended.length > 0) {
      engine.warn(
        operation.urn,
        `${rentalsIn(ended)} ended, so volume ${storageVolumeId} counts as detached there, although the service did not detach it: ${reason}`,
      );
      const left = rentals.filter((rental) => !ended.includes(rental));
      return letGo(operation, storageVolumeId, left, isEnough);
    }
    const end = await findEnd();
    // An attachment costs nothing, and the rental must end all the same. A volume cannot go before its rental.
    const maySkip = isMissing && !(operation.type === "StorageVolume" && operation.isDelete);
    if (end || maySkip) {
      const did = isRefused ? "refused to detach it" : "does not answer a detach";
      sayLeft(isMissing ? reason : `the service ${did}: ${reason}`);
      return end;
    }
    if (!isRefused) throw error;
    const why = isMissing ? `volume ${storageVolumeId} is attached to ${rentalsIn(rentals)}, and ${reason}` : reason;
    throw new WaitFailedError(`${why}. ${await wayOut(operation, rentals)}`, { cause: error });
  }
}

async function wayOut(operation: Operation, rentals: readonly number[]): Promise<string> {
  const { isDelete, type, urn } = operation;
  const byHand = "It stays in the state: detach it in the service's console";
  const again = "and run this again.";
  if (type !== "StorageVolume")
    return `${byHand} ${again} It also ends with the rental: \`pulumi state delete ${inQuotes(urn)}\` leaves it attached until then.`;
  // A volume that no state has would bill on.
  const { wouldBeEarly } = await fateOf(operation, rentals);
  if (!isDelete || !wouldBeEarly) return `${byHand} ${again}`;
  return `${byHand}, or terminate ${rentalsIn(rentals)} there, ${again} A \`pulumi destroy\` of the whole stack terminates ${rentals.length === 1 ? "that" : "them"} first.`;
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

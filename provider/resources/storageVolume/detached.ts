import {
  beforeDeadline,
  isProvenAbsence,
  type Operation,
  WaitFailedError,
  WaitTimeoutError,
  waitUntil,
} from "../../lifecycle";
import { bareMetalRentals } from "../bareMetalRecord";
import { holderOfPair } from "./pairs";
import { numbers, storageVolumes } from "./record";

/**
 * A volume cannot be deleted while it is attached; a rental that is being ended lets go of it when it has ended. Where its record
 * still names that one after as long as lists may lag, it is detached by request, and what the service says to the delete decides.
 * From the `tied` ones the service does not detach it.
 */
export async function waitUntilDetached(
  operation: Operation,
  id: string,
  { label, tied = [] }: { label: unknown; tied?: readonly number[] },
): Promise<void> {
  let attached: number[] = [];
  const { client, clock, lists, settings } = operation.runtime;
  const listedBy = clock.now() + settings.listLagMs;
  try {
    const left = await waitUntil<unknown, number[]>({
      operation,
      prompt: true,
      list: lists.of(storageVolumes),
      judge: async (snapshot) => {
        const view = snapshot.find(id, label);
        // A list that leaves it out does not say that nothing has it.
        if (!view && clock.now() < listedBy) return { kind: "pending", status: "not listed" };
        attached = view ? numbers(view.outputs?.["attachedRentals"]) : [];
        const isStale = attached.length > 0 && clock.now() >= listedBy && (await haveEnded(operation, attached));
        return attached.length === 0 || isStale
          ? { kind: "done", result: attached }
          : { kind: "pending", status: `attached to ${rentalsIn(attached)}` };
      },
      progress: (status) => status,
    });
    if (left.length === 0) return;
    const { deadline } = operation;
    await client
      .detachStorageVolume({ storageVolumeId: Number(id), rentalIds: left }, { deadline })
      .catch(() => undefined);
  } catch (error) {
    if (!(error instanceof WaitTimeoutError) || attached.length === 0) throw error;
    throw new WaitFailedError(`${error.message}. ${await wayOut(operation, Number(id), { attached, tied })}`, {
      cause: error,
    });
  }
}

/** Whether all of these rentals are listed as ended; or, of those that this process has ended or found gone, missing for as long as lists may lag. */
async function haveEnded(operation: Operation, rentals: readonly number[]): Promise<boolean> {
  const { clock, lists, memory } = operation.runtime;
  const list = lists.of(bareMetalRentals);
  const snapshot = await beforeDeadline(clock, operation.deadline, () => list.fresh()).catch(() => undefined);
  if (!snapshot) return false;
  return rentals.map(String).every((id) => {
    if (snapshot.has(id)) return snapshot.ended(id, undefined);
    const isOurs = memory.isEnding("BareMetalRental", id);
    return isOurs && snapshot.provesAbsence(undefined) && isProvenAbsence(operation, list.absenceOf(id, undefined));
  });
}

/** `rental 1001`, `rentals 1001, 1002` */
export function rentalsIn(ids: readonly number[]): string {
  return `${ids.length === 1 ? "rental" : "rentals"} ${ids.join(", ")}`;
}

async function wayOut(
  operation: Operation,
  storageVolumeId: number,
  { attached: rentals, tied }: { attached: readonly number[]; tied: readonly number[] },
): Promise<string> {
  const left = rentals.filter((rental) => tied.includes(rental));
  if (left.length > 0)
    return `The service does not detach it while the rental runs: terminate ${rentalsIn(left)} in the service's console, then run this again.`;
  const held: string[] = [];
  for (const rental of rentals) {
    const holder = await holderOfPair(operation, storageVolumeId, rental);
    if (holder !== undefined) held.push(`${holder} holds it on rental ${rental}: remove it there.`);
  }
  const others =
    held.length === 0 ? "No stack of this backend holds that attachment: detach" : `${held.join(" ")} Or detach`;
  return `${others} volume ${storageVolumeId} in the service's console, or wait until ${rentalsIn(rentals)} ${rentals.length === 1 ? "has" : "have"} ended. Then run this again.`;
}

import { type Operation, WaitFailedError, WaitTimeoutError, waitUntil } from "../../lifecycle";
import { holderOfPair } from "./pairs";
import { numbers, storageVolumes } from "./record";

/** A volume cannot be deleted while it is attached; a rental that is being ended lets go of it when it has ended. */
export async function waitUntilDetached(operation: Operation, id: string, label: unknown): Promise<void> {
  let attached: number[] = [];
  const { clock, lists, settings } = operation.runtime;
  const listedBy = clock.now() + settings.listLagMs;
  try {
    await waitUntil({
      operation,
      prompt: true,
      list: lists.of(storageVolumes),
      judge: (snapshot) => {
        const view = snapshot.find(id, label);
        // A list that leaves it out does not say that nothing has it.
        if (!view && clock.now() < listedBy) return { kind: "pending", status: "not listed" };
        attached = view ? numbers(view.outputs?.["attachedRentals"]) : [];
        return attached.length === 0
          ? { kind: "done", result: undefined }
          : { kind: "pending", status: `attached to ${rentalsIn(attached)}` };
      },
      progress: (status) => status,
    });
  } catch (error) {
    if (!(error instanceof WaitTimeoutError) || attached.length === 0) throw error;
    throw new WaitFailedError(`${error.message}. ${await wayOut(operation, Number(id), attached)}`, { cause: error });
  }
}

/** `rental 1001`, `rentals 1001, 1002` */
export function rentalsIn(ids: readonly number[]): string {
  return `${ids.length === 1 ? "rental" : "rentals"} ${ids.join(", ")}`;
}

async function wayOut(operation: Operation, storageVolumeId: number, rentals: readonly number[]): Promise<string> {
  const held: string[] = [];
  for (const rental of rentals) {
    const holder = await holderOfPair(operation, storageVolumeId, rental);
    if (holder !== undefined) held.push(`${holder} holds it on rental ${rental}: remove it there.`);
  }
  const others =
    held.length === 0 ? "No stack of this backend holds that attachment: detach" : `${held.join(" ")} Or detach`;
  return `${others} volume ${storageVolumeId} in the service's console, or wait until ${rentalsIn(rentals)} ${rentals.length === 1 ? "has" : "have"} ended. Then run this again.`;
}

import { BadRequestError, NotFoundError, OperationUnavailableError, OutcomeUnknownError } from "../../client";
import { callFor, type Operation, waitUntil } from "../../lifecycle";
import { storageVolumes } from "./record";

/** Attaches the volume to the rentals. Those that are attached already are fine. */
export async function attach(operation: Operation, storageVolumeId: number, rentalIds: number[]): Promise<void> {
  if (rentalIds.length === 0) return;
  const { client } = operation.runtime;
  await reach(
    operation,
    storageVolumeId,
    (attached) => rentalIds.every((rental) => attached.includes(rental)),
    () => client.attachStorageVolume({ storageVolumeId, rentalIds }, callFor(operation)),
  );
}

/** Detaches the volume from the rentals. Those that are not attached are fine. */
export async function detach(operation: Operation, storageVolumeId: number, rentalIds: number[]): Promise<void> {
  if (rentalIds.length === 0) return;
  const { client, engine } = operation.runtime;
  try {
    await reach(
      operation,
      storageVolumeId,
      (attached) => !rentalIds.some((rental) => attached.includes(rental)),
      () => client.detachStorageVolume({ storageVolumeId, rentalIds }, { deadline: operation.deadline }),
    );
  } catch (error) {
    if (!(error instanceof OperationUnavailableError)) throw error;
    engine.warn(
      operation.urn,
      `volume ${storageVolumeId} stays attached to ${rentalIds.join(", ")}, because the service has no way to detach it; the attachment ends with the rental`,
    );
  }
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

/** Before a lost request is sent again. */
const pause = 2000;
/** How long a list may take to show that what was refused holds all the same. */
const patience = 5000;

/**
 * Sends a request until its reply arrives: attaching twice is attaching once, whereas a list that lags behind could show what
 * was before. Where it is refused, things may be as they should be all the same, and only the list can tell.
 */
async function reach(
  operation: Operation,
  storageVolumeId: number,
  holds: (attached: number[]) => boolean,
  send: () => Promise<unknown>,
): Promise<void> {
  const { clock, lists } = operation.runtime;
  const list = lists.of(storageVolumes);
  for (;;) {
    const since = list.cursor();
    const trouble = await troubleWith(send);
    if (!trouble) return;
    if (trouble.refused)
      return waitUntil({
        operation,
        list,
        prompt: true,
        since,
        deadline: Math.min(clock.now() + patience, operation.deadline),
        judge: (snapshot) => {
          const volume = snapshot.items.find((item) => item.id === storageVolumeId);
          return holds(volume?.attachedRentals ?? [])
            ? { kind: "done", result: undefined }
            : { kind: "failed", reason: trouble.error.message };
        },
      });
    if (clock.now() + pause >= operation.deadline) throw trouble.error;
    await clock.sleep(pause);
  }
}

/** Undefined when all went well. What cannot be met by looking at the list is thrown. */
async function troubleWith(send: () => Promise<unknown>): Promise<{ error: Error; refused: boolean } | undefined> {
  try {
    await send();
    return undefined;
  } catch (error) {
    if (error instanceof BadRequestError || error instanceof NotFoundError) return { error, refused: true };
    if (error instanceof OutcomeUnknownError) return { error, refused: false };
    throw error;
  }
}

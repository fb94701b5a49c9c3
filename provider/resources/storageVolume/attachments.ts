import { BadRequestError, NotFoundError, OperationUnavailableError, OutcomeUnknownError } from "../../client";
import { callFor, type Work, waitUntil } from "../../lifecycle";
import { storageVolumes } from "./record";

/** Attaches the volume to the rentals. Those that are attached already are fine. */
export async function attach(work: Work<unknown>, storageVolumeId: number, rentalIds: number[]): Promise<void> {
  if (rentalIds.length === 0) return;
  const { client } = work.runtime;
  await reach(
    work,
    storageVolumeId,
    (attached) => rentalIds.every((rental) => attached.includes(rental)),
    () => client.attachStorageVolume({ storageVolumeId, rentalIds }, callFor(work)),
  );
}

/** Detaches the volume from the rentals. Those that are not attached are fine. */
export async function detach(work: Work<unknown>, storageVolumeId: number, rentalIds: number[]): Promise<void> {
  if (rentalIds.length === 0) return;
  const { client, engine } = work.runtime;
  try {
    await reach(
      work,
      storageVolumeId,
      (attached) => !rentalIds.some((rental) => attached.includes(rental)),
      () => client.detachStorageVolume({ storageVolumeId, rentalIds }, { deadline: work.deadline }),
    );
  } catch (error) {
    if (!(error instanceof OperationUnavailableError)) throw error;
    engine.warn(
      work.urn,
      `volume ${storageVolumeId} stays attached to ${rentalIds.join(", ")}, because the service has no way to detach it; the attachment ends with the rental`,
    );
  }
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
  work: Work<unknown>,
  storageVolumeId: number,
  holds: (attached: number[]) => boolean,
  send: () => Promise<unknown>,
): Promise<void> {
  const { clock, lists } = work.runtime;
  const list = lists.of(storageVolumes);
  for (;;) {
    const since = list.mark();
    const trouble = await troubleWith(send);
    if (!trouble) return;
    if (trouble.refused)
      return waitUntil({
        work,
        list,
        prompt: true,
        since,
        deadline: Math.min(clock.now() + patience, work.deadline),
        judge: (snapshot) => {
          const volume = snapshot.items.find((item) => item.id === storageVolumeId);
          return holds(volume?.attachedRentals ?? [])
            ? { is: "done", result: undefined }
            : { is: "failed", reason: trouble.error.message };
        },
      });
    if (clock.now() + pause >= work.deadline) throw trouble.error;
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

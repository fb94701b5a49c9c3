import { BadRequestError, NotFoundError, OperationUnavailableError, OutcomeUnknownError } from "../client";
import { callFor, type Work, waitUntil } from "../lifecycle";
import { storageVolumes } from "./storageVolumes";

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

/** Sends a request, and where it is refused or its outcome unknown, looks whether things are as they should be all the same. */
async function reach(
  work: Work<unknown>,
  storageVolumeId: number,
  holds: (attached: number[]) => boolean,
  send: () => Promise<unknown>,
): Promise<void> {
  const { clock, lists, settings } = work.runtime;
  const list = lists.of(storageVolumes);
  const since = list.mark();
  try {
    await send();
  } catch (error) {
    const refused = error instanceof BadRequestError || error instanceof NotFoundError;
    if (!refused && !(error instanceof OutcomeUnknownError)) throw error;
    const patience = refused ? 0 : settings.reconcileSeconds * 1000;
    await waitUntil({
      work,
      list,
      prompt: true,
      since,
      deadline: Math.min(clock.now() + Math.max(patience, 5000), work.deadline),
      judge: (snapshot) => {
        const volume = snapshot.items.find((item) => item.id === storageVolumeId);
        if (holds(volume?.attachedRentals ?? [])) return { is: "done", result: undefined };
        return refused ? { is: "failed", reason: error.message } : { is: "pending", status: "as before" };
      },
    });
  }
}

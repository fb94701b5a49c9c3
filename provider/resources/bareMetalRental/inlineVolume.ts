import { endAndWait, type Operation, type Values, type View } from "../../lifecycle";
import { inlineStorageVolume } from "../../service";
import { showPerHour } from "../../shared/money";
import { storageVolume, storageVolumes, waitUntilDetached } from "../storageVolume";

/** The volume that was made along with this rental and is still there. It belongs to the rental. */
export async function findInlineVolume(
  operation: Operation,
  rentalId: string,
  state: Values,
): Promise<View | undefined> {
  const asked = inlineStorageVolume.safeParse(state["storageVolume"]).data;
  if (!asked?.isNew) return undefined;
  const list = operation.runtime.lists.of(storageVolumes);
  const snapshot = await list.fresh();
  const recorded = idInState(state, asked.label);
  const volume =
    (recorded === undefined ? undefined : snapshot.find(recorded)) ??
    snapshot.withLabel(asked.label).find((view) => attachedRentals(view).includes(Number(rentalId)));
  return volume?.phase === "ended" ? undefined : volume;
}

/**
 * The same for one that is about to be ended. A list may lag behind: what the state knows of is ended whether or not the
 * list shows it, because nobody would ever look for it again.
 */
export async function inlineVolumeToEnd(
  operation: Operation,
  rentalId: string,
  state: Values,
): Promise<View | undefined> {
  const found = await findInlineVolume(operation, rentalId, state);
  const asked = inlineStorageVolume.safeParse(state["storageVolume"]).data;
  if (found || !asked?.isNew) return found;
  const id = idInState(state, asked.label);
  if (id === undefined) return undefined;
  const createdAt = typeof state["createdAt"] === "string" ? state["createdAt"] : undefined;
  return { id, label: asked.label, status: "unknown", phase: "pending", createdAt, observedInputs: {} };
}

function idInState(state: Values, label: string): string | undefined {
  const { attachedStorage } = state;
  if (!Array.isArray(attachedStorage)) return undefined;
  const own = attachedStorage.find((volume) => volume?.label === label);
  return own?.id === undefined ? undefined : String(own.id);
}

function attachedRentals(view: View): unknown[] {
  const attached = view.outputs?.["attachedRentals"];
  return Array.isArray(attached) ? attached : [];
}

/** Ends the volume after its rental, or says what stays and what that costs. */
export async function deleteInlineVolume(operation: Operation, volume: View, state: Values): Promise<void> {
  const { engine } = operation.runtime;
  if (state["keepVolume"] === true) {
    const cost = volume.costPerHour === undefined ? "" : ` and bills ${showPerHour(volume.costPerHour)}`;
    engine.info(operation.urn, `keepVolume: storage volume ${volume.id} "${volume.label}" stays${cost}`);
    return;
  }
  await waitUntilDetached(operation, volume.id);
  await endAndWait(operation, storageVolume.definition, volume.id, volume.createdAt);
}

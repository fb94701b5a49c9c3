import {
  holdersOf,
  isExpired,
  namesOf,
  type OperationContext,
  type StateEntry,
  unheld,
  type Values,
  type View,
  whyForeign,
} from "../../lifecycle";
import { storageVolume } from "../storageVolume";
import { findVolumeLeft, named, toManage } from "./inlineEnd";
import { attachedIn, heldByOthers, isFreeVolume, volumesOf } from "./inlineProof";
import { keeping, keptVolume, newVolumeIn, type Sought, soughtBy } from "./inlineVolume";

/**
 * The volume that was made along with a rental goes where the rental goes: the entry that had both leaves the state, and nobody else would
 * ever mention the volume. Not where the program has another one in its place: what that entry leaves is named when it is deleted.
 */
export async function takeVolumeAlong(context: OperationContext<object>, view: View): Promise<View> {
  const inputs: Values = { ...context.inputs };
  const isAsked = inputs["storageVolume"] !== undefined;
  noteVolume(context, inputs);
  const sought = await volumeOfFormer(context, view);
  if (!sought && !isAsked) await sayUnmanaged(context, view);
  if (!sought || (isAsked && !isSame(sought, inputs))) return view;
  noteVolume(context, sought.state);
  if (!isAsked) await sayTaken(context, sought, inputs["keepVolume"] === true);
  const outputs = { ...view.outputs, storageVolume: sought.state["storageVolume"] };
  return { ...view, outputs, kept: { ...view.kept, ...keeping(sought.known) } };
}

/** The volume that an entry of this state knows of which has had the rental so far. */
async function volumeOfFormer(context: OperationContext, view: View): Promise<Sought | undefined> {
  const { noun, runtime } = context;
  // The service may have given the id of one that has ended to this one.
  const isIt = ({ outputs }: StateEntry) => !isExpired(outputs) && !whyForeign(outputs, runtime.service, noun, view);
  const formers = (await holdersOf(context, ...namesOf(view))).filter(isIt);
  const [sought] = formers.flatMap(({ outputs }) => soughtBy(view.id, outputs) ?? []);
  const id = sought?.known.id;
  return sought && (id === undefined || (await isFreeVolume(context, sought, id))) ? sought : undefined;
}

async function sayTaken(context: OperationContext, sought: Sought, keeps: boolean): Promise<void> {
  const { id } = sought.known;
  const snapshot = await volumesOf(context)
    .latest()
    .catch(() => undefined);
  const listed = id === undefined || snapshot?.isUnreadable(id) ? undefined : snapshot?.find(id, sought.label);
  const next = keeps
    ? "stays when this resource ends (keepVolume)."
    : "is deleted when this resource ends. To keep it, set keepVolume: true.";
  context.runtime.engine.warn(
    context.urn,
    `${nameOf(sought, listed)}, which was created with rental ${sought.rentalId}, comes with it, and ${next}`,
  );
}

/** As it is known: by its record, by its id, or not at all. */
function nameOf({ known }: Sought, volume?: View): string {
  if (volume) return named([volume]);
  return known.id === undefined ? "the storage volume" : `storage volume ${known.id}`;
}

/** Volumes of a rental from elsewhere, such as one that another stack has let go of: it ends without them. */
async function sayUnmanaged(context: OperationContext, view: View): Promise<void> {
  const { type } = storageVolume.definition;
  const snapshot = await volumesOf(context)
    .latest()
    .catch(() => undefined);
  const attached = snapshot ? attachedIn(snapshot, view) : [];
  if (attached.length === 0) return;
  const isHeld = await heldByOthers(context, view.id);
  const free = (await unheld({ ...context, type }, attached)).filter((volume) => !isHeld(volume));
  for (const volume of free) {
    context.runtime.engine.info(
      context.urn,
      `${named([volume])} is attached to rental ${view.id}, and no resource has it so far: it stays when the rental ends. ${toManage(volume.id)}`,
    );
  }
}

/** Says which volume nobody has from now on: another resource has the rental, and this entry leaves the state. */
export async function sayLeftBehind(context: OperationContext, rentalId: string, state: Values): Promise<void> {
  const sought = soughtBy(rentalId, state);
  if (!sought || (await isTaken(context, sought))) return;
  const found = await findVolumeLeft(context, sought).catch(() => "unproven" as const);
  if (found === undefined) return;
  const volume = found === "unproven" ? undefined : found;
  const id = volume?.id ?? sought.known.id;
  context.runtime.engine.warn(
    context.urn,
    `${nameOf(sought, volume)}, which was created with rental ${rentalId}, is not taken over along with it: it stays and bills when the rental ends, and nothing else mentions it. ${id === undefined ? "Look for it in the service's console." : toManage(id)}`,
  );
}

/** Whether the resource that has the rental now has its volume, too: as this process has seen it, or as the state has it. */
async function isTaken(context: OperationContext, sought: Sought): Promise<boolean> {
  const { memory } = context.runtime;
  const taker = memory.takenOverBy(context.type, sought.rentalId);
  if (taker !== undefined) return memory.noted(taker, noteOf(sought)) === true;
  const { id } = sought.known;
  const has = ({ outputs }: StateEntry) =>
    isSame(sought, outputs) || (id !== undefined && keptVolume(outputs)?.id === id);
  // One of them is the entry that is being deleted.
  return (await holdersOf(context, sought.rentalId)).filter(has).length > 1;
}

function isSame(sought: Sought, values: Values): boolean {
  const volume = newVolumeIn(values);
  return volume !== undefined && noteOf(volume) === noteOf(sought);
}

function noteVolume({ runtime, urn }: OperationContext, values: Values): void {
  const volume = newVolumeIn(values);
  if (volume) runtime.memory.note(urn, noteOf(volume), true);
}

function noteOf({ label, sizeInGb }: { label: string; sizeInGb: number }): string {
  return `volume of ${sizeInGb} GB ${label}`;
}

import { asInProgram, type Operation, type Runtime, type StateEntry, type Values } from "../../lifecycle";
import { newVolumeIn } from "./inlineVolume";

const note = "keepVolume";

/** Notes what the program says now: the delete of a rental that is replaced gets the state, which has what was said before. */
export function heedKeepVolume({ memory }: Runtime, urn: string, inputs: Values): void {
  const keeps = inputs["keepVolume"] === true;
  memory.note(urn, note, keeps);
  const volume = newVolumeIn(inputs);
  if (volume) memory.noteKeeper(volume.label, urn, keeps);
}

/**
 * A run that was interrupted before it deleted what it had replaced leaves both in the state, under one URN, and one that was interrupted
 * in a rename by `adoptId` two entries of one rental. What the program said then, the second one has: the first must not be deleted with a
 * volume that was to be kept.
 */
export async function recallKeepVolume(context: Operation, id: string): Promise<void> {
  const { runtime, stack, type, urn } = asInProgram(context, id);
  if (runtime.memory.noted(urn, note) !== undefined) return;
  const entries = ((await runtime.state.entries(stack)) ?? []).filter((entry) => entry.type === type);
  const isReplaced = entries.some((entry) => entry.urn === urn && entry.id === id && entry.isReplaced);
  const second = entries.filter((entry) =>
    entry.urn === urn ? isReplaced && !entry.isReplaced : entry.id === id && !entry.isReplaced,
  );
  // What the state keeps secret may be that: a volume that is kept in vain can be deleted.
  const isKept = ({ outputs, secrets = [] }: StateEntry) =>
    outputs["keepVolume"] === true || secrets.includes("keepVolume");
  if (second.some(isKept)) runtime.memory.note(urn, note, true);
}

/**
 * Whether the volume is to outlive the rental: as the program says it now, or as the state has it. `urn` is the name that the program
 * has for the rental.
 */
export function keepsVolume({ runtime, urn }: Pick<Operation, "runtime" | "urn">, state: Values): boolean {
  return runtime.memory.noted(urn, note) ?? (state["keepVolume"] === true || isKeptByAnother(runtime, state));
}

/**
 * A replacement by force is not compared, so that after a rename nothing tells which rental of the program it is. Where a new one asks for
 * such a volume and keeps it, that may be the one: a volume that is kept in vain can be deleted, and not the other way round.
 */
function isKeptByAnother({ memory }: Runtime, state: Values): boolean {
  const volume = newVolumeIn(state);
  const keepers = volume ? memory.keepersOf(volume.label) : [];
  return keepers.some((urn) => memory.idsHeldFor("BareMetalRental", urn).length === 0);
}

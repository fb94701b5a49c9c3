import {
  endedNote,
  isExpired,
  isSeenWith,
  type Machine,
  type Operation,
  RefusedError,
  type Runtime,
  type StateEntry,
  type Values,
} from "../../lifecycle";
import { inlineStorageVolume } from "../../service";
import { keptVolume, newVolumeIn } from "./inlineVolume";

/** The existing volume that the inputs name. */
function namedVolumeIn(inputs: Values): string | undefined {
  const asked = inlineStorageVolume.safeParse(inputs["storageVolume"]).data;
  return asked && !asked.isNew ? String(asked.id) : undefined;
}

/** Notes which existing volume the program has for a rental. That stays when the rental ends. */
export function heedNamedVolume({ memory }: Runtime, urn: string, inputs: Values): void {
  const id = namedVolumeIn(inputs);
  if (id !== undefined) memory.noteKeeper(noteOf(id), urn, true);
}

/** Whether the program has this volume for a rental as one that exists. */
export function isNamedInProgram({ memory }: Runtime, id: string): boolean {
  return memory.keepersOf(noteOf(id)).length > 0;
}

function noteOf(id: string): string {
  return `existing storage volume ${id}`;
}

/**
 * Tells what a rental has as a volume that exists, by the program or by a state: whoever named it there has data on it. Before data is
 * deleted, other stacks are asked, too. A rental that has expired, or ended in this run, no longer has any; what took this one's
 * place has it for as long as the state knows, also where a run was killed before it was created.
 */
export async function namedByRentals(operation: Operation): Promise<(volume: Machine) => boolean> {
  const { endsForGood, runtime, stack, urn: own } = operation;
  const here = (await runtime.state.entries(stack)) ?? [];
  const staying = here.filter(({ urn }) => urn === own || runtime.memory.noted(urn, endedNote) !== true);
  // Ids are those of one account.
  const elsewhere = endsForGood
    ? (await runtime.state.elsewhere(stack)).filter(({ outputs }) => isSeenWith(outputs, runtime.service))
    : [];
  const rentals = [...staying, ...elsewhere].filter(
    ({ type, outputs }) => type === "BareMetalRental" && !isExpired(outputs),
  );
  const asked = [...rentals.map(({ outputs }) => outputs), ...(await interruptedBeside(operation))];
  const named = new Set(asked.map(namedVolumeIn));
  return ({ id }) => named.has(id) || isNamedInProgram(runtime, id);
}

/** What killed runs have asked for, be it in this one's place or beside it. */
function interruptedBeside({ runtime, stack }: Operation): Promise<readonly Values[]> {
  return runtime.state.interrupted(stack, undefined, undefined).catch(() => []);
}

/** For a delete that runs beside this one to begin. */
const grace = 2000;

/**
 * Before a rental leaves the state that has a volume as one that exists, the one that it has replaced must have left it, if the volume was
 * created with that: nothing else tells from then on that the volume is not to be deleted with the first.
 */
export async function untilReplacedIsRemoved(operation: Operation, id: string, state: Values): Promise<void> {
  const { isTwin, runtime, type } = operation;
  const replaced = isTwin ? [] : await replacedWithItsVolume(operation, id, state);
  if (replaced.length > 0) await runtime.clock.sleep(grace);
  for (const former of replaced) {
    if (await runtime.memory.hasBeenRemoved(type, former.id)) continue;
    throw new RefusedError(
      `rental ${id} has ended, but ${whyItStays(state, former)} Run the same command again; if that does not help, with \`--continue-on-error\`.`,
    );
  }
}

/** Why one that is gone must stay in the state for now; undefined where nothing speaks for it. */
export async function whyStillNeeded(operation: Operation, id: string, state: Values): Promise<string | undefined> {
  const [former] = await replacedWithItsVolume(operation, id, state);
  return former && whyItStays(state, former);
}

function whyItStays(state: Values, former: StateEntry): string {
  return `it stays in the state until rental ${former.id}, which it has replaced, is deleted: storage volume ${namedVolumeIn(state)} was created with that one, and would be deleted with it if nothing told that it is in use since.`;
}

/** The rentals that this one has replaced and that may take its volume along, as far as nothing else tells that the volume is in use. */
async function replacedWithItsVolume(operation: Operation, id: string, state: Values): Promise<StateEntry[]> {
  const { runtime, stack, type, urn } = operation;
  const volume = namedVolumeIn(state);
  if (volume === undefined || isNamedInProgram(runtime, volume)) return [];
  const others = ((await runtime.state.entries(stack)) ?? []).filter((entry) => entry.type !== type || entry.id !== id);
  const isInUse = others.some(
    (entry) =>
      (entry.type === "StorageVolume" && entry.id === volume) ||
      (entry.type === type && entry.urn !== urn && namedVolumeIn(entry.outputs) === volume),
  );
  return isInUse
    ? []
    : others.filter((entry) => entry.type === type && entry.urn === urn && mayDelete(entry.outputs, volume));
}

/** Whether the volume may be the one that was created with a rental, and is to be deleted with it. */
function mayDelete(state: Values, volume: string): boolean {
  return (
    newVolumeIn(state) !== undefined && state["keepVolume"] !== true && (keptVolume(state)?.id ?? volume) === volume
  );
}

import {
  endedNote,
  isExpired,
  isSeenWith,
  type Machine,
  type Operation,
  type Runtime,
  type Values,
} from "../../lifecycle";
import { inlineStorageVolume } from "../../service";

/** The existing volume that the inputs name. */
export function namedVolumeIn(inputs: Values): string | undefined {
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
 * deleted, other stacks are asked, too. Another that has expired, or ended in this run, no longer has any; what took this one's
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
    ({ type, urn, outputs }) => type === "BareMetalRental" && (urn === own || !isExpired(outputs)),
  );
  const asked = [...rentals.map(({ outputs }) => outputs), ...(await interruptedBeside(operation))];
  const named = new Set(asked.map(namedVolumeIn));
  return ({ id }) => named.has(id) || isNamedInProgram(runtime, id);
}

/** What killed runs have asked for, be it in this one's place or beside it. */
async function interruptedBeside({ runtime, stack }: Operation): Promise<Values[]> {
  const creates = await runtime.state.interrupted(stack, undefined, undefined).catch(() => []);
  return creates.map(({ asked }) => asked);
}

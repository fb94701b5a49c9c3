import {
  endedNote,
  type InterruptedCreate,
  isExpired,
  isSeenWith,
  type Machine,
  type Operation,
  type Runtime,
  type StateEntry,
  type Values,
} from "../../lifecycle";
import { inlineStorageVolume } from "../../service";
import { keptVolume } from "./inlineVolume";

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
  const { runtime } = operation;
  const rentals = await rentalsBeside(operation);
  const creates = await interruptedBeside(operation);
  const asked = [...rentals.map(({ outputs }) => outputs), ...creates.map((create) => create.asked)];
  const named = new Set(asked.map(namedVolumeIn));
  return ({ id }) => named.has(id) || isNamedInProgram(runtime, id);
}

/** The URNs of those of them of which the state keeps secret which volume they have. What was created with one is not secret. */
export async function namingInSecret(operation: Operation, rentalId: string): Promise<string[]> {
  const isSecret = ({ secrets = [] }: Pick<StateEntry, "secrets">) => secrets.includes("storageVolume");
  const rentals = (await rentalsBeside(operation)).filter(({ id, outputs }) => id !== rentalId && !keptVolume(outputs));
  const found = [...rentals, ...(await interruptedBeside(operation))].filter(isSecret);
  return [...new Set(found.map(({ urn }) => urn))];
}

async function rentalsBeside({ endsForGood, runtime, stack, urn: own }: Operation): Promise<StateEntry[]> {
  const here = (await runtime.state.entries(stack)) ?? [];
  const staying = here.filter(({ urn }) => urn === own || runtime.memory.noted(urn, endedNote) !== true);
  // Ids are those of one account.
  const elsewhere = endsForGood
    ? (await runtime.state.elsewhere(stack)).filter(({ outputs }) => isSeenWith(outputs, runtime.service))
    : [];
  return [...staying, ...elsewhere].filter(
    ({ type, urn, outputs }) => type === "BareMetalRental" && (urn === own || !isExpired(outputs)),
  );
}

/** What killed runs have asked for, be it in this one's place or beside it. */
async function interruptedBeside({ runtime, stack }: Operation): Promise<readonly InterruptedCreate[]> {
  return runtime.state.interrupted(stack, undefined, undefined).catch(() => []);
}

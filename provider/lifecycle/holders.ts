import { readLabel } from "../shared/label";
import { readTimestamp } from "../shared/timestamp";
import { isSameUrn } from "../shared/typeToken";
import { readOrigin, readUrn } from "../shared/urn";
import type { Endable, IsExpired, Operation } from "./definition";
import {
  answeredKey,
  type Besides,
  beforeKey,
  eachCreate,
  holds,
  isExpired,
  lostAtKey,
  type Machine,
  namesKey,
  namesOf,
  originKey,
  type Runtime,
  type StateEntry,
  sinceKey,
  type Unresolved,
  unresolvedFingerprint,
  type Values,
  whereKey,
} from "./model";

/** What the state holds of this type, without what has expired and ended; what came by in this process where the state cannot be asked. */
export async function heldIds({ runtime, stack, type }: Operation): Promise<string[]> {
  const entries = (await runtime.state.entries(stack)) ?? [];
  const isHeld = (entry: StateEntry) =>
    entry.type === type && !isExpired(entry.outputs) && !runtime.memory.isDropped(entry);
  const held = entries.filter(isHeld).map(({ id }) => id);
  return [...new Set([...held, ...runtime.memory.idsOf(type)])];
}

/** What has expired and ended: as they came by in this process, or as the state has them. */
export async function expiredInState({ runtime, stack }: Operation): Promise<IsExpired> {
  const entries = (await runtime.state.entries(stack)) ?? [];
  const keysOf = (some: readonly StateEntry[]) => new Set(some.map(({ type, id }) => `${type} ${id}`));
  const expired = keysOf(entries.filter(({ outputs }) => isExpired(outputs)));
  // The service may have given the id to another one since.
  const alive = keysOf(entries.filter(({ outputs }) => !isExpired(outputs)));
  return (type, id) => {
    const key = `${type} ${id}`;
    return runtime.memory.isExpired(type, id) || (expired.has(key) && !alive.has(key));
  };
}

/**
 * The ids of the records of what the state holds, also along with an entry, and held before reads of this process have dropped some. An
 * attachment is found in the record of its volume.
 */
export async function heldRecords(operation: Operation, { type, recordId }: Pick<Endable, "type" | "recordId">) {
  const { runtime, stack } = operation;
  const entries = (await runtime.state.entries(stack)) ?? [];
  if (recordId) return entries.filter((entry) => entry.type === type).map(({ outputs }) => recordId(outputs));
  // What came with a machine that is being deleted may go with it.
  const present = entries.filter(
    ({ id, outputs, ...entry }) => !isExpired(outputs) && runtime.memory.deletionsOf(entry.type, id) === 0,
  );
  const along = idsAlong(runtime, present, type);
  return [...(await heldIds({ ...operation, type })), ...runtime.memory.droppedIdsOf(type), ...along];
}

/** The ids of this type that came along with entries of a state: a volume that was created with a rental is no entry of its own. */
function idsAlong(runtime: Runtime, entries: readonly StateEntry[], type: string): string[] {
  const besides = entries.map((entry) => besidesOf(runtime, entry));
  return besides.flatMap((one) => (one?.type === type ? one.id : []));
}

/** What came along with an entry of a state. */
export function besidesOf({ owned }: Runtime, { type, outputs }: StateEntry): Besides | undefined {
  return owned.find((one) => one.type === type)?.besides?.(outputs);
}

/**
 * Under which names of the stack its entries were created, as far as they say: what was created before `pulumi stack rename` keeps the
 * mark of the former name.
 */
export async function originsInState({ runtime, stack }: Operation): Promise<ReturnType<typeof readOrigin>[]> {
  const entries = (await runtime.state.entries(stack)) ?? [];
  const byStack = new Map(
    entries.map(({ outputs }) => {
      const origin = readOrigin(outputs[originKey]);
      const { project, stack: name } = readUrn(origin.urn);
      return [[origin.organization, project, name].join("/"), origin];
    }),
  );
  return [...byStack.values()].filter(({ urn }) => urn !== "");
}

/**
 * The URNs that a resource has had, as far as this process and the state know: also the one from when its entry was written, because a
 * replacement that is forced is all that the engine asks for, and says nothing of how it was called before.
 */
export async function urnsHad({ runtime, stack, urn }: Operation): Promise<string[]> {
  const entries = (await runtime.state.entries(stack)) ?? [];
  const written = entries
    .filter((entry) => isSameUrn(entry.urn, urn))
    .map(({ outputs }) => readOrigin(outputs[originKey]).urn)
    .filter((one) => one !== "");
  return [...new Set([...runtime.memory.urnsOf(urn), ...written])];
}

/** Whether an entry of the state holds this id. */
export async function stateHolds(operation: Operation, id: string): Promise<boolean> {
  const { memory } = operation.runtime;
  if (!memory.isFree(operation.type, id)) return true;
  return (await holdersOf(operation, id)).some((entry) => !memory.isDropped(entry));
}

/**
 * The URN under which the state holds this id now. The outputs keep the one from when they were written: a rename with an alias
 * writes only the inputs.
 */
export async function urnOfHolder(operation: Operation, id: string): Promise<string> {
  const { urn } = operation;
  const urns = (await holdersOf(operation, id)).map((entry) => entry.urn);
  return urns.includes(urn) ? urn : (urns[0] ?? urn);
}

/** The entries of this account in this stack's state that have one of these ids. */
export async function holdersOf({ runtime, stack, type }: Operation, ...ids: string[]): Promise<StateEntry[]> {
  const entries = (await runtime.state.entries(stack)) ?? [];
  return entries.filter((entry) => entry.type === type && ids.includes(entry.id));
}

/**
 * Finds the entry of another stack or account that holds a machine, or along with which it came, as after `pulumi state move` or a stack of
 * another name.
 */
export async function holdersElsewhere(
  { runtime, stack, type }: Operation,
  isCounted: (entry: StateEntry) => boolean = () => true,
): Promise<(machine: Machine) => StateEntry | undefined> {
  const entries = (await runtime.state.elsewhere(stack)).filter(isCounted);
  const isIts = (machine: Machine) => (entry: StateEntry) =>
    [entry, ...alongOf(runtime, entry)].some((one) => holds(one, type, machine, runtime.service));
  return (machine) => entries.find(isIts(machine));
}

/** What came along with an entry, as one of its own: the label is that of the entry. What has expired may have left it to anybody. */
function alongOf(runtime: Runtime, entry: StateEntry): StateEntry[] {
  const along = isExpired(entry.outputs) ? undefined : besidesOf(runtime, entry);
  if (!along) return [];
  const { type, id, created } = along;
  return [{ ...entry, type, id, outputs: { [whereKey]: { ...Object(entry.outputs[whereKey]), created } } }];
}

/** Tells whether a machine is an entry of this stack's state. */
export async function isEntryHere(operation: Operation): Promise<IsHeld> {
  const held = await heldIds(operation);
  return (machine) => namesOf(machine).some((name) => held.includes(name));
}

/** The same for every stack of the backend. */
export async function isEntryAnywhere(operation: Operation): Promise<IsHeld> {
  const isHere = await isEntryHere(operation);
  const holderOf = await holdersElsewhere(operation);
  return (machine) => isHere(machine) || holderOf(machine) !== undefined;
}

/** Tells whether this stack has a machine, so that it is no outcome of a create in doubt: as an entry, or along with one. */
export async function heldHere(operation: Operation): Promise<IsHeld> {
  return withAlong(operation, await isEntryHere(operation));
}

/** The same with the entries of every stack of the backend. */
export async function heldAnywhere(operation: Operation): Promise<IsHeld> {
  return withAlong(operation, await isEntryAnywhere(operation));
}

async function withAlong({ runtime, stack, type }: Operation, isHeld: IsHeld): Promise<IsHeld> {
  const ids = new Set(idsAlong(runtime, (await runtime.state.entries(stack)) ?? [], type));
  const isAlong = (name: string) => ids.has(name) || runtime.memory.cameAlongWith(type, name) !== undefined;
  return (machine) => isHeld(machine) || namesOf(machine).some(isAlong);
}

export type IsHeld = (machine: Machine) => boolean;

/** Those of these that no entry of any stack holds. */
export async function unheld<One extends Machine>(operation: Operation, machines: readonly One[]): Promise<One[]> {
  if (machines.length === 0) return [];
  const isHeld = await isEntryAnywhere(operation);
  return machines.filter((machine) => !isHeld(machine));
}

/**
 * Says that an entry of the state with this id is being deleted, and whether it was the last: while another entry holds the
 * machine, under this or another of its names (a rename by adoptId, a replacement that took it over), the machine is not ended.
 */
export async function releaseLast(
  { runtime, stack, type, urn }: Operation,
  id: string,
  { names = [id], isExpiredEntry = false }: { names?: readonly string[]; isExpiredEntry?: boolean } = {},
): Promise<boolean> {
  const { memory, state } = runtime;
  if (names.some((name) => memory.takenOverBy(type, name) !== undefined)) return false;
  const seen = await state.entries(stack);
  const isTheirs = (entry: StateEntry) => entry.isAnothers && entry.type === type && names.includes(entry.id);
  const entries = seen?.some(isTheirs) ? await withTheirsNow({ runtime, stack }, seen) : seen;
  if (!entries) {
    const wanted = names.flatMap((name) => memory.wantedBy(type, name) ?? []);
    return wanted.every((one) => memory.urnsOf(one).includes(urn));
  }
  // Nothing is awaited from here on: of two deletes that run side by side, one must see that it is the last.
  const isHeld = (entry: StateEntry) =>
    names.includes(entry.id) && !isExpired(entry.outputs) && !memory.isDropped(entry) && !isLeaving(entry);
  const held = entries.filter((entry) => entry.type === type && isHeld(entry));
  const deletions = names.map((name) => memory.deletionsOf(type, name));
  const holders = deletions.reduce((left, count) => left - count, held.length);
  memory.noteDeletion(type, id);
  // What has expired is not among them.
  return holders <= (isExpiredEntry ? 0 : 1);
}

/** The same entries, with what other providers have at this very moment. */
export async function withTheirsNow(
  { runtime: { state }, stack }: Pick<Operation, "runtime" | "stack">,
  entries: readonly StateEntry[],
): Promise<readonly StateEntry[]> {
  const isTheirs = ({ isAnothers }: StateEntry) => isAnothers === true;
  const present = (await state.entries(stack, { now: true })) ?? entries;
  return [...entries.filter((entry) => !isTheirs(entry)), ...present.filter(isTheirs)];
}

/** Whether another provider is deleting it at this moment: of two that do, neither may leave it to the other. */
export function isLeaving({ isAnothers, isBeingDeleted }: StateEntry): boolean {
  return isAnothers === true && isBeingDeleted === true;
}

/**
 * The creates of this resource whose result never became known: as they came by in this process, and as the state has them. There may be
 * several: one whose run was killed stands beside an earlier one.
 */
export async function unresolvedOf({ runtime, stack, urn, type }: Operation): Promise<Unresolved[]> {
  const entries = (await runtime.state.entries(stack)) ?? [];
  const inState = entries
    .filter((one) => one.type === type && isSameUrn(one.urn, urn))
    .flatMap(({ id, outputs, secrets }) => readUnresolved(id, outputs, secrets) ?? []);
  return eachCreate([...runtime.memory.unresolvedOf(urn), ...inState]);
}

export function readUnresolved(id: string, state: Values, secrets?: readonly string[]): Unresolved | undefined {
  const named = unresolvedFingerprint(id);
  if (named === undefined) return undefined;
  const [idsBefore, names] = [textsIn(state[beforeKey]), textsIn(state[namesKey])];
  return {
    fingerprint: typeof state["label"] === "string" ? state["label"] : named,
    // An id shows only labels that were chosen for it: one that merely looks so may be a copy of another's.
    isProof: readLabel(named) !== undefined || names !== undefined,
    names,
    idsBefore,
    asked: state,
    secrets,
    answered: typeof state[answeredKey] === "string" ? state[answeredKey] : undefined,
    since: readTimestamp(state[lostAtKey]) ?? 0,
    madeAt: typeof state[sinceKey] === "string" ? state[sinceKey] : undefined,
  };
}

function textsIn(value: unknown): string[] | undefined {
  return Array.isArray(value) ? value.map(String) : undefined;
}

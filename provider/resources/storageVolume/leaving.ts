import {
  callFor,
  type Operation,
  originKey,
  type StateEntry,
  showStatus,
  WaitFailedError,
  WaitTimeoutError,
} from "../../lifecycle";
import { messageOf } from "../../shared/messageOf";
import { hasSecret } from "../../shared/secretValue";
import { isSameUrn, resourceTypeOf } from "../../shared/typeToken";
import { nameOf, readUrn } from "../../shared/urn";
import { rentalsIn } from "./detached";

/** A rental that this run ends, and what of the state holds it. */
export interface Leaving {
  rental: number;
  entries: readonly StateEntry[];
}

/**
 * These rentals, if this run ends all of them: it is a destroy of everything; or the state has them, and the program no longer does, or has
 * another one instead. What another provider has, only a destroy ends for certain: its process alone knows the program.
 */
export async function leavingAmong(operation: Operation, rentals: readonly number[]): Promise<Leaving[] | undefined> {
  const { engine, memory } = operation.runtime;
  if ((await engine.scope()) === "partial") return undefined;
  const endsAll = await engine.endsAll();
  const { held, provider } = await heldNow(operation, rentals);
  const isApart = (entry: StateEntry) => entry.isAnothers || isOtherFront(entry.provider, provider);
  const isLeft = (entry: StateEntry) =>
    endsAll ||
    (!isApart(entry) && !memory.isInProgram(entry.urn) && memory.wantedBy(entry.type, entry.id) === undefined);
  const isLeaving = (entry: StateEntry) => !entry.isKept && (entry.isReplaced || isLeft(entry));
  return held.every(({ entries }) => entries.length > 0 && entries.every(isLeaving)) ? held : undefined;
}

/** Dynamic resources and the plugin have a process each. */
function isOtherFront(one: string | undefined, other: string | undefined): boolean {
  return one !== undefined && other !== undefined && readUrn(one).type !== readUrn(other).type;
}

/** What the state has of these rentals at this moment, and which provider has the one that asks. */
async function heldNow(
  { runtime, stack, urn }: Operation,
  rentals: readonly number[],
): Promise<{ held: Leaving[]; provider: string | undefined }> {
  const entries = (await runtime.state.entries(stack, { now: true })) ?? [];
  const held = rentals.map((rental) => ({
    rental,
    entries: entries.filter(({ type, id }) => type === "BareMetalRental" && id === String(rental)),
  }));
  return { held, provider: entries.find((entry) => isSameUrn(entry.urn, urn))?.provider };
}

/** Whether the stack has all of these, a destroy of everything would end them before their turn, and nothing shows that the program has them. */
export async function mayBeEnded(operation: Operation, rentals: readonly number[]): Promise<boolean> {
  const { held } = await heldNow(operation, rentals);
  const isUnwanted = ({ urn }: StateEntry) => !operation.runtime.memory.isInProgram(urn);
  return held.every(({ entries }) => entries.length > 0 && entries.every((one) => isPlain(one) && isUnwanted(one)));
}

/** Nothing that is kept, or was imported and never agreed with, and nothing of which the state shows only ciphertext. */
function isPlain({ isImported, isKept, outputs }: StateEntry): boolean {
  return !isKept && !isImported && !hasSecret(outputs);
}

/** Only in a destroy of everything: in any other run the program may still have them, although nothing has shown it yet. */
async function mayEndEarly({ runtime }: Operation, leaving: readonly Leaving[]): Promise<boolean> {
  return leaving.every(({ entries }) => entries.every(isPlain)) && runtime.engine.endsAll();
}

/** Whether a volume that stays attached to these can be deleted in this run: they end before their turn, or that does not come after it. */
export async function canGoWith(operation: Operation, id: string, leaving: readonly Leaving[]): Promise<boolean> {
  return (await mayEndEarly(operation, leaving)) || !(await needsOneOf(operation, id, urnsOf(leaving)));
}

const urnsOf = (leaving: readonly Leaving[]) => leaving.flatMap(({ entries }) => entries.map(({ urn }) => urn));

/** Whether the volume depends on one of these, so that the engine deletes it before them. */
async function needsOneOf(
  { runtime: { state }, stack }: Operation,
  id: string,
  urns: readonly string[],
): Promise<boolean> {
  const [entries = [], dependents] = await Promise.all([
    state.entries(stack, { now: true }),
    state.dependents(stack, urns),
  ]);
  return entries.some((entry) => entry.type === "StorageVolume" && entry.id === id && dependents.includes(entry.urn));
}

/**
 * Ends the rentals that keep a volume from being deleted, before their turn: the engine ends a volume that names its rentals before
 * them. Returns whether there were any, and all of them have ended.
 */
export async function endBeforeVolume(operation: Operation, id: string, leaving: readonly Leaving[]): Promise<boolean> {
  const { runtime, stack, urn } = operation;
  const { engine, memory } = runtime;
  if (leaving.length === 0 || !(await mayEndEarly(operation, leaving))) return false;
  await waitForDependents(operation, id, leaving);
  await callFor(operation).beforeAttempt?.();
  engine.info(urn, `${rentalsIn(leaving.map(({ rental }) => rental))} must end before the volume can be deleted`);
  const ends = leaving.map(({ rental, entries }) =>
    memory.endEarly("BareMetalRental", String(rental), async () => {
      for (const entry of entries) {
        const origin = `${stack.organization}/${entry.urn}`;
        await runtime.deleteEntry({ ...entry, outputs: { [originKey]: origin, ...entry.outputs } });
      }
    }),
  );
  const failed = (await Promise.allSettled(ends)).flatMap((end) => (end.status === "rejected" ? [end.reason] : []));
  if (failed.length > 0) throw new WaitFailedError(failed.map(messageOf).join("; "), { cause: failed[0] });
  return true;
}

const lookEveryMs = 5000;

/**
 * What else depends on the rentals goes before them, as a command that saves what is on them. Not what the volume depends on: the engine
 * deletes that after the volume.
 */
async function waitForDependents(operation: Operation, id: string, leaving: readonly Leaving[]): Promise<void> {
  const { clock } = operation.runtime;
  const left = new Set(await dependentsOfOthers(operation, leaving));
  for (const urn of left) if (await needsOneOf(operation, id, [urn])) left.delete(urn);
  const after = rentalsIn(leaving.map(({ rental }) => rental));
  while (left.size > 0) {
    const names = [...left].map(nameOf).join(", ");
    if (clock.now() + lookEveryMs >= operation.deadline) {
      throw new WaitTimeoutError(
        `${after} must end before the volume can be deleted, but only after what depends on ${leaving.length === 1 ? "it" : "them"} (${names}), and that is still there`,
      );
    }
    showStatus(operation, `${after} must end first, and before that ${names} must go`);
    await clock.sleep(lookEveryMs);
    const present = await dependentsOfOthers(operation, leaving);
    for (const urn of left) if (!present.includes(urn)) left.delete(urn);
  }
}

/** What is not ours of what depends on these: to end a machine, nobody else of ours has to be asked. */
async function dependentsOfOthers(
  { runtime, stack }: Operation,
  leaving: readonly Leaving[],
): Promise<readonly string[]> {
  const urns = await runtime.state.dependents(stack, urnsOf(leaving));
  return urns.filter((urn) => resourceTypeOf(readUrn(urn).type) === undefined);
}

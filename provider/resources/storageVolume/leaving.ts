import {
  callFor,
  type Dependencies,
  type Operation,
  originKey,
  type StateEntry,
  showStatus,
  WaitFailedError,
  WaitTimeoutError,
} from "../../lifecycle";
import { messageOf } from "../../shared/messageOf";
import { inQuotes } from "../../shared/shell";
import { isSameUrn, resourceTypeOf } from "../../shared/typeToken";
import { nameOf, readUrn } from "../../shared/urn";
import { rentalsIn } from "./detached";

/** What becomes in this run of rentals from which the service does not detach a volume. */
export interface Fate {
  /** What the state has of each of them at this moment. */
  held: readonly { rental: number; entries: readonly StateEntry[] }[];
  /** Whether the run ends all of them, sooner or later. */
  isEnd: boolean;
  /** Whether it may end them before their turn. */
  mayBeEarly: boolean;
  /** Whether a destroy of the whole stack would do that. */
  wouldBeEarly: boolean;
}

/**
 * They end in a destroy of everything; or where the state has them, and the program no longer does, or has another one instead. What another
 * provider has, only a destroy ends for certain: its process alone knows the program. Before their turn they end only in a destroy: in any
 * other run the program may still have them, although nothing has shown it yet. Not what the state shows as ciphertext.
 */
export async function fateOf({ runtime, stack, urn }: Operation, rentals: readonly number[]): Promise<Fate> {
  const { engine, memory, state } = runtime;
  const isPartial = (await engine.scope()) === "partial";
  const endsAll = await engine.endsAll();
  const [entries = [], dependencies] = await Promise.all([
    state.entries(stack, { now: true }),
    state.dependencies(stack),
  ]);
  const provider = entries.find((entry) => isSameUrn(entry.urn, urn))?.provider;
  const isApart = (entry: StateEntry) => entry.isAnothers || isOtherFront(entry.provider, provider);
  const isLeft = (entry: StateEntry) =>
    !isApart(entry) && !memory.isInProgram(entry.urn) && memory.wantedBy(entry.type, entry.id) === undefined;
  const stays = ({ isKept, isImported }: StateEntry) => isKept || isImported;
  const held = rentals.map((rental) => ({
    rental,
    entries: entries.filter(({ type, id }) => type === "BareMetalRental" && id === String(rental)),
  }));
  const areAll = (is: (entry: StateEntry) => boolean) =>
    held.every(({ entries: some }) => some.length > 0 && some.every((entry) => !stays(entry) && is(entry)));
  const isPlain = areAll(({ secrets, hasDeleteHooks }) => !secrets && !hasDeleteHooks);
  // The engine leaves what something protected depends on; not what was replaced, which nothing depends on any more.
  const last = held.flatMap(({ entries }) => entries.filter(({ isReplaced }) => !isReplaced));
  const isHeld = dependencies?.dependentsOf(last.map((entry) => entry.urn)).some(({ isProtected }) => isProtected);
  const isEnd = !isPartial && !isHeld && areAll((entry) => endsAll || entry.isReplaced === true || isLeft(entry));
  return {
    held,
    isEnd,
    mayBeEarly: isEnd && endsAll && isPlain,
    wouldBeEarly: isPlain && !isHeld && areAll(isLeft),
  };
}

/** Dynamic resources and the plugin have a process each. */
function isOtherFront(one: string | undefined, other: string | undefined): boolean {
  return one !== undefined && other !== undefined && readUrn(one).type !== readUrn(other).type;
}

/** Whether a volume that stays attached to these can be deleted in this run: they end before their turn, or that does not come after it. */
export async function canGoWith(operation: Operation, id: string, fate: Fate): Promise<boolean> {
  if (fate.mayBeEarly) return true;
  const { runtime, stack } = operation;
  const [dependencies, volumes] = await Promise.all([runtime.state.dependencies(stack), urnsOfVolume(operation, id)]);
  const after = dependencies?.dependentsOf(urnsOf(fate)).map((one) => one.urn) ?? volumes;
  return !volumes.some((urn) => after.includes(urn));
}

const urnsOf = ({ held }: Fate) => held.flatMap(({ entries }) => entries.map(({ urn }) => urn));

async function urnsOfVolume({ runtime, stack }: Operation, id: string): Promise<string[]> {
  const entries = (await runtime.state.entries(stack, { now: true })) ?? [];
  return entries.filter((entry) => entry.type === "StorageVolume" && entry.id === id).map(({ urn }) => urn);
}

/**
 * Ends the rentals that keep a volume from being deleted, before their turn: the engine ends a volume that names its rentals before
 * them.
 */
export async function endBeforeVolume(operation: Operation, id: string, fate: Fate): Promise<void> {
  const { runtime, stack, urn } = operation;
  const { engine, memory } = runtime;
  await waitForDependents(operation, id, fate);
  await callFor(operation).beforeAttempt?.();
  engine.info(urn, `${namesOf(fate)} must end before the volume can be deleted`);
  const ends = fate.held.map(({ rental, entries }) =>
    memory.endEarly("BareMetalRental", String(rental), async () => {
      for (const entry of entries) {
        const origin = `${stack.organization}/${entry.urn}`;
        await runtime.deleteEntry({ ...entry, outputs: { [originKey]: origin, ...entry.outputs } });
      }
    }),
  );
  const failed = (await Promise.allSettled(ends)).flatMap((end) => (end.status === "rejected" ? [end.reason] : []));
  if (failed.length > 0) throw new WaitFailedError(failed.map(messageOf).join("; "), { cause: failed[0] });
}

const namesOf = ({ held }: Fate) => rentalsIn(held.map(({ rental }) => rental));

const lookEveryMs = 5000;
/** For the engine to begin with what it deletes beside the volume. */
const beginMs = 15_000;

/**
 * What else depends on the rentals goes before them, as a command that saves what is on them. The engine deletes it beside the volume, as soon
 * as it has a worker for that; or in another round.
 */
async function waitForDependents(operation: Operation, id: string, fate: Fate): Promise<void> {
  const { runtime, stack } = operation;
  const { clock, memory, state } = runtime;
  const volumes = await urnsOfVolume(operation, id);
  for (const urn of volumes) memory.waitingForOthers.add(urn);
  try {
    for (let movedAt = clock.now(); ; ) {
      const dependencies = await state.dependencies(stack);
      const left = dependencies && leftBefore(dependencies, urnsOf(fate), volumes);
      if (left?.length === 0) return;
      const what = left ? left.map(nameOf).join(", ") : "what depends on it";
      const must = `${namesOf(fate)} must end before the volume can be deleted, and before that ${what} must go`;
      const turn = left && dependencies && turnOf(left, volumes, { ...dependencies, waiting: memory.waitingForOthers });
      if (turn === "now") movedAt = clock.now();
      if (clock.now() - movedAt >= beginMs || turn === "unknown")
        throw new WaitFailedError(`${must}${whyNot(left, turn)}`);
      if (clock.now() + lookEveryMs >= operation.deadline) throw new WaitTimeoutError(must);
      showStatus(operation, must);
      await clock.sleep(lookEveryMs);
    }
  } finally {
    for (const urn of volumes) memory.waitingForOthers.delete(urn);
  }
}

/** What is not ours of what depends on these. Not what the volume depends on: that goes after the volume in any case. */
function leftBefore(dependencies: Dependencies, urns: readonly string[], volumes: readonly string[]): string[] {
  const isAfter = (urn: string) => dependencies.dependentsOf([urn]).some((one) => volumes.includes(one.urn));
  const isOurs = (urn: string) => resourceTypeOf(readUrn(urn).type) !== undefined;
  const all = dependencies.dependentsOf(urns).filter(({ isComponent }) => !isComponent);
  return all.map(({ urn }) => urn).filter((urn) => !isOurs(urn) && !isAfter(urn));
}

/** When the engine deletes them: now, or as soon as what it deletes now has gone; or in this round, but all its workers only wait. */
type Turn = "now" | "no worker" | "another round" | "unknown";

function turnOf(
  urns: readonly string[],
  volumes: readonly string[],
  { isCurrent, beingDeleted, roundOf, waiting }: Dependencies & { waiting: ReadonlySet<string> },
): Turn {
  if (!isCurrent) return "unknown";
  if (beingDeleted.some((urn) => urns.includes(urn))) return "now";
  const rounds = volumes.map(roundOf);
  if (!urns.every((urn) => rounds.includes(roundOf(urn)))) return "another round";
  return beingDeleted.every((urn) => waiting.has(urn)) ? "no worker" : "now";
}

function whyNot(urns: readonly string[] | undefined, turn: Turn | undefined): string {
  if (!urns) return ", which is not known because `pulumi stack export` failed. Run this again";
  if (turn === "unknown")
    return ". Whether that has gone, nothing shows with PULUMI_SKIP_CHECKPOINTS: unset it and run this again";
  const targets = urns.map((urn) => `--target ${inQuotes(urn)}`).join(" ");
  const orBeside = turn === "no worker" ? ", or run this again with a larger `--parallel`" : "";
  return `, and Pulumi is not deleting that. Delete it first (\`pulumi destroy ${targets} --target-dependents\`), then run this again${orBeside}`;
}

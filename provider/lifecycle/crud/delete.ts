import { OperationUnavailableError } from "../../client";
import { showPerHour } from "../../shared/money";
import { inQuotes } from "../../shared/shell";
import { listOf, recordIdOf, refuseElsewhere, seeingOthers } from "../context";
import { describe, findOutcomes, findTwins, nameDoubtful, twinsKnownIn } from "../creation";
import type { OperationContext, ResourceDefinition } from "../definition";
import { holdersOf, readUnresolved, releaseLast, urnOfHolder } from "../holders";
import {
  InterruptedError,
  importedKey,
  isExpired,
  RefusedError,
  type Runtime,
  sayingOf,
  showCost,
  UnprovenAbsenceError,
  type Unresolved,
  type Values,
  WaitFailedError,
  WaitTimeoutError,
} from "../model";
import { endOrHandOver } from "../waiting";
import { sayWhatIsLost } from "./dataLoss";
import { findAlive } from "./expired";
import { beginWithState, byPresentName, rememberState, stateOf, withErrorContext } from "./operation";
import { findStanding } from "./standing";

/** What this process has ended of a resource: a create that follows replaces it. */
export const endedNote = "ended";

export function deleteResource(
  definition: ResourceDefinition,
  alone: Runtime,
  id: string,
  state: Values,
): Promise<void> {
  const runtime = seeingOthers(alone);
  const begun = { ...beginWithState(definition, runtime, state, id), isDelete: true, endsForGood: true };
  const remove = async () => {
    if (runtime.memory.wasEndedEarly(definition.type, id)) return;
    if (isExpired(state) && !(await findAlive(begun, id))) return;
    rememberState(runtime, definition, id, state);
    refuseElsewhere({ definition, runtime }, state);
    const context = await byPresentName(begun, id);
    const unresolved = readUnresolved(id, state);
    if (unresolved) {
      await endOutcomes(context, id, unresolved);
      runtime.memory.note(context.urn, endedNote, true);
      return;
    }
    if (state[importedKey] === true) {
      const cost = typeof state["costPerHour"] === "number" ? `, and costs ${showPerHour(state["costPerHour"])}` : "";
      runtime.engine.warn(
        context.urn,
        `${context.noun} ${id} is left as it is${cost}: it was imported, and no \`pulumi up\` has completed since with a program that agrees with it. If it is yours, remove it in the service's console`,
      );
      return;
    }
    await endHeld(context, id, state).catch(async (error: unknown) => {
      throw isUnsettled(error) ? await withWhatStays(context, id, state, error) : error;
    });
  };
  return withErrorContext("deleting", definition.type, state, remove, () => urnOfHolder(begun, id));
}

type Unsettled = WaitTimeoutError | InterruptedError | OperationUnavailableError;

function isUnsettled(error: unknown): error is Unsettled {
  return [WaitTimeoutError, InterruptedError, OperationUnavailableError].some((one) => error instanceof one);
}

/** What it was that did not end in time, before somebody interrupted, or for want of an operation: people must know what goes on to bill, and that nothing is lost. */
async function withWhatStays(
  context: OperationContext<object>,
  id: string,
  state: Values,
  error: Unsettled,
): Promise<Error> {
  const snapshot = await listOf(context)
    .latest()
    .catch(() => undefined);
  const recordId = recordIdOf(context, id);
  const listed = snapshot?.isUnreadable(recordId) ? undefined : snapshot?.find(recordId, state["label"]);
  const known = typeof state["costPerHour"] === "number" ? showPerHour(state["costPerHour"]) : "";
  // Without its label: the program may have it as a secret.
  const facts = [listed?.status, listed ? showCost(listed) : known].filter(Boolean).join(", ");
  const what = `${context.noun} ${id}${facts && ` (${facts})`}`;
  const message = `${error.message.replace(/\.$/, "")}. ${what} stays in the state.`;
  if (error instanceof InterruptedError)
    return new InterruptedError(`${message} Run the same command again.`, { cause: error });
  // More time makes nothing readable, and no operation.
  if (error instanceof UnprovenAbsenceError || error instanceof OperationUnavailableError)
    return new WaitFailedError(message, { cause: error });
  const next = "Run the same command again to continue waiting, or raise timeouts.delete.";
  return new WaitTimeoutError(`${message} ${next}`, { cause: error });
}

/** Ends what an entry of the state holds, unless another entry holds it, too. Returns whether it has. */
export async function endHeld(context: OperationContext<Values>, id: string, state: Values): Promise<boolean> {
  const { definition, runtime } = context;
  const names = await namesListed(context, id, state);
  await refuseAdopted(context, names);
  if (definition.post && !(await releaseLast(context, id, { names, isExpiredEntry: isExpired(state) }))) {
    // Its twins go with this entry: the resource that has adopted it knows nothing of them.
    await endTwins(context, id);
    await definition.sayLeftBehind?.(context, id, state);
    runtime.engine.info(context.urn, `${context.noun} ${id} stays: another resource of this stack has it`);
    return false;
  }
  await definition.recall?.(context, id);
  const standing = await findStanding(context, id, state);
  if (typeof standing === "object" && standing.phase !== "ended") sayWhatIsLost(context, id, state);
  // As long as a twin runs, the state must hold the id by which it is found again. Whatever becomes of that, this one is ended.
  const before = await listedIds(context);
  const trouble = await endTwins(context, id).then(
    () => undefined,
    (error: unknown) => ({ error }),
  );
  if (standing !== "gone" || (await definition.leavesBehind?.(context, id, state)))
    await endResource(context, id, state);
  if (trouble) throw trouble.error;
  // A later list may show what that one has left out. What the state knows was looked for.
  const known = new Set([...before, ...twinsKnownIn(state)]);
  await endTwins(context, id, (twin) => known.has(twin));
  runtime.memory.note(context.urn, endedNote, true);
  runtime.forgetSsh(context.stack, { type: definition.type, id });
  return true;
}

/**
 * What the program names as the `adoptId` of another resource is not ended because that one could not take it over: with
 * `--continue-on-error`, the engine deletes what the program no longer has in spite of that.
 */
async function refuseAdopted(context: OperationContext, names: readonly string[]): Promise<void> {
  const { noun, runtime, type, urn } = context;
  const [adopting] = names.flatMap((name) => runtime.memory.adoptedInVainBy(type, name) ?? []);
  if (adopting === undefined) return;
  const own = runtime.memory.urnsOf(adopting);
  if (own.includes(urn) || (await holdersOf(context, ...names)).some((entry) => own.includes(entry.urn))) return;
  throw new RefusedError(
    `${noun} ${names[0]} is not terminated: the program has it as ${adopting}, which has not taken it over. Run this again when that succeeds.`,
  );
}

/** What an entry of the state may hold it under. One list may leave it out. */
async function namesListed(context: OperationContext<object>, id: string, state: Values): Promise<string[]> {
  const list = listOf(context);
  if (!list.kind.namesOf) return [id];
  const latest = await list.latest().catch(() => undefined);
  const snapshot = latest?.has(id) === false ? await list.fresh().catch(() => latest) : latest;
  return snapshot?.namesOf(id, state["label"]) ?? [id];
}

async function listedIds(context: OperationContext<object>): Promise<ReadonlySet<string>> {
  const snapshot = await listOf(context)
    .latest()
    .catch(() => undefined);
  return snapshot?.ids() ?? new Set();
}

/** Ends the resource and waits until it no longer bills, or until the gate of its fleet does that. */
export async function endResource(context: OperationContext, id: string, state: Values): Promise<void> {
  const { definition } = context;
  if (definition.end) await definition.end(context, id, state);
  else await endOrHandOver(context, definition, id, state);
}

/**
 * A proxy that sends a create twice makes two of one label: what has the same automatic label and was not created at another time goes,
 * too. Where the resource has another name by now and no time is known, nothing tells such a label from a copy: then it is named.
 */
export async function endTwins(
  context: OperationContext<object>,
  id: string,
  isDone?: (twin: string) => boolean,
): Promise<void> {
  for (const { view: twin, doubt } of await findTwins(context, id, isDone)) {
    if (doubt !== undefined) {
      nameDoubtful(context, twin, doubt);
      continue;
    }
    context.runtime.engine.warn(
      context.urn,
      `${describe(context, twin)} was created by the same request, and is terminated, too`,
    );
    await sayingOf(`${describe(context, twin)}, which was created by the same request, could not be terminated`, () =>
      endResource({ ...context, isTwin: true }, twin.id, stateOf(context, twin, {}, true)),
    );
  }
}

/** Ends what a create has made whose reply was lost, if it made anything. */
async function endOutcomes(context: OperationContext<Values>, id: string, unresolved: Unresolved): Promise<void> {
  if (!context.definition.post) return;
  try {
    const outcomes = await findOutcomes(context, unresolved);
    for (const outcome of outcomes) {
      const { createdAt, kept } = outcome;
      const state = { ...context.inputs, ...(createdAt && { createdAt }), ...kept };
      await endResource(context, outcome.id, state);
      // A later list may show what the first has left out.
      await endTwins({ ...context, inputs: state }, outcome.id);
    }
    if (outcomes.length === 0) await context.definition.leavesBehind?.(context, id, context.inputs);
  } catch (error) {
    if (!(error instanceof OperationUnavailableError)) throw error;
    throw new RefusedError(
      `whether "${unresolved.fingerprint}" was ever created is unknown, because the service has no list to look it up in. Look for it in the service's console and end it there; then run \`gpufleet recover --nothing-made --urn ${inQuotes(context.urn)}\`. (${error.message})`,
      { cause: error },
    );
  }
}

import { OperationUnavailableError } from "../../client";
import { gatesOf } from "../../shared/fleetNames";
import { messageOf } from "../../shared/messageOf";
import { raiseTheLimit } from "../../shared/money";
import { inQuotes } from "../../shared/shell";
import { nameOf } from "../../shared/urn";
import { finder, listOf, showStatus } from "../context";
import { bookPrice, hasLimit, whyOverLimits } from "../cost";
import {
  AnothersAnswer,
  adopt,
  createOnce,
  describe,
  findInstead,
  othersWithMark,
  refuseIfAnothers,
  warnOfLeftovers,
  warnOfTwins,
  withFleetAdvice,
} from "../creation";
import type { OperationContext, ResourceDefinition } from "../definition";
import {
  asRentedKey,
  beforeDeadline,
  isBeyondRepair,
  isLive,
  isOtherLabel,
  isShown,
  type LifecycleInputs,
  PartialStateError,
  predecessorsKey,
  RefusedError,
  type Runtime,
  readFleetFacts,
  type Snapshot,
  showCost,
  uncheckedKey,
  unfinishedKey,
  untilPriced,
  type Values,
  type View,
  WaitTimeoutError,
  withNewer,
} from "../model";
import { refuseOtherPlace } from "../ownPlace";
import { waitUntil, waitUntilGpusAnswer, waitUntilReady, waitUntilSshAnswers } from "../waiting";
import { sayAsRented } from "./asRented";
import { endedNote, endResource, endTwins } from "./delete";
import { begin, stateOf, withErrorContext, withRemembered } from "./operation";

export interface Made {
  id: string;
  outputs: Values;
}

export function createResource(definition: ResourceDefinition, runtime: Runtime, values: Values): Promise<Made> {
  return withErrorContext("creating", definition.type, values, async () => {
    const context = begin(definition, runtime, values);
    const fleet = readFleetFacts(values);
    const view = await make(context).catch(async (error: unknown) => {
      throw fleet ? await withFleetAdvice(context, fleet, error) : error;
    });
    const others = await othersWithMark(context, view.id);
    warnOfLeftovers(context, others);
    const { predecessors } = others;
    const carried = predecessors.length > 0 ? { [predecessorsKey]: predecessors } : {};
    // The next of its batch goes on only when this one has taken the place of the one that was ended.
    const isInTurn = typeof fleet?.replacement === "object" && runtime.memory.noted(context.urn, endedNote) === true;
    const waits = context.inputs.waitForReady || isInTurn;
    const finish = (one: View) => bringToReady(context, one, { isNew: true, carried, waits });
    const made = await finish(view).catch(async (error: unknown) => {
      if (!(error instanceof AnothersAnswer)) throw error;
      return finish(await noting(context, () => findInstead(context, view, error)));
    });
    const gate = gatesOf(context.urn)?.ready;
    if (fleet && !waits && gate) showStatus(context, `${view.status}; ${nameOf(gate)} waits for it`);
    return made;
  });
}

type Context = OperationContext<LifecycleInputs>;

/** Makes it, or takes over the one it is to be. From the moment this returns, the id is known and must not be lost. */
async function make(context: Context): Promise<View> {
  const { definition, inputs } = context;
  await refuseOtherPlace(context);
  if (inputs.adoptId !== undefined) return (definition.adopt ?? adopt)(context, String(inputs.adoptId));
  return noting(context, () => (definition.create ?? createOnce)(context));
}

/** What is made takes its place in the budget, and so does what may have been made. */
async function noting(context: Context, create: () => Promise<View>): Promise<View> {
  const { inputs, runtime, urn } = context;
  const { pledges } = runtime;
  try {
    const view = withBookPrice(context, await create());
    pledges.fulfil(urn, `${context.type} ${view.id}`);
    listOf(context).rememberTerms(view.id, { ...inputs });
    return view;
  } catch (error) {
    if (!(error instanceof PartialStateError)) {
      pledges.drop(urn);
      throw error;
    }
    // What may have been created keeps its place in the budget.
    throw new PartialStateError(error.message, error.id, { ...inputs, ...error.outputs }, { cause: error });
  }
}

/** The answer to a create may lack what the price depends on; the request has it. */
function withBookPrice(context: Context, view: View): View {
  if (view.costPerHour !== undefined) return view;
  const costPerHour = bookPrice(context, view.region);
  return costPerHour === undefined ? view : { ...view, costPerHour, isEstimate: true };
}

interface BringToReady {
  /** Whether this very operation has made it. */
  isNew: boolean;
  /** Whether it is so fresh all the same that no list may show it yet. */
  isUnlisted?: boolean;
  /** Whether what it costs is still to be held against its limits. */
  isUnchecked?: boolean;
  /** What its state keeps. */
  carried: Values;
  waits?: boolean;
}

/** Brings what exists to where it should be: within its limits, ready, answering. Whatever fails keeps the id. */
export async function bringToReady(
  context: Context,
  made: View,
  { isNew, isUnlisted = isNew, isUnchecked = isNew, carried, waits = context.inputs.waitForReady }: BringToReady,
): Promise<Made> {
  const { definition } = context;
  const { client, pledges } = context.runtime;
  let twins: Values = {};
  const outputs = (view: View) => stateOf(context, view, { ...carried, ...twins }, isNew || view.isListed === true);
  // Where the record does not say, this is what tells a fresh one from one that is gone.
  let view = isNew ? { ...made, createdAt: made.createdAt ?? new Date(client.serviceNow()).toISOString() } : made;
  const isLimited = definition.post !== undefined && (hasLimit(context) || context.fleet !== undefined);
  let checksLimits = isUnchecked && isLimited;
  try {
    if (checksLimits) view = await withinLimits(context, view, isNew);
    // A price may show only when it runs; until then there is at most that of the book.
    checksLimits &&= !isShown(view) && waits;
    await definition.ensureAttached?.(context, made.id);
    if (waits) view = await untilUsable(context, view, isUnlisted);
    if (checksLimits && isShown(view)) view = await withinLimits(context, view, isNew);
    checksLimits = false;
    if (isUnchecked) warnOfUnknownPrice(context, view);
    if (isNew) twins = await warnOfTwins(context, view);
    // Of a fleet its gate looks again.
    const checksLater = isUnchecked && isLimited && !context.isMember && !isShown(view);
    const later = checksLater ? { [uncheckedKey]: untilPriced } : {};
    const state = { ...(await withRemembered(context, made.id, outputs(view))), ...later };
    if (carried[asRentedKey] === undefined) sayAsRented(context, made.id, state);
    const besides = definition.besides?.(state);
    if (besides) pledges.fulfilBesides(context.urn, `${besides.type} ${besides.id}`);
    return { id: made.id, outputs: state };
  } catch (error) {
    if (error instanceof AnothersAnswer) throw error;
    if (error instanceof EndedAgain) throw new RefusedError(error.message, { cause: error });
    if (isNew) twins = await warnOfTwins(context, view).catch(() => ({}));
    const find = ownFinder(context, made);
    // A record that cannot be read, or that is another's, is no reason to lose the id.
    const listed = await listOf(context)
      .latest()
      .then(find)
      .catch(() => undefined);
    // What lists have shown, and show no more, is not one that is yet to be listed.
    const wasListed = !listed && listOf(context).hasShown(made.id);
    const latest = wasListed ? { ...view, status: "not listed" } : withNewer(view, listed ?? view);
    const state = await rememberInTime(context, made.id, outputs(latest));
    const unfinished = { ...state, [unfinishedKey]: true, ...(checksLimits && { [uncheckedKey]: true }) };
    throw new PartialStateError(failure(context, error, latest), made.id, unfinished, { cause: error });
  }
}

/** What was made must not wait long for what other lists have to say. */
const graceMs = 10_000;

function rememberInTime(context: Context, id: string, state: Values): Promise<Values> {
  const { clock } = context.runtime;
  return beforeDeadline(clock, clock.now() + graceMs, () => withRemembered(context, id, state)).catch(() => state);
}

/** Waits until it is ready and answers. Where the service cannot tell, that is said, and it is taken as it is. */
async function untilUsable(context: Context, view: View, isUnlisted: boolean): Promise<View> {
  const { waitForSsh = false, waitForGpus = false } = context.inputs;
  const needsAddress = waitForSsh || waitForGpus;
  try {
    const find = ownFinder(context, view);
    const ready = withNewer(
      view,
      await waitUntilReady(context, listOf(context), find, { view, isUnlisted, needsAddress }),
    );
    if (needsAddress) await waitUntilSshAnswers(context, ready);
    if (waitForGpus) await waitUntilGpusAnswer(context, context.type, ready);
    return ready;
  } catch (error) {
    if (!(error instanceof OperationUnavailableError)) throw error;
    context.runtime.engine.warn(context.urn, `could not check whether it is ready: ${error.message}`);
    return view;
  }
}

function failure({ definition, urn }: Context, error: unknown, view: View): string {
  if (error instanceof ForeignSighting) {
    return `${error.message}. Its id is in the state, and nothing is done to it. If it is not yours: \`pulumi state delete ${inQuotes(urn)}\`, and \`pulumi up\` creates another one. If it is, do the same, and set adoptId: ${inQuotes(view.id)}.`;
  }
  const bills = view.costPerHour === undefined || view.phase === "ended" ? "" : ` It costs ${showCost(view)}.`;
  const reason = error instanceof WaitTimeoutError ? definition.whyNotReady?.(view) : undefined;
  const why = reason === undefined ? "" : `${reason} `;
  return `${messageOf(error).replace(/\.$/, "")}. ${why}It is in the state with id ${view.id}.${bills} ${wayOut(error, view)} \`pulumi destroy\` terminates it.`;
}

function wayOut(error: unknown, view: View): string {
  if (isBeyondRepair(view.phase)) return "The next `pulumi up` replaces it.";
  if (error instanceof WaitTimeoutError) return "Run `pulumi up` again to continue waiting, or raise timeouts.create.";
  return "The next `pulumi up` checks it again.";
}

/** A list shows what the answer named, and it is another's. */
class ForeignSighting extends Error {}

/** It was over its limit, and is no more. */
class EndedAgain extends Error {}

/**
 * Looks up what it costs, and ends it at once if that is too much. What an earlier run has made may be in use: that is not ended, and
 * does not pass either.
 */
async function withinLimits(context: Context, made: View, isNew: boolean): Promise<View> {
  const { engine, memory, pledges } = context.runtime;
  const view = await findListed(context, made);
  const reason = await whyOverLimits(context, view);
  if (reason === undefined) return view;
  if (context.inputs.adoptId !== undefined) {
    engine.warn(context.urn, `${reason}; adopted machines are not terminated for their price`);
    return view;
  }
  if (!isNew || memory.takenOverBy(context.type, made.id) !== undefined)
    throw new Error(`${reason}. It was not terminated, because an earlier run created it. ${raiseTheLimit}`);
  try {
    const undoing = { ...context, isUndoing: true };
    // Twins first: as long as one runs, the state must hold the id by which it is found again.
    await endTwins(undoing, made.id);
    await endResource(undoing, made.id, stateOf(context, view, {}, true));
  } catch (error) {
    throw new Error(`${reason}, and could not be terminated: ${messageOf(error)}`, { cause: error });
  }
  pledges.drop(context.urn);
  throw new EndedAgain(`${reason}. It was terminated immediately.`);
}

/** A limit that nothing could be held against is said. Of a fleet without prices the gate tells, once for all members. */
function warnOfUnknownPrice(context: Context, { costPerHour }: View): void {
  if (costPerHour !== undefined || context.definition.post === undefined || !hasLimit(context)) return;
  context.runtime.engine.warn(
    context.urn,
    "the service shows no price for it, so maxCostPerHour could not be enforced",
  );
}

/**
 * Finds it in a list. What this create has made, and nothing but an answer without a label has named so far, is not what has somebody
 * else's.
 */
function ownFinder(context: Context, made: View) {
  const { inputs, runtime, type } = context;
  const { id, label: answered, isListed, madeAt } = made;
  const find = finder(context, id);
  if (isListed || !runtime.memory.wasMadeHere(type, id)) return find;
  return (snapshot: Snapshot<unknown>) => {
    if (madeAt !== undefined) refuseIfAnothers(context, snapshot, made);
    const view = find(snapshot);
    if (!answered && view && isLive(view) && isOtherLabel(inputs.label, view.label))
      throw new ForeignSighting(
        `what the list shows with its id has somebody else's label: ${describe(context, view)}`,
      );
    return view;
  };
}

/** The record as the list shows it; as the create answered where there is no list. */
async function findListed(context: Context, made: View): Promise<View> {
  const find = ownFinder(context, made);
  try {
    return await waitUntil<unknown, View>({
      operation: context,
      list: listOf(context),
      prompt: true,
      judge: (snapshot) => {
        const found = find(snapshot);
        return found ? { kind: "done", result: withNewer(made, found) } : { kind: "pending", status: "not listed" };
      },
    });
  } catch (error) {
    if (error instanceof OperationUnavailableError) return made;
    throw error;
  }
}

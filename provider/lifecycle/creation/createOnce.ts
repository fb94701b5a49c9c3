import { OperationUnavailableError, OutcomeUnknownError, ServiceError } from "../../client";
import { plainLabel } from "../../shared/label";
import { callFor, finder, listOf } from "../context";
import { refuseOverLimits } from "../cost";
import type { OperationContext } from "../definition";
import {
  isLive,
  isOtherLabel,
  type LifecycleInputs,
  namesKey,
  type OnWire,
  type SharedList,
  type Snapshot,
  type View,
  WaitTimeoutError,
} from "../model";
import { refuseElsewhereInStack } from "../ownPlace";
import { waitUntil } from "../waiting";
import { findLost, madeAllTheSame } from "./inDoubt";
import { interruptedCreates, refuseInterrupted } from "./interrupted";
import { droppedIds, refuseLeftover, refuseUnreadable, warnOfFailed, warnOfNamesake } from "./leftovers";
import { refuseMentionsOfOthers } from "./mentions";
import { AnothersAnswer, hasOwnMark, isFree } from "./ownership";
import { firstRegionWithCapacity } from "./regions";
import { isAtOneTime } from "./twins";
import { takeResolved } from "./unresolved";

type Context = OperationContext<LifecycleInputs>;

/** Creates it in one place, as the inputs name that. */
export type Attempt = (inputs: LifecycleInputs) => Promise<View>;

/**
 * A create that survives a crash, on a service without idempotency keys. The rule: take over a machine only on proof, and
 * rent one only when none of ours may already be running. Where it is to be rented is chosen only then.
 */
export async function createOnce(
  context: Context,
  place: (attempt: Attempt) => Promise<View> = (attempt) => firstRegionWithCapacity(context, attempt),
): Promise<View> {
  const list = listOf(context);
  const interrupted = interruptedCreates(context);
  interrupted.catch(() => undefined);
  const first = await lookBefore(list, hasOwnMark(context) && droppedIds(context).length === 0);
  const resolved = await takeResolved(context, first);
  if (resolved) return resolved;
  // The search for an earlier one takes minutes: what has come up meanwhile counts, too.
  const before = first && (await list.latest());
  for (const look of first && before ? new Set([first, before]) : []) {
    await refuseUnreadable(context, look);
    await refuseLeftover(context, look);
  }
  await refuseInterrupted(context, interrupted, before);
  if (before) await warnOfFailed(context, before);
  if (before) await warnOfNamesake(context, before);
  return place(async (inputs) => {
    const attempt = { ...context, inputs };
    await refuseMentionsOfOthers(attempt, context.definition.mentions?.({ ...inputs }) ?? [], "created");
    // Only now: what is there already is not rented, and does not count twice.
    await refuseOverLimits(attempt);
    const made = await postOnce(attempt, list, before);
    return { ...made, madeAt: new Date(context.runtime.client.serviceNow()).toISOString() };
  });
}

/**
 * The list before the request. An automatic label tells its own machine apart in any list; without one, what was there
 * before must be known exactly, and after a refresh has dropped what the resource had, whether it is back. Undefined where the service has no such list.
 */
async function lookBefore(list: SharedList<unknown>, any: boolean): Promise<Snapshot<unknown> | undefined> {
  try {
    const seen = any ? await list.latest() : await list.fresh();
    return seen.isComplete || !any ? seen : await list.fresh();
  } catch (error) {
    if (error instanceof OperationUnavailableError) return undefined;
    throw error;
  }
}

/** Sends the request once. A reply that was lost is looked for; the request is never sent again. */
async function postOnce(
  context: Context,
  list: SharedList<unknown>,
  before: Snapshot<unknown> | undefined,
): Promise<View> {
  const { runtime, type } = context;
  refuseElsewhereInStack(runtime);
  const since = list.cursor();
  if (before) runtime.memory.rememberBefore(context.urn, before.idsInUse());
  try {
    const made = await runtime.memory.underWay(type, (wire) => post(context, before, wire));
    const own = await ifNotAnothers(context, list, before, since, made);
    warnOfRewrittenLabel(context, own);
    return own;
  } catch (error) {
    const isLost = error instanceof OutcomeUnknownError || error instanceof AnothersAnswer;
    if (isLost) return findLost(context, list, before, since, error);
    if (error instanceof ServiceError && isRefusal(error)) return madeAllTheSame(context, list, before, since, error);
    throw error;
  }
}

/** What the request has made, which from then on is this resource's alone. */
async function post(context: Context, before: Snapshot<unknown> | undefined, wire: OnWire): Promise<View> {
  const { definition, inputs, runtime, type } = context;
  if (!definition.post) throw new Error(`${type} has no request that creates it`);
  const call = callFor(context);
  const beforeAttempt = async () => {
    await call.beforeAttempt?.();
    wire.begin();
  };
  const view = await definition.post(
    runtime.client,
    inputs,
    { ...call, beforeAttempt, onPutOff: wire.putOff },
    runtime,
  );
  refuseWrongAnswer(context, before, view);
  // Of several names any may be the one that lists show.
  const names = view.kept?.[namesKey];
  for (const name of [view.id, ...(Array.isArray(names) ? names : [])]) runtime.memory.claim(type, String(name));
  return view;
}

/** Refuses an answer about a machine that ran before it was asked for, that another create has made, or that has somebody else's label. */
function refuseWrongAnswer(context: Context, before: Snapshot<unknown> | undefined, view: View): void {
  const { runtime, type } = context;
  const { id, label, kept } = view;
  // Of several names another one may be the id.
  if (kept?.[namesKey] !== undefined) return;
  const earlier = before?.has(id) && !before.isUnreadable(id) ? before.find(id) : undefined;
  const isClaimed = runtime.memory.isClaimed(type, id) && !runtime.memory.isEnding(type, id);
  if (isClaimed || (earlier && isLive(earlier))) throw new AnothersAnswer(context, view, { mayBeIt: false });
  if (isOtherLabel(context.inputs.label, label)) throw new AnothersAnswer(context, view, { mayBeIt: true });
}

/**
 * An answer without the very label that was asked for says nothing of whose machine it names: then lists do. Whatever keeps them from
 * being seen, the id must not be lost for it.
 */
async function ifNotAnothers(
  context: Context,
  list: SharedList<unknown>,
  before: Snapshot<unknown> | undefined,
  since: number,
  made: View,
): Promise<View> {
  const { runtime, inputs, type, deadline } = context;
  const { label } = inputs;
  if (label === undefined || made.label === label) return made;
  const whose = await waitUntil<unknown, "own" | AnothersAnswer>({
    operation: context,
    list,
    prompt: true,
    since,
    deadline: Math.min(deadline, runtime.clock.now() + runtime.settings.listLagMs),
    judge: (snapshot) => {
      const result = whoseIn(context, snapshot, before?.idsInUse(), made, label);
      return result ? { kind: "done", result } : { kind: "pending", status: made.status };
    },
  }).catch((error: unknown) => {
    // Where it has a label, that speaks against it.
    const isUnseen = made.label && error instanceof WaitTimeoutError;
    return isUnseen ? new AnothersAnswer(context, made, { mayBeIt: true, why: "which no list shows" }) : undefined;
  });
  if (!whose) return made;
  if (whose === "own") return { ...made, isListed: true };
  runtime.memory.release(type, made.id);
  throw whose;
}

/** Refuses what an answer has named with our label, where a list shows that it is another machine: no list had to show that before. */
export function refuseIfAnothers(context: Context, snapshot: Snapshot<unknown>, made: View): void {
  const { inputs, runtime, urn } = context;
  if (inputs.label === undefined || made.label !== inputs.label) return;
  const whose = whoseIn(context, snapshot, runtime.memory.idsBefore(urn), made, inputs.label);
  if (whose instanceof AnothersAnswer) throw whose;
}

/** What a create has made whose answer has named another machine. */
export async function findInstead(context: Context, { id, madeAt }: View, error: AnothersAnswer): Promise<View> {
  const list = listOf(context);
  context.runtime.memory.release(context.type, id);
  const found = await findLost(context, list, undefined, list.cursor(), error);
  return { ...found, madeAt, isListed: true };
}

/** Whose machine an answer has named, as far as this list tells. */
function whoseIn(
  context: Context,
  snapshot: Snapshot<unknown>,
  idsBefore: ReadonlySet<string> | undefined,
  { id, createdAt, label: answered }: View,
  label: string,
): "own" | AnothersAnswer | undefined {
  const view = finder(context, id)(snapshot);
  const isOther = isOtherLabel(label, view?.label);
  // What has ended has left its id to it.
  if (!view || (isOther && !isLive(view))) return undefined;
  const isAnswered = answered === label;
  // One that was answered with it may have another label by now.
  if (view.label === label || (isAnswered && isAtOneTime(view, createdAt))) return "own";
  const isMade = (one: View) => one.id !== id && isFree(context, one) && !idsBefore?.has(one.id);
  if (snapshot.withLabel(label).some(isMade))
    return new AnothersAnswer(context, view, { mayBeIt: !hasOwnMark(context) });
  // One that has it in other letters, as the service may show it, says more than one that has a part of it, or none.
  const hasLabel = (one: View) => plainLabel(one.label ?? "") === plainLabel(label);
  const isRewritten = !hasLabel(view) && snapshot.views().some((one) => hasLabel(one) && isMade(one));
  if (isRewritten) return new AnothersAnswer(context, view, { mayBeIt: true });
  // Or the answer and the list speak of two machines.
  const isForeign = isOther && !isAnswered;
  if (isForeign || isAtOneTime(view, createdAt) === false) return new AnothersAnswer(context, view, { mayBeIt: true });
  // Where it has been there for long, the one with the label may come up yet.
  const now = new Date(context.runtime.client.serviceNow()).toISOString();
  return isAtOneTime(view, now) === false ? undefined : "own";
}

/** Automatic labels are what a lost create is found by: a service that changes them takes that away. */
function warnOfRewrittenLabel(context: Context, { label }: View): void {
  const asked = context.inputs.label;
  if (!hasOwnMark(context) || label === undefined || label === asked) return;
  context.runtime.engine.warn(
    context.urn,
    `the service has changed the label ${JSON.stringify(asked)} to ${JSON.stringify(label)}: if a reply is lost, what it created cannot be found by its label`,
  );
}

function isRefusal({ status = 0 }: ServiceError): boolean {
  return status >= 400 && status < 500 && status !== 429;
}

import { OperationUnavailableError, OutcomeUnknownError, ServiceError } from "../../client";
import type { Unreadable } from "../../service";
import { showDuration } from "../../shared/duration";
import { type Marks, marksOf } from "../../shared/label";
import { namesOfUnreadable } from "../../shared/namesOfUnreadable";
import { inQuotes } from "../../shared/shell";
import { callFor, listOf } from "../context";
import { refuseOverLimits } from "../cost";
import type { OperationContext } from "../definition";
import { heldAnywhere, heldIds, holdersElsewhere, type IsHeld, stateHolds, unheld } from "../holders";
import {
  beforeKey,
  isLive,
  type LifecycleInputs,
  lostAtKey,
  messageOf,
  namesKey,
  PartialStateError,
  predecessorsKey,
  RefusedError,
  type SharedList,
  type Snapshot,
  type Unresolved,
  unresolvedId,
  type Values,
  type View,
  WaitTimeoutError,
  whereaboutsOf,
  whereKey,
} from "../model";
import { beforeDeadline, waitUntil } from "../waiting";
import { interruptedCreates, refuseInterrupted } from "./interrupted";
import { describe, fingerprintOf, hasOwnMark, isFree, mayBeMadeOf } from "./ownership";
import { firstRegionWithCapacity } from "./regions";
import {
  lookalikesIn,
  looksAgain,
  mayBeIt,
  mayBeUnreadable,
  rewrittenIn,
  takeResolved,
  unreadableIn,
} from "./unresolved";

type Context = OperationContext<LifecycleInputs>;

/**
 * A create that survives a crash, on a service without idempotency keys. The rule: take over a machine only on proof, and
 * rent one only when none of ours may already be running.
 */
export async function createOnce(context: Context): Promise<View> {
  const list = listOf(context);
  const interrupted = interruptedCreates(context);
  interrupted.catch(() => undefined);
  const before = await lookBefore(list, hasOwnMark(context));
  const resolved = await takeResolved(context, before);
  if (resolved) return resolved;
  if (before) {
    await refuseUnreadable(context, before);
    await refuseLeftover(context, before);
  }
  await refuseInterrupted(context, interrupted, before);
  if (before) await warnOfNamesake(context, before);
  return firstRegionWithCapacity(context, async (inputs) => {
    const attempt = { ...context, inputs };
    // Only now: what is there already is not rented, and does not count twice.
    await refuseOverLimits(attempt);
    return postOnce(attempt, list, before);
  });
}

/**
 * The list before the request. An automatic label tells its own machine apart in any list; without one, what was there
 * before must be known exactly. Undefined where the service has no such list.
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

/** Refuses to rent while something is listed that cannot be read and may be what an interrupted run has left. */
async function refuseUnreadable(context: Context, { unreadable }: Snapshot<unknown>): Promise<void> {
  if (!hasOwnMark(context)) return;
  for (const item of unreadable) {
    const { id, label, reason } = item;
    if (label !== undefined && !hasOwnMark({ ...context, inputs: { label } })) continue;
    // Not by another name: that may be the id of another one.
    if (id !== undefined && (await stateHolds(context, id))) continue;
    const [name] = namesOfUnreadable(item);
    const { plural } = context.definition.kind;
    // Programs give members of a fleet no labels.
    const wayOn = context.isMember
      ? `If nobody needs it, end it in the service's console. To rent beside it all the same, declare a ${context.type} with a label of its own in place of the fleet.`
      : "Give this resource a label of its own to create it all the same.";
    throw new RefusedError(
      `refused, nothing was created: the list of ${plural} has an item that cannot be read and may have been created for this resource (${name ?? "no id"}): ${reason}. ${wayOn}`,
    );
  }
}

/** Refuses to rent while a live machine with this resource's mark is in no state: it may be what an interrupted run has left. */
async function refuseLeftover(context: Context, snapshot: Snapshot<unknown>): Promise<void> {
  const marks = context.runtime.memory.urnsOf(context.urn).map((urn) => marksUnder(context, urn));
  for (const view of marks.flatMap((one) => snapshot.withMarks(one)).filter(isLive)) {
    if (context.runtime.memory.knowsLabel(view.label) || (await stateHolds(context, view.id))) continue;
    if (await isPredecessor(context, view)) continue;
    const holderOf = await holdersElsewhere(context);
    if (holderOf(view)) continue;
    throw new RefusedError(leftoverRefusal(context, view));
  }
}

/** The marks of this resource under one of its names. */
function marksUnder({ runtime, stack: { organization } }: Context, urn: string): Marks {
  return marksOf({ organization, urn, namespace: runtime.settings.namespace });
}

/** Whether an entry of this resource names it as one that it once replaced, or asks for it under this very label. */
async function isPredecessor({ runtime, stack, type }: Context, { id, label }: View): Promise<boolean> {
  const entries = await runtime.state.entries(stack);
  return (
    entries?.some(
      ({ type: other, outputs }) =>
        other === type && (outputs["label"] === label || includesText(outputs[predecessorsKey], id)),
    ) ?? false
  );
}

function includesText(list: unknown, text: string): boolean {
  return Array.isArray(list) && list.includes(text);
}

/** The live machines with this resource's mark at this moment, but for its own: they are no leftovers to the next create. */
export async function predecessorsOf(context: Context, ownId: string): Promise<string[]> {
  if (!hasOwnMark(context)) return [];
  const snapshot = await listOf(context)
    .latest()
    .catch(() => undefined);
  const marked = snapshot?.withMarks(context.marks).filter(isLive) ?? [];
  return marked.map(({ id }) => id).filter((id) => id !== ownId);
}

function leftoverRefusal(context: Context, view: View): string {
  // Programs give members of a fleet neither ids nor names.
  const use = context.isMember
    ? `\`gpufleet recover --adopt ${view.id} --urn ${inQuotes(context.urn)}\` uses it.`
    : `set adoptId: ${view.id} to use it, or rename this resource.`;
  return [
    `refused, nothing was created: ${describe(context, view)} was created for this resource, but is missing from the state.`,
    "If a run was interrupted, `gpufleet recover` adds it to the state.",
    `If it was kept on purpose (retainOnDelete), ${use}`,
    "If it belongs to another stack with the same name, set gpufleet:namespace for this one.",
  ].join(" ");
}

/** With a label that a person chose, nobody can tell a machine left over from one that merely has the same name. */
async function warnOfNamesake(context: Context, snapshot: Snapshot<unknown>): Promise<void> {
  const { label } = context.inputs;
  if (!label || hasOwnMark(context)) return;
  const namesakes = snapshot.withLabel(label).filter((view) => isFree(context, view));
  if (namesakes.length === 0) return;
  const held = await heldIds(context);
  for (const view of namesakes.filter(({ id }) => !held.includes(id))) {
    context.runtime.engine.warn(
      context.urn,
      `${describe(context, view)} has the same label. If it is left over from an interrupted run, set adoptId: ${view.id} instead of renting another one.`,
    );
  }
}

/** Sends the request once. A reply that was lost is looked for; the request is never sent again. */
async function postOnce(
  context: Context,
  list: SharedList<unknown>,
  before: Snapshot<unknown> | undefined,
): Promise<View> {
  const { runtime, type } = context;
  refuseWrongAddress(context);
  const since = list.cursor();
  if (before) runtime.memory.rememberBefore(context.urn, before.ids());
  try {
    return await runtime.memory.underWay(type, () => post(context, before));
  } catch (error) {
    const isLost = error instanceof OutcomeUnknownError || error instanceof AnothersAnswer;
    if (isLost) return findLost(context, list, before, since, error);
    if (error instanceof ServiceError && isRefusal(error)) return madeAllTheSame(context, list, before, since, error);
    throw error;
  }
}

/** What the request has made, which from then on is this resource's alone. */
async function post(context: Context, before: Snapshot<unknown> | undefined): Promise<View> {
  const { definition, inputs, runtime, type } = context;
  if (!definition.post) throw new Error(`${type} has no request that creates it`);
  const view = await definition.post(runtime.client, inputs, callFor(context), runtime);
  if (isAnothers(context, before, view)) {
    throw new AnothersAnswer(`the service answered with ${describe(context, view)}, which is another one`);
  }
  runtime.memory.claim(type, view.id);
  warnOfRewrittenLabel(context, view);
  return view;
}

/** The answer to a create names a machine that it has not made. */
class AnothersAnswer extends Error {}

/** Whether the answer is about a machine that ran before it was asked for, or that has a label of somebody else's. */
function isAnothers(
  context: Context,
  before: Snapshot<unknown> | undefined,
  { id, label: shown, kept }: View,
): boolean {
  const { label } = context.inputs;
  // Of several names another one may be the id.
  if (kept?.[namesKey] !== undefined) return false;
  const earlier = before?.has(id) && !before.isUnreadable(id) ? before.find(id) : undefined;
  if (earlier && isLive(earlier)) return true;
  return label !== undefined && shown !== undefined && shown !== "" && !mayBeMadeOf(label, shown);
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

/** What is known to be wrong for one resource of the stack is wrong for what would be rented beside it. */
function refuseWrongAddress({ runtime }: Context): void {
  const reason = runtime.memory.whyElsewhere();
  if (!reason) return;
  throw new RefusedError(
    `refused, nothing was created: another resource of this stack is not at this address: ${reason}`,
  );
}

function isRefusal({ status = 0 }: ServiceError): boolean {
  return status >= 400 && status < 500 && status !== 429;
}

/** A refusal may come after the effect: a proxy has sent the request twice, or the service gave up on its own. The list tells. */
async function madeAllTheSame(
  context: Context,
  list: SharedList<unknown>,
  before: Snapshot<unknown> | undefined,
  since: number,
  refusal: ServiceError,
): Promise<View> {
  const snapshot = await list
    .fresh()
    .catch((error: unknown) => (error instanceof Error ? error : new Error(String(error))));
  if (snapshot instanceof OperationUnavailableError) throw refusal;
  // Without a look the refusal is no better than a lost reply.
  if (snapshot instanceof Error) return findLost(context, list, before, since, refusal);
  const alike = hasOwnMark(context) ? snapshot.withLabel(fingerprintOf(context)) : [];
  const free = alike.filter((view) => isFree(context, view));
  const [made] = await unheld(context, free);
  if (made) {
    context.runtime.memory.claim(context.type, made.id);
    context.runtime.engine.warn(
      context.urn,
      `the service answered "${refusal.reason}", but has created ${describe(context, made)}: it is used`,
    );
    return made;
  }
  // Also for want of capacity: a proxy that sends the request twice takes the last one with the first, and hears that from the second.
  const created = unresolvedIn(context, before);
  const { lookalikes, unreadable } = await suspectsIn(context, snapshot, before, created);
  if (lookalikes.length > 0) {
    throw unresolvedError(
      context,
      `${refusal.message.replace(/\.$/, "")}. Yet ${await mayBeIt(context, lookalikes, created.asked)}`,
      keptOf(context, created),
      refusal,
    );
  }
  // What came up and cannot be read may be it.
  if (unreadable.length > 0) return findLost(context, list, before, since, refusal);
  throw refusal;
}

/** This create, as it is looked for where its outcome is in doubt. */
function unresolvedIn(context: Context, before: Snapshot<unknown> | undefined): Unresolved {
  const { clock, settings } = context.runtime;
  const fingerprint = fingerprintOf(context);
  const isCertain = hasOwnMark(context);
  const until = clock.now() + settings.listLagMs;
  const created = { fingerprint, isProof: isCertain, asked: { ...context.inputs }, until, idsBefore: undefined };
  if (!before) return created;
  if (!isCertain) return { ...created, idsBefore: [...before.ids()] };
  // With a label of its own, only what could be taken for its outcome needs to be known.
  const alike = [...before.withLabel(fingerprint), ...rewrittenIn(context, before, created, () => false)];
  return { ...created, idsBefore: alike.map(({ id }) => id) };
}

/** The same as the state keeps it. */
function keptOf({ runtime: { settings } }: Context, { until, idsBefore, isProof }: Unresolved): Values {
  return {
    [lostAtKey]: new Date(until - settings.listLagMs).toISOString(),
    ...(idsBefore && (!isProof || idsBefore.length > 0) ? { [beforeKey]: [...idsBefore] } : {}),
  };
}

/** What may be the outcome of a create, although nothing proves it. */
interface Suspects {
  lookalikes: View[];
  unreadable: Unreadable[];
}

/** What this list shows and may be the outcome. What creates side by side have made is theirs, as soon as they are answered. */
async function suspectsIn(
  context: Context,
  snapshot: Snapshot<unknown>,
  before: Snapshot<unknown> | undefined,
  created: Unresolved,
): Promise<Suspects> {
  const unreadable = snapshot.unreadableSince(before);
  const look = (isHeld: IsHeld): Suspects => ({
    lookalikes: lookalikesIn(context, snapshot, created, isHeld),
    unreadable: unreadableIn(context, unreadable, created, isHeld),
  });
  const first = look(() => false);
  if (first.lookalikes.length === 0 && first.unreadable.length === 0) return first;
  await untilOthersAreAnswered(context);
  return look(await heldAnywhere(context));
}

/** Only those that are under way by now: what is sent later is in no list that was had before. */
async function untilOthersAreAnswered({ deadline, runtime: { clock, memory }, type }: Context): Promise<void> {
  await beforeDeadline(clock, deadline, () => memory.whenAnswered(type)).catch(() => undefined);
}

/** However little time is left, a lost reply is worth a look. */
const shortestLook = 10_000;

/** What a create has made whose reply was lost. With an automatic label it is found and used; without, a person settles it. */
async function findLost(
  context: Context,
  list: SharedList<unknown>,
  before: Snapshot<unknown> | undefined,
  since: number,
  lost: Error,
): Promise<View> {
  const created = unresolvedIn(context, before);
  const found = created.isProof
    ? await waitForLabel(context, list, created.fingerprint, since).catch(messageOf)
    : undefined;
  if (typeof found === "object") {
    context.runtime.memory.claim(context.type, found.id);
    return found;
  }
  const waited = found === undefined ? "" : `${found.replace(/\.$/, "")}. `;
  const next = await nameSuspects(context, list, before, created);
  throw unresolvedError(
    context,
    `${lost.message.replace(/\.$/, "")}. It is unknown whether it was created: ${waited}${next}`,
    keptOf(context, created),
    lost,
  );
}

/** What was created, and is not known by its id, where the answer gave several names and no list has shown one of them. */
export function unlistedError(context: Context, names: readonly string[], cause: unknown): PartialStateError {
  const { clock, memory } = context.runtime;
  const reason = messageOf(cause).replace(/\.$/, "");
  return unresolvedError(
    context,
    `it was created as ${names.join(" and ")}, and no list has shown which of these is its id: ${reason}. The next \`pulumi up\` looks again before it creates another one.`,
    {
      [lostAtKey]: new Date(clock.now()).toISOString(),
      [namesKey]: [...names],
      [beforeKey]: [...(memory.idsBefore(context.urn) ?? [])],
    },
    cause,
  );
}

/** Puts a create that cannot be named by its id into the state all the same. */
function unresolvedError(context: Context, message: string, kept: Values, cause: unknown): PartialStateError {
  const isChosenLabel = context.inputs.label !== undefined && !hasOwnMark(context);
  const where = whereaboutsOf(context.runtime.service, context.definition.kind.base, {});
  return new PartialStateError(
    message,
    unresolvedId(fingerprintOf(context), isChosenLabel),
    { status: "Unknown", [whereKey]: where, ...kept },
    { cause },
  );
}

async function waitForLabel(context: Context, list: SharedList<unknown>, label: string, since: number): Promise<View> {
  const { clock, settings } = context.runtime;
  const lostAt = clock.now();
  const held = await heldIds(context);
  try {
    return await waitUntil<unknown, View>({
      operation: context,
      list,
      prompt: true,
      since,
      deadline: lostAt + Math.min(settings.listLagMs, Math.max(context.deadline - lostAt, shortestLook)),
      judge: (snapshot) => {
        const found = snapshot.withLabel(label).find((view) => isFree(context, view) && !held.includes(view.id));
        return found ? { kind: "done", result: found } : { kind: "pending", status: "not listed" };
      },
      progress: (_, elapsed) => `the reply was lost; looking for "${label}" in the list (${showDuration(elapsed)})`,
    });
  } catch (error) {
    if (!(error instanceof WaitTimeoutError)) throw error;
    throw new Error(`"${label}" was not listed within ${showDuration(clock.now() - lostAt)}`, {
      cause: error,
    });
  }
}

/** What may be it, as a list shows it now, and how it is settled. */
async function nameSuspects(
  context: Context,
  list: SharedList<unknown>,
  before: Snapshot<unknown> | undefined,
  created: Unresolved,
): Promise<string> {
  const { asked, isProof } = created;
  try {
    // Whoever has waited for its label has had a list just now.
    const snapshot = await (isProof ? list.latest() : list.fresh());
    const { lookalikes, unreadable } = await suspectsIn(context, snapshot, before, created);
    const [first] = unreadable;
    if (first && lookalikes.length === 0) return mayBeUnreadable(context, first);
    if (isProof && lookalikes.length === 0) return looksAgain;
    return await mayBeIt(context, lookalikes, asked, { byItself: ` ${looksAgain}` });
  } catch (error) {
    return isProof ? looksAgain : `${messageOf(error).replace(/\.$/, "")}. ${looksAgain}`;
  }
}

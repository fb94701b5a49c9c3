import { isAutomaticLabel } from "../../shared/label";
import { messageOf } from "../../shared/messageOf";
import { inQuotes } from "../../shared/shell";
import { readTimestamp } from "../../shared/timestamp";
import { ifUnavailable, listOf } from "../context";
import type { Operation, OperationContext } from "../definition";
import { heldHere, unheld } from "../holders";
import {
  isLive,
  type LifecycleInputs,
  predecessorsKey,
  RefusedError,
  readWhereabouts,
  type Snapshot,
  twinsKey,
  UnprovenAbsenceError,
  type Values,
  type View,
  volumeKey,
  WaitTimeoutError,
  whereKey,
} from "../model";
import { findRecordOrProveAbsent } from "../waiting";
import { lookalikesIn } from "./lookalikes";
import { describe, fingerprintOf, hasOwnMark, isFree } from "./ownership";

type Context = OperationContext<LifecycleInputs>;

/** A proxy sends a request again when it has waited for minutes at most. */
const twinsWithinMs = 600_000;

/** What a proxy may have made by sending the create of a resource twice. */
export interface Twin {
  view: View;
  /** Why it is left alone all the same; undefined where it is ours for certain. */
  doubt?: string;
  /** Whether it may be the very one whose twin is looked for. */
  mayBeItself?: boolean;
}

/**
 * What a proxy may have made by sending the create of this one twice, and no state holds: it has the same automatic label, and was not
 * created at another time. What the state knows of is looked for until it is found or proven to be gone: a list may leave it out.
 */
export async function findTwins(
  context: OperationContext<object>,
  id: string,
  isDone: (twin: string) => boolean = () => false,
): Promise<Twin[]> {
  const inputs: Values = { ...context.inputs };
  if (!mayHaveTwins(context, inputs)) return [];
  const snapshot = await listOf(context).latest().catch(ifUnavailable);
  if (!snapshot) return [];
  const listed = listedTwins({ ...context, inputs }, snapshot, id).filter((view) => !isDone(view.id));
  const isMissed = (known: string) => known !== id && !isDone(known) && !listed.some((view) => view.id === known);
  const missed = twinsKnownIn(inputs).filter(isMissed);
  const found = await Promise.all(missed.map((known) => findKnown({ ...context, inputs }, snapshot, known)));
  return withDoubts({ ...context, inputs }, id, [...listed, ...found.flatMap((view) => view ?? [])]);
}

/** The ids of those that the list shows now or that the state knows of, for it to keep. */
export async function noteTwins(context: OperationContext<Values>, id: string): Promise<Values> {
  const { inputs } = context;
  if (!mayHaveTwins(context, inputs)) return {};
  const snapshot = await listOf(context).latest().catch(ifUnavailable);
  const known = twinsKnownIn(inputs).filter((one) => one !== id && !snapshot?.ended(one, inputs["label"]));
  if (!snapshot) return keepingTwins(known);
  const createdAt = createdAtOf(context, snapshot, id);
  const isTwin = (view: View) => isCertain(context, view, createdAt) && !mayBeItself(snapshot, id, view);
  const listed = twinsIn(context, snapshot, { id, createdAt }).filter(isTwin);
  return keepingTwins([...known, ...(await unheld(context, listed)).map((view) => view.id)]);
}

/** What was adopted was created by another request than ours. */
function mayHaveTwins({ definition }: OperationContext, { label, adoptId }: Values): boolean {
  return definition.post !== undefined && isAutomaticLabel(label) && adoptId === undefined;
}

function keepingTwins(ids: readonly string[]): Values {
  return { [twinsKey]: ids.length > 0 ? [...new Set(ids)] : undefined };
}

export function twinsKnownIn(state: Values): string[] {
  const known = state[twinsKey];
  return Array.isArray(known) ? known.map(String) : [];
}

function listedTwins(context: OperationContext<Values>, snapshot: Snapshot<unknown>, id: string): View[] {
  return twinsIn(context, snapshot, { id, createdAt: createdAtOf(context, snapshot, id) });
}

function createdAtOf({ inputs }: OperationContext<Values>, snapshot: Snapshot<unknown>, id: string): unknown {
  const own = snapshot.isUnreadable(id) ? undefined : snapshot.find(id, inputs["label"]);
  return own?.createdAt ?? inputs["createdAt"];
}

function twinsIn(
  context: OperationContext<{ label?: unknown }>,
  snapshot: Snapshot<unknown>,
  { id, createdAt }: { id: string; createdAt?: unknown },
): View[] {
  const { label } = context.inputs;
  if (!isAutomaticLabel(label)) return [];
  const isOpen = (view: View) => view.id !== id && isFree(context, view) && isAtOneTime(view, createdAt) !== false;
  return snapshot.withLabel(label).filter(isOpen);
}

/** One that the state knows of and a list lacks. What is listed and cannot be read is there: its id is enough. */
async function findKnown(
  operation: OperationContext<Values>,
  snapshot: Snapshot<unknown>,
  id: string,
): Promise<View | undefined> {
  const { label } = operation.inputs;
  if (snapshot.isUnreadable(id) && (snapshot.labelOfUnreadable(id) ?? label) === label)
    return { id, label: String(label), status: "unknown", phase: "pending", observedInputs: {} };
  const found = await findRecordOrProveAbsent(operation, listOf(operation), { id, label }).catch((error: unknown) => {
    throw error instanceof WaitTimeoutError ? withWayOut(operation, id, error) : error;
  });
  // Another one may have its id by now.
  return found && found.label === label && isLive(found) && isFree(operation, found) ? found : undefined;
}

/** It is the twin that is not found, and not the one whose entry waits for it. A list may never come to be readable: a person can settle it. */
function withWayOut({ noun, urn }: Operation, id: string, error: WaitTimeoutError): RefusedError {
  const reason = error instanceof UnprovenAbsenceError ? error.why : messageOf(error).replace(/\.$/, "");
  return new RefusedError(
    `whether ${noun} ${id}, which was created by the same request, still runs is not known: ${reason}. Run this again when the list can be read. Or look for ${noun} ${id} in the service's console, end it there if it still runs, and remove this resource with \`pulumi state delete ${inQuotes(urn)}\`, which ends nothing.`,
    { cause: error },
  );
}

async function withDoubts(context: OperationContext<Values>, id: string, views: readonly View[]): Promise<Twin[]> {
  const { runtime, stack } = context;
  const open = await unheld(context, views);
  if (open.length === 0) return [];
  const isWhole = await runtime.state.isWhole(stack);
  const snapshot = await listOf(context).latest();
  const createdAt = createdAtOf(context, snapshot, id);
  const known = twinsKnownIn(context.inputs);
  return open.map((view) => {
    const isKnown = known.includes(view.id);
    if (mayBeItself(snapshot, id, view) && !isKnown) {
      return { view, mayBeItself: true, doubt: "its record has no id of its own, so it may be this very one" };
    }
    if (!isWhole)
      return {
        view,
        doubt: "whether another stack has it is not known, because not every state of the backend was read",
      };
    if (isKnown || isCertain(context, view, createdAt)) return { view };
    return { view, doubt: "nothing proves that the same request created it" };
  });
}

/** Where it is not listed by its own id, what has its label and no id of its own may be this very one. */
function mayBeItself(snapshot: Snapshot<unknown>, id: string, view: View): boolean {
  return view.hasOwnId === false && !snapshot.has(id);
}

/** A label in the style of ours that a person chose may be a copy of another's. */
function isCertain(context: OperationContext<Values>, view: View, createdAt: unknown): boolean {
  return hasOwnMark(context) || isAtOneTime(view, createdAt) === true;
}

/** Says that one is left alone. */
export function nameDoubtful(context: OperationContext, view: View, doubt: string): void {
  context.runtime.engine.warn(
    context.urn,
    `${describe(context, view)} has the same label, but ${doubt}, so it is not terminated. If nobody else has it, end it in the service's console.`,
  );
}

/** The twin of one that is gone, to take its place: without an entry, nothing would tell that it is ours. */
export async function findSuccessor(context: OperationContext<Values>, id: string): Promise<View | undefined> {
  const twins = await findTwins(context, id);
  for (const { view, doubt } of twins) if (doubt !== undefined) nameDoubtful(context, view, doubt);
  const [itself] = twins.filter(({ mayBeItself }) => mayBeItself);
  if (itself)
    throw new RefusedError(
      `${context.noun} ${id} is not listed, but ${describe(context, itself.view)} has its label and no id of its own, so it may be this very one. Nothing was changed.`,
    );
  const [certain] = twins.filter(({ doubt }) => doubt === undefined);
  // In full: what cannot be read throws here, and the entry stays as it is.
  return certain && (await listOf(context).latest()).find(certain.view.id, context.inputs["label"]);
}

/** What the state of one that is gone has to say of the twin that takes its place. */
export function ofTwin(carried: Values, state: Values, { id }: View): Values {
  const { created: _, ...where } = { ...readWhereabouts(state) };
  const before: unknown = Object(state[volumeKey])["before"];
  const predecessors = state[predecessorsKey];
  return {
    ...carried,
    ...(state[whereKey] !== undefined && { [whereKey]: where }),
    // Its volume is another one.
    ...(state[volumeKey] !== undefined && { [volumeKey]: { before } }),
    ...(Array.isArray(predecessors) && { [predecessorsKey]: predecessors.filter((one) => one !== id) }),
    ...keepingTwins(twinsKnownIn(state).filter((one) => one !== id)),
  };
}

/** Whether it was created when the other one was, as one request that was sent twice does it. Undefined where that is not known. */
export function isAtOneTime({ createdAt: own }: { createdAt?: unknown }, createdAt: unknown): boolean | undefined {
  const [one, other] = [readTimestamp(own), readTimestamp(createdAt)];
  return one === undefined || other === undefined ? undefined : Math.abs(other - one) <= twinsWithinMs;
}

/**
 * A proxy that repeats a request makes twins: they are named, and destroy ends them. Gives their ids for the state to keep, because a
 * later list may leave them out.
 */
export async function warnOfTwins(context: Context, view: View): Promise<Values> {
  const { label } = context.inputs;
  if (!context.definition.post) return {};
  const snapshot = context.inputs.waitForReady
    ? await listOf(context)
        .latest()
        .catch(() => undefined)
    : undefined;
  if (snapshot) await nameLookalikes(context, snapshot, view);
  if (label === undefined || !hasOwnMark(context)) return {};
  const isTwin = (twin: View) => snapshot !== undefined && !mayBeItself(snapshot, view.id, twin);
  const twins = snapshot ? twinsIn(context, snapshot, view).filter(isTwin) : [];
  for (const twin of twins) {
    context.runtime.engine.warn(
      context.urn,
      `${describe(context, twin)} was created by the same request and bills, too. \`pulumi destroy\` terminates both; \`gpufleet orphans\` lists it.`,
    );
  }
  return keepingTwins(twins.map(({ id }) => id));
}

/** Without the very label that was chosen for it nothing proves it: what came up beside it is named, and that is all. */
async function nameLookalikes(context: Context, snapshot: Snapshot<unknown>, view: View): Promise<void> {
  const { definition, inputs, runtime, urn } = context;
  const before = runtime.memory.idsBefore(urn);
  const isProof = hasOwnMark(context);
  // Where the service keeps labels, a twin has it as well, and nothing else needs to be looked at: a thousand creates come by here.
  const isKept = isProof && (!view.label || view.label === inputs.label);
  if (!before || isKept) return;
  const isHeld = await heldHere(context);
  const fingerprint = fingerprintOf(context);
  const made = { fingerprint, isProof, idsBefore: [...before], asked: { ...inputs }, since: runtime.clock.now() };
  const found = lookalikesIn(context, snapshot, made, (one) => one.id === view.id || isHeld(one));
  // What has no label where others have one is somebody else's.
  const isLikely = ({ label }: View) =>
    label ? !(isProof && label === fingerprint) : !("label" in definition.inputs.shape);
  for (const twin of found.filter(isLikely)) {
    runtime.engine.warn(
      urn,
      `${describe(context, twin)} came up at the same time and bills, too. If nobody else has rented it, a proxy has sent the request twice: end it in the service's console.`,
    );
  }
}

import { type Marks, marksOf, plainLabel } from "../../shared/label";
import { namesOfUnreadable } from "../../shared/namesOfUnreadable";
import { inQuotes } from "../../shared/shell";
import { inStackOf } from "../../shared/urn";
import { listOf } from "../context";
import type { Operation, OperationContext } from "../definition";
import { heldIds, holdersElsewhere, holdersOf, originsInState, stateHolds, urnsHad } from "../holders";
import {
  isBeyondRepair,
  isLive,
  type LifecycleInputs,
  mayBe,
  predecessorsKey,
  RefusedError,
  type Snapshot,
  type View,
} from "../model";
import { describe, hasOwnMark, isFree } from "./ownership";

type Context = OperationContext<LifecycleInputs>;

/** Refuses to rent while something is listed that cannot be read and may be what an interrupted run has left. */
export async function refuseUnreadable(context: Context, { unreadable }: Snapshot<unknown>): Promise<void> {
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

/**
 * Refuses to rent while a live machine with this resource's mark is in no state: it may be what an interrupted run has left. So may what
 * a refresh of this run has dropped, whatever its label.
 */
export async function refuseLeftover(context: Context, snapshot: Snapshot<unknown>): Promise<void> {
  const [returned] = await returnedIn(context, snapshot);
  if (returned) throw new RefusedError(returnedRefusal(context, returned));
  for (const view of await markedIn(context, snapshot)) {
    if (isBeyondRepair(view.phase) || !(await isLeftover(context, view))) continue;
    throw new RefusedError(leftoverRefusal(context, view));
  }
}

/**
 * Names what has failed and is in no state. Nothing runs twice beside it, and a person may have taken it out of the state as something
 * that the service does not end.
 */
export async function warnOfFailed(context: Context, snapshot: Snapshot<unknown>): Promise<void> {
  for (const view of await markedIn(context, snapshot)) {
    if (!isBeyondRepair(view.phase) || !(await isLeftover(context, view))) continue;
    context.runtime.engine.warn(
      context.urn,
      `${describe(context, view)} was created for this resource, but is missing from the state. It has failed, so nothing is refused for it; whether it is billed, the service's console shows. \`gpufleet orphans\` says how to terminate it.`,
    );
  }
}

/** The live machines with this resource's mark. */
async function markedIn(context: Context, snapshot: Snapshot<unknown>): Promise<View[]> {
  return (await marksHad(context)).flatMap((marks) => snapshot.withMarks(marks)).filter(isLive);
}

/** Whether no state has it, or had it until it was replaced. */
async function isLeftover(context: Context, view: View): Promise<boolean> {
  if (context.runtime.memory.knowsLabel(view.label) || (await stateHolds(context, view.id))) return false;
  if (await isPredecessor(context, view)) return false;
  const holderOf = await holdersElsewhere(context);
  return !holderOf(view) && !(await isPredecessorElsewhere(context, view));
}

/** The marks of this resource under all of its names, and under those that its stack had. */
async function marksHad(context: Context): Promise<Marks[]> {
  const { runtime, stack, urn } = context;
  const { namespace } = runtime.settings;
  const stacks = [{ organization: stack.organization, urn }, ...(await originsInState(context))];
  const names = await urnsHad(context);
  const all = stacks.flatMap(({ organization, urn: like }) =>
    names.map((name) => marksOf({ organization, urn: inStackOf(name, like), namespace })),
  );
  return [...new Map(all.map((marks) => [`${marks.stack} ${marks.resource}`, marks])).values()];
}

/** Whether an entry of this resource names it as one that it once replaced, or asks for it under this very label. */
async function isPredecessor({ runtime, stack, type }: Context, { id, label }: View): Promise<boolean> {
  const entries = await runtime.state.entries(stack);
  return (
    entries?.some(
      (entry) =>
        entry.type === type && (entry.outputs["label"] === label || includesText(entry.outputs[predecessorsKey], id)),
    ) ?? false
  );
}

/** Whether a resource that is in another stack by now once replaced it, and kept it. */
async function isPredecessorElsewhere({ runtime, stack, type }: Context, { id, account }: View): Promise<boolean> {
  const entries = await runtime.state.elsewhere(stack);
  return entries.some(({ outputs, ...entry }) => {
    const isNamed = entry.type === type && includesText(outputs[predecessorsKey], id);
    // Without its label, which is that of the one that replaced it.
    return isNamed && mayBe(outputs, { account }, runtime.service);
  });
}

function includesText(list: unknown, text: string): boolean {
  return Array.isArray(list) && list.includes(text);
}

/** What else runs with a resource's mark. */
export interface Others {
  /** What it has replaced: no leftovers to the next create. */
  predecessors: string[];
  /** What came up too late to be refused for. */
  leftovers: View[];
}

/** What runs with this resource's mark beside its own machine, by the latest list. */
export async function othersWithMark(context: Context, ownId: string): Promise<Others> {
  const others: Others = { predecessors: [], leftovers: [] };
  if (!hasOwnMark(context)) return others;
  const snapshot = await listOf(context)
    .latest()
    .catch(() => undefined);
  const dropped = droppedIds(context);
  for (const view of snapshot ? await markedIn(context, snapshot) : []) {
    if (view.id === ownId) continue;
    // What a refresh has dropped was not replaced.
    if (dropped.includes(view.id) || (await isLeftover(context, view))) others.leftovers.push(view);
    else others.predecessors.push(view.id);
  }
  // What had failed before the create was named then.
  const before = context.runtime.memory.idsBefore(context.urn);
  others.leftovers = others.leftovers.filter(({ id, phase }) => !(isBeyondRepair(phase) && before?.has(id)));
  return others;
}

/** Says what runs beside it although no state has it: by the time the lists showed it, this one was created. */
export function warnOfLeftovers(context: Context, { leftovers }: Others): void {
  for (const view of leftovers) {
    context.runtime.engine.warn(
      context.urn,
      `${describe(context, view)} was created for this resource, too, but is missing from the state; it was listed only after another one had been created. \`gpufleet recover\` says what to do with it.`,
    );
  }
}

/** What this resource had, perhaps by a former name, until a refresh of this process has dropped it. */
export function droppedIds({ runtime, type, urn }: Operation): string[] {
  return runtime.memory.droppedIdsFor(type, urn);
}

/** Those of them that run after all. What has only the id of one, by what the state had of that, is somebody else's. */
async function returnedIn(context: Context, snapshot: Snapshot<unknown>): Promise<View[]> {
  const { runtime, type } = context;
  const found: View[] = [];
  for (const id of droppedIds(context)) {
    const view = snapshot.find(id);
    if (!view || !isLive(view) || !runtime.memory.isFree(type, id)) continue;
    const holders = await holdersOf(context, id);
    const isAnothers = holders.length > 0 && !holders.some(({ outputs }) => mayBe(outputs, view, runtime.service));
    if (!isAnothers) found.push(view);
  }
  return found;
}

function returnedRefusal(context: Context, view: View): string {
  const { runtime, type, urn } = context;
  const isOwn = runtime.memory.droppedIdsOf(type, urn).includes(view.id);
  const adopt = `\`gpufleet recover --adopt ${view.id} --urn ${inQuotes(urn)}\` puts it back`;
  const wayOn = isOwn
    ? adopt
    : `The state had another name for it: if that is a former one of this resource, ${adopt}; if not, run this again`;
  return `refused, nothing was created: the refresh of this run has dropped ${describe(context, view)} from the state, because lists lacked it for as long as they may lag, but now it is listed again. ${wayOn}.`;
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
export async function warnOfNamesake(context: Context, snapshot: Snapshot<unknown>): Promise<void> {
  const { label } = context.inputs;
  if (!label || hasOwnMark(context)) return;
  const isSame = (shown: string) =>
    shown === label || (plainLabel(shown) === plainLabel(label) && plainLabel(label) !== "");
  const namesakes = snapshot.views().filter((view) => view.label && isSame(view.label) && isFree(context, view));
  if (namesakes.length === 0) return;
  const held = await heldIds(context);
  for (const view of namesakes.filter(({ id }) => !held.includes(id))) {
    context.runtime.engine.warn(
      context.urn,
      `${describe(context, view)} has the same label. If it is left over from an interrupted run, set adoptId: ${view.id} instead of renting another one.`,
    );
  }
}

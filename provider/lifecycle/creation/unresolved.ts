import type { Unreadable } from "../../service";
import { showDuration } from "../../shared/duration";
import { plainLabel } from "../../shared/label";
import { namesOfUnreadable } from "../../shared/namesOfUnreadable";
import { inQuotes } from "../../shared/shell";
import { readTimestamp } from "../../shared/timestamp";
import { listOf, refuseElsewhere } from "../context";
import type { Operation, OperationContext } from "../definition";
import { heldHere, type IsHeld, unheld, unresolvedOf } from "../holders";
import {
  isOtherLabel,
  type LifecycleInputs,
  RefusedError,
  type Snapshot,
  type Unresolved,
  type Values,
  type View,
  WaitTimeoutError,
} from "../model";
import { findOrProveAbsent, refuseOtherAccount } from "../waiting";
import { describe, differences, isFree, mayBeMadeOf } from "./ownership";

/**
 * What an earlier create of this resource has made, if its reply was lost and its automatic label is now listed: that is proof.
 * One that is no longer what the program asks for is not taken: the delete of the replaced resource ends it. Without proof
 * nothing is taken, and nothing is made while something may be the outcome: a person settles it.
 */
export async function takeResolved(
  context: OperationContext<LifecycleInputs>,
  now: Snapshot<unknown> | undefined,
): Promise<View | undefined> {
  const unresolved = await unresolvedOf(context);
  if (!unresolved) return undefined;
  if (!now) {
    throw new RefusedError(
      `refused, nothing was created: an earlier request for "${unresolved.fingerprint}" may have created one, and the service has no list to look it up in. Look for it in the service's console. ${waysToSettle(context)}`,
    );
  }
  const [outcome] = await findOutcomes(context, unresolved);
  if (!outcome) return undefined;
  const { inputs, runtime, type, urn } = context;
  if (differences(outcome, { ...inputs, label: undefined }).length > 0) return undefined;
  runtime.memory.takeOver(type, outcome.id, urn);
  return outcome;
}

/**
 * What a create whose reply was lost has made: more than one where a proxy has sent it twice, none when that is proven. Where
 * there is no proof either way, it is refused with what may be the outcome.
 */
export async function findOutcomes(
  context: OperationContext,
  unresolved: Unresolved,
  { heldBy = heldHere }: { heldBy?: (operation: Operation) => Promise<IsHeld> } = {},
): Promise<View[]> {
  const { asked, fingerprint } = unresolved;
  refuseElsewhere(context, asked);
  const isHeld = await heldBy(context);
  const found = await looking(context, unresolved, isHeld, () =>
    findOrProveAbsent({
      operation: context,
      list: listOf(context),
      find: (snapshot) => {
        const candidates = candidatesIn(context, snapshot, unresolved, isHeld);
        return candidates.length > 0 || isSettled(snapshot, unresolved) ? candidates : undefined;
      },
      isConclusive: ({ unreadable }) => unreadableIn(context, unreadable, unresolved, isHeld).length === 0,
      progress: (elapsed) => `an earlier reply was lost; looking for "${fingerprint}" (${showDuration(elapsed)})`,
    }),
  );
  if (!found) await refuseOtherAccount(context, listOf(context), asked, `"${fingerprint}"`);
  if (found && isProvenBy(unresolved, found)) return unheld(context, found);
  const lookalikes = found ?? rewrittenIn(context, await listOf(context).latest(), unresolved, isHeld);
  if (lookalikes.length === 0) return [];
  throw new RefusedError(
    `an earlier request for "${fingerprint}" may have created one, and its outcome is not known. ${await mayBeIt(context, lookalikes, asked)}`,
  );
}

/** Whether what was found is its outcome for certain. Where several have one of the names each, nothing tells which of them is meant. */
export function isProvenBy({ isProof, names }: Pick<Unresolved, "isProof" | "names">, found: readonly View[]): boolean {
  return isProof && found.length > 0 && !(names && found.length > 1);
}

/** Between the request and its record, by clocks that agree only roughly. */
const slack = 60_000;

/** What is listed and may be the outcome, although nothing proves it: with the label, or with what a service may have made of it. */
export function lookalikesIn(...look: Parameters<typeof rewrittenIn>): View[] {
  const [, , { isProof }] = look;
  const candidates = isProof ? [] : candidatesIn(...look);
  return candidates.length > 0 ? candidates : rewrittenIn(...look);
}

/**
 * What may be the outcome of a create whose label no list shows: a service may rewrite labels, or drop them. Nothing proves it, so a
 * person settles it.
 */
export function rewrittenIn(
  context: OperationContext,
  snapshot: Snapshot<unknown>,
  { fingerprint, isProof, names, answered, asked, since, idsBefore }: Unresolved,
  isHeld: IsHeld,
): View[] {
  if (names) return [];
  const { client, clock } = context.runtime;
  const earliest = since + (client.serviceNow() - clock.now()) - slack;
  // Its time says little: a reply may be waited for long, and clocks differ. What was there before tells more, where that is known.
  const isEarlier = ({ id, createdAt }: View) =>
    idsBefore ? idsBefore.includes(id) : (readTimestamp(createdAt) ?? earliest) < earliest;
  // An automatic label is chosen for one create: what has all of it is not older than that.
  const isWhole = ({ label }: View) => isProof && !!label && plainLabel(label).includes(plainLabel(fingerprint));
  const isLikely = (view: View) => {
    if (view.id === answered || isWhole(view)) return true;
    if (isEarlier(view)) return false;
    const isAlike = isAsAsked(view, { ...asked, label: undefined });
    // Of a label that a person chose, others may have one that is much the same.
    return view.label ? mayBeMadeOf(fingerprint, view.label) && (isProof || isAlike) : isAlike;
  };
  const isOpen = (view: View) => isFree(context, view) && !isHeld(view);
  return snapshot.views().filter((view) => isOpen(view) && isLikely(view));
}

/** Whether nothing that a record shows differs from what was asked for, in one of the regions that may have been tried. */
function isAsAsked(view: View, asked: Values): boolean {
  const { region, fallbackRegions, ...rest } = asked;
  const regions = [region, ...(Array.isArray(fallbackRegions) ? fallbackRegions : [])].filter(
    (one) => one !== undefined,
  );
  const isThere = view.region === undefined || regions.length === 0 || regions.includes(view.region);
  return isThere && differences(view, rest).length === 0;
}

/** What cannot be read and may be the outcome: neither held, nor there before, nor with a label that is certainly another's. */
export function unreadableIn(
  { runtime, type }: Operation,
  unreadable: readonly Unreadable[],
  { asked, idsBefore = [] }: Pick<Unresolved, "asked" | "idsBefore">,
  isHeld: IsHeld,
): Unreadable[] {
  // Not by another name: that may be the id of another one.
  const isKnown = ({ id, label }: Unreadable) =>
    id !== undefined && (idsBefore.includes(id) || !runtime.memory.isFree(type, id) || isHeld({ id, label }));
  return unreadable.filter((one) => !isKnown(one) && !isOtherLabel(asked["label"], one.label));
}

async function looking<Found>(
  context: OperationContext,
  unresolved: Unresolved,
  isHeld: IsHeld,
  look: () => Promise<Found>,
): Promise<Found> {
  const { fingerprint } = unresolved;
  try {
    return await look();
  } catch (error) {
    if (!(error instanceof WaitTimeoutError)) throw error;
    // There may never have been a list at all.
    const last = await listOf(context)
      .latest()
      .catch(() => undefined);
    const [first] = unreadableIn(context, last?.unreadable ?? [], unresolved, isHeld);
    // More time does not make it readable.
    if (first) {
      throw new RefusedError(
        `an earlier request for "${fingerprint}" may have created one, and its outcome is not known: ${mayBeUnreadable(context, first)}`,
        { cause: error },
      );
    }
    throw new RefusedError(
      `refused, nothing was created: an earlier request for "${fingerprint}" may have created one, and lists that lag may not show it yet (${error.message}). Run this again, with more time in timeouts.create if need be.`,
      { cause: error },
    );
  }
}

/** Whether its outcome is listed, although a resource has it already. */
function isSettled(snapshot: Snapshot<unknown>, unresolved: Unresolved): boolean {
  return unresolved.isProof && outcomesIn(snapshot, unresolved).some(({ id }) => !unresolved.idsBefore?.includes(id));
}

/** What is listed with the label that proves it, or under a name that the answer gave. */
function outcomesIn(snapshot: Snapshot<unknown>, { fingerprint, names }: Pick<Unresolved, "fingerprint" | "names">) {
  return names ? snapshot.withNames(names) : snapshot.withLabel(fingerprint);
}

/** What is listed and may be the outcome: with proof, that is it; otherwise everything that nothing rules out. */
export function candidatesIn(
  context: OperationContext,
  snapshot: Snapshot<unknown>,
  { fingerprint, isProof, names, idsBefore, asked }: Omit<Unresolved, "since">,
  isHeld: IsHeld,
): View[] {
  const isOpen = (view: View) => isFree(context, view) && !isHeld(view);
  // A name that somebody else's has had before is not the one.
  const isEarlier = ({ id }: View) => names !== undefined && idsBefore?.includes(id) === true;
  if (isProof) {
    return outcomesIn(snapshot, { fingerprint, names }).filter((view) => isOpen(view) && !isEarlier(view));
  }
  const isRuledOut = (view: View) =>
    !isOpen(view) || (idsBefore?.includes(view.id) ?? false) || !isAsAsked(view, asked);
  const alike = "label" in context.definition.inputs.shape ? snapshot.withLabel(fingerprint) : snapshot.views();
  return alike.filter((view) => !isRuledOut(view));
}

/** Names what may be the outcome of a lost create, what it bills, and how a person settles it. */
export async function mayBeIt(
  context: OperationContext,
  views: readonly View[],
  asked: Values,
  { byItself = "" }: { byItself?: string } = {},
): Promise<string> {
  const { definition, runtime } = context;
  const whole = await Promise.all(views.map(async (view) => definition.complete?.(runtime, view, asked) ?? view));
  const named = whole.map((view) => describe(context, view)).join(" and ");
  if (!named)
    return `nothing listed so far may be it.${byItself} Look in the service's console. ${waysToSettle(context)}`;
  return `${named} may be it; nothing proves it, so nothing was taken or ended. ${waysToSettle(context, views[0]?.id)}`;
}

/** The same of what cannot be read. */
export function mayBeUnreadable(context: OperationContext, item: Unreadable): string {
  const [name = "no id"] = namesOfUnreadable(item);
  const { plural } = context.definition.kind;
  return `the list of ${plural} has an item that cannot be read and may be it (${name}): ${item.reason}. Look in the service's console. If it is this resource's, end it there: what cannot be read cannot be taken over. Then, or if nothing was created: ${recoverWith(context, "--nothing-made")}.`;
}

/** What becomes of a create in doubt by itself. */
export const looksAgain = "The next `pulumi up` checks again before it creates another one.";

function waysToSettle(operation: Operation, id?: string): string {
  const condition = id === undefined ? "If one was created" : "If it is";
  const adopt = recoverWith(operation, `--adopt ${id ?? "ID"}`);
  return `${condition}: ${adopt}. If nothing was created: ${recoverWith(operation, "--nothing-made")}.`;
}

/** The command as people are to run it. */
function recoverWith({ runtime: { engine }, urn }: Operation, options: string): string {
  const words = `gpufleet recover ${options} --urn ${inQuotes(urn)}`;
  return `\`${engine.commandLine?.(words) ?? words}\``;
}

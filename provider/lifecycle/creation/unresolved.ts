import type { Unreadable } from "../../service";
import { showDuration } from "../../shared/duration";
import { hasWhole, isAutomaticLabel, plainLabel } from "../../shared/label";
import { namesOfUnreadable } from "../../shared/namesOfUnreadable";
import { inQuotes } from "../../shared/shell";
import { listOf, refuseElsewhere } from "../context";
import type { Operation, OperationContext } from "../definition";
import { heldHere, type IsHeld, unheld, unresolvedOf } from "../holders";
import {
  type LifecycleInputs,
  RefusedError,
  type Snapshot,
  type Unresolved,
  type Values,
  type View,
  WaitTimeoutError,
} from "../model";
import { findOrProveAbsent, refuseOtherAccount } from "../waiting";
import { candidatesIn, likeliest, outcomesIn, unreadableIn } from "./lookalikes";
import { describe, differences, isFree } from "./ownership";
import { Suspects } from "./suspects";

/**
 * What an earlier create of this resource has made, if its reply was lost and its automatic label is now listed: that is proof.
 * One that is no longer what the program asks for is not taken: the delete of the replaced resource ends it. Without proof
 * nothing is taken, and nothing is made while something may be the outcome: a person settles it.
 */
export async function takeResolved(
  context: OperationContext<LifecycleInputs>,
  now: Snapshot<unknown> | undefined,
): Promise<View | undefined> {
  const creates = await unresolvedOf(context);
  const [first] = creates;
  if (!first) return undefined;
  if (!now) {
    throw new RefusedError(
      `refused, nothing was created: an earlier request for "${first.fingerprint}" may have created one, and the service has no list to look it up in. Look for it in the service's console. ${waysToSettle(context)}`,
    );
  }
  const { inputs, runtime, type, urn } = context;
  const outcomesOf = async (create: Unresolved) =>
    (await findOutcomes(context, create)).map((view) => ({ ...view, madeAt: create.madeAt }));
  const outcomes = (await Promise.all(creates.map(outcomesOf))).flat();
  const outcome = outcomes.find((view) => differences(view, { ...inputs, label: undefined }).length === 0);
  if (outcome) runtime.memory.takeOver(type, outcome.id, urn);
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
  const suspects = new Suspects(context, unresolved, isHeld);
  const found = await looking(context, unresolved, isHeld, () =>
    findOrProveAbsent({
      operation: context,
      list: listOf(context),
      find: (snapshot) => {
        suspects.note(snapshot);
        const candidates = candidatesIn(context, snapshot, unresolved, isHeld);
        return candidates.length > 0 || isSettled(context, snapshot, unresolved, isHeld) ? candidates : undefined;
      },
      isConclusive: ({ unreadable }) => unreadableIn(context, unreadable, unresolved, isHeld).length === 0,
      progress: (elapsed) => `an earlier reply was lost; looking for "${fingerprint}" (${showDuration(elapsed)})`,
    }),
  );
  if (!found) await refuseOtherAccount(context, listOf(context), asked, `"${fingerprint}"`);
  if (found && (found.length === 0 || isProvenBy(unresolved, found))) return unheld(context, found);
  const lookalikes = likeliest(unresolved, found ?? [], suspects.views);
  const [unread] = suspects.unreadable;
  if (lookalikes.length === 0 && !unread) return [];
  if (unread && lookalikes.length === 0) throw inDoubt(unresolved, `: ${mayBeUnreadable(context, unread)}`);
  throw inDoubt(unresolved, `. ${await mayBeIt(context, lookalikes, asked)}`);
}

/** Nobody knows what came of it. */
function inDoubt({ fingerprint }: Unresolved, which: string, cause?: unknown): RefusedError {
  return new RefusedError(
    `an earlier request for "${fingerprint}" may have created one, and its outcome is not known${which}`,
    { cause },
  );
}

/** Whether what was found is its outcome for certain. Where several have one of the names each, nothing tells which of them is meant. */
export function isProvenBy({ isProof, names }: Pick<Unresolved, "isProof" | "names">, found: readonly View[]): boolean {
  return isProof && found.length > 0 && !(names && found.length > 1);
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
    if (first) throw inDoubt(unresolved, `: ${mayBeUnreadable(context, first)}`, error);
    throw new RefusedError(
      `refused, nothing was created: an earlier request for "${fingerprint}" may have created one, and lists that lag may not show it yet (${error.message}). Run this again, with more time in timeouts.create if need be.`,
      { cause: error },
    );
  }
}

/** Whether its outcome is listed, although a resource has it already: also with the label in other letters, as a person has taken it over. */
function isSettled(
  context: OperationContext,
  snapshot: Snapshot<unknown>,
  unresolved: Unresolved,
  isHeld: IsHeld,
): boolean {
  const { fingerprint, idsBefore, isProof } = unresolved;
  if (!isProof) return false;
  if (outcomesIn(snapshot, unresolved).some(({ id }) => !idsBefore?.includes(id))) return true;
  const alike = snapshot.views().filter(({ label }) => hasWhole(label, fingerprint));
  return alike.length > 0 && alike.every((view) => isHeld(view) || !isFree(context, view));
}

/** Names what may be the outcome of a lost create, what it bills, and how a person settles it. */
export async function mayBeIt(
  context: OperationContext,
  views: readonly View[],
  asked: Values,
  { byItself = "" }: { byItself?: string } = {},
): Promise<string> {
  const { definition, runtime } = context;
  // What has the whole of an automatic label, in other letters, is likelier to be it than what the service has named.
  const { label: own } = asked;
  const isLikely = ({ label = "" }: View) => isAutomaticLabel(own) && plainLabel(label) === plainLabel(own);
  const ordered = [...views.filter(isLikely), ...views.filter((view) => !isLikely(view))];
  const whole = await Promise.all(ordered.map(async (view) => definition.complete?.(runtime, view, asked) ?? view));
  const named = whole.map((view) => describe(context, view)).join(" and ");
  if (!named)
    return `nothing listed so far may be it.${byItself} Look in the service's console. ${waysToSettle(context)}`;
  return `${named} may be it; nothing proves it, so nothing was taken over or terminated. ${waysToSettle(context, ordered[0]?.id)}`;
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

import { showDuration } from "../../shared/duration";
import { listOf } from "../context";
import type { Operation, OperationContext } from "../definition";
import {
  type LifecycleInputs,
  RefusedError,
  type Snapshot,
  type Unresolved,
  type View,
  WaitTimeoutError,
} from "../model";
import { waitUntil } from "../waiting";
import { describe, differences, fingerprintOf, isFree, isProof } from "./ownership";

/**
 * The outcome of this resource's earlier create, if its result was unknown and is now seen: that is the one proof there is. One
 * that is no longer what the program asks for is not taken: the delete of the replaced resource ends it.
 */
export async function takeResolved(
  context: OperationContext<LifecycleInputs>,
  now: Snapshot<unknown> | undefined,
): Promise<View | undefined> {
  const { memory } = context.runtime;
  const unresolved = memory.unresolvedOf(context.urn);
  if (!unresolved) return undefined;
  if (!now) {
    throw new RefusedError(
      `refused, and nothing was spent: an earlier request for "${unresolved.fingerprint}" may have made one, and the service has no list to look it up in. If there is one, end it; then remove this resource from the state with \`pulumi state delete\`.`,
    );
  }
  const found = await lookForOutcome(context, unresolved);
  if (isAmbiguous(unresolved, found)) throw new RefusedError(ambiguity(context, found));
  const [outcome] = found;
  if (!outcome || !isStillAskedFor(context, unresolved, outcome)) return undefined;
  memory.takeOver(context.type, outcome.id, context.urn);
  return outcome;
}

/** An automatic label is that of one create and no other; any other fingerprint must be the same as it was. */
function isStillAskedFor(context: OperationContext<LifecycleInputs>, unresolved: Unresolved, outcome: View): boolean {
  const { inputs } = context;
  if (isProof(unresolved)) return differences(outcome, { ...inputs, label: undefined }).length === 0;
  return fingerprintOf(context) === unresolved.fingerprint && differences(outcome, inputs).length === 0;
}

export function ambiguity(operation: Operation, found: readonly View[]): string {
  const could =
    found.length > 1 ? "could each be it: set adoptId to the right one" : "may be it: if so, set adoptId to its id";
  return `${found.map((view) => describe(operation, view)).join(" and ")} ${could}`;
}

/** What such a create has made. Nothing counts as proof that it made nothing before the lists can no longer lack it. */
export async function lookForOutcome(context: OperationContext, unresolved: Unresolved): Promise<View[]> {
  const { clock } = context.runtime;
  const list = listOf(context);
  const look = async () => outcomesOf(context, await list.fresh(), unresolved);
  const seen = await look();
  if (seen.length > 0 || clock.now() >= unresolved.until) return seen;
  try {
    return await waitUntil({
      operation: context,
      list,
      deadline: Math.min(unresolved.until, context.deadline),
      judge: async (snapshot) => {
        const outcomes = await outcomesOf(context, snapshot, unresolved);
        return outcomes.length > 0 ? { kind: "done", result: outcomes } : { kind: "pending", status: "not listed" };
      },
      progress: (_, elapsed) =>
        `an earlier reply was lost; looking for "${unresolved.fingerprint}" (${showDuration(elapsed)})`,
    });
  } catch (error) {
    if (!(error instanceof WaitTimeoutError)) throw error;
  }
  // Whether the waiting was in vain or its looks failed: this one must succeed.
  const last = await look();
  if (last.length > 0 || clock.now() >= unresolved.until) return last;
  throw new RefusedError(
    `refused, and nothing was spent: an earlier request for "${unresolved.fingerprint}" may have made one, and for ${showDuration(unresolved.until - clock.now())} more the lists of the service may not show it. Run this again then.`,
  );
}

/** What is listed and may be the outcome of the request. */
export async function outcomesOf(
  context: OperationContext,
  snapshot: Snapshot<unknown>,
  { fingerprint, idsBefore, asked }: Pick<Unresolved, "fingerprint" | "idsBefore" | "asked">,
): Promise<View[]> {
  const { definition, runtime } = context;
  const candidates = (await definition.candidates?.(runtime, snapshot, fingerprint)) ?? snapshot.withLabel(fingerprint);
  const free = candidates.filter((view) => isFree(context, view));
  if (isProof({ fingerprint })) return free;
  return free.filter((view) => !idsBefore?.includes(view.id) && differences(view, asked).length === 0);
}

/** Whether what was found may well be something else. What was there before tells; without it, only the label does. */
export function isAmbiguous(unresolved: Unresolved, found: readonly View[]): boolean {
  return found.length > 1 || (found.length === 1 && !isProof(unresolved) && unresolved.idsBefore === undefined);
}

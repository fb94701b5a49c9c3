import { showDuration } from "../../shared/duration";
import { readLabel } from "../../shared/label";
import type { Work } from "../model/context";
import { RefusedError, WaitTimeoutError } from "../model/errors";
import type { Doubt } from "../model/memory";
import type { Snapshot } from "../model/sharedList";
import { isLive, type View } from "../model/view";
import { waitUntil } from "../waiting/wait";
import type { OwnedInputs, Ownership } from "./createOnce";
import { describe, differences } from "./ownership";

/**
 * The outcome of this resource's earlier create, if it was in doubt and is now seen: that is the one proof there is. One that
 * is no longer what the program asks for is not taken: the delete of the replaced resource ends it.
 */
export async function settleDoubt<Inputs extends OwnedInputs, Item>(
  work: Work<Inputs>,
  ownership: Ownership<Inputs, Item>,
  { trace, now }: { trace: string; now: Snapshot<Item> | undefined },
): Promise<View | undefined> {
  const doubt = work.runtime.memory.doubtOf(work.urn);
  if (!doubt) return undefined;
  if (!now) {
    throw new RefusedError(
      `refused, and nothing was spent: an earlier request for "${doubt.trace}" may have made one, and the service has no list to look it up in. If there is one, end it; then remove this resource from the state with \`pulumi state delete\`.`,
    );
  }
  const found = await lookForOutcome(work, ownership, doubt);
  if (isAmbiguous(doubt, found)) throw new RefusedError(ambiguity(work, found));
  const [outcome] = found;
  if (!outcome || !isStillAskedFor(work.inputs, trace, doubt, outcome)) return undefined;
  work.runtime.memory.takeOver(work.type, outcome.id, work.urn);
  return outcome;
}

/** An automatic label is that of one create and no other; any other trace must be the same as it was. */
function isStillAskedFor(inputs: OwnedInputs, trace: string, doubt: Doubt, outcome: View): boolean {
  if (isAutomatic(doubt)) return differences(outcome, { ...inputs, label: undefined }).length === 0;
  return trace === doubt.trace && differences(outcome, inputs).length === 0;
}

export function ambiguity(work: Work<unknown>, found: readonly View[]): string {
  const could =
    found.length > 1 ? "could each be it: set adoptId to the right one" : "may be it: if so, set adoptId to its id";
  return `${found.map((view) => describe(work, view)).join(" and ")} ${could}`;
}

/** What a create in doubt has made. Nothing counts as proof that it made nothing before the lists can no longer lack it. */
export async function lookForOutcome<Inputs extends OwnedInputs, Item>(
  work: Work<unknown>,
  ownership: Ownership<Inputs, Item>,
  doubt: Doubt,
): Promise<View[]> {
  const { clock, lists } = work.runtime;
  const list = lists.of(ownership.kind);
  const look = async () => outcomesOfDoubt(work, ownership, await list.after(list.mark(), 0), doubt);
  const seen = await look();
  if (seen.length > 0 || clock.now() >= doubt.until) return seen;
  try {
    return await waitUntil({
      work,
      list,
      deadline: Math.min(doubt.until, work.deadline),
      judge: async (snapshot) => {
        const outcomes = await outcomesOfDoubt(work, ownership, snapshot, doubt);
        return outcomes.length > 0 ? { is: "done", result: outcomes } : { is: "pending", status: "not listed" };
      },
      progress: (_, elapsed) => `an earlier reply was lost; looking for "${doubt.trace}" (${showDuration(elapsed)})`,
    });
  } catch (error) {
    if (!(error instanceof WaitTimeoutError)) throw error;
  }
  // Whether the waiting was in vain or its looks failed: this one must succeed.
  const last = await look();
  if (last.length > 0 || clock.now() >= doubt.until) return last;
  throw new RefusedError(
    `refused, and nothing was spent: an earlier request for "${doubt.trace}" may have made one, and for ${showDuration(doubt.until - clock.now())} more the lists of the service may not show it. Run this again then.`,
  );
}

async function outcomesOfDoubt<Inputs extends OwnedInputs, Item>(
  work: Work<unknown>,
  ownership: Ownership<Inputs, Item>,
  snapshot: Snapshot<Item>,
  doubt: Doubt,
): Promise<View[]> {
  const { memory } = work.runtime;
  const candidates =
    (await ownership.candidates?.(work.runtime, snapshot, doubt.trace)) ?? snapshot.withLabel(doubt.trace);
  // What the state holds under an id of its own is no longer in doubt.
  const free = candidates.filter(
    (view) => isLive(view) && !memory.isClaimed(work.type, view.id) && memory.ownerOf(work.type, view.id) === undefined,
  );
  if (isAutomatic(doubt)) return free;
  return free.filter((view) => !doubt.idsBefore?.includes(view.id) && differences(view, doubt.asked).length === 0);
}

/** Whether what was found may well be something else. What was there before tells; without it, only the label does. */
export function isAmbiguous(doubt: Doubt, found: readonly View[]): boolean {
  return found.length > 1 || (found.length === 1 && !isAutomatic(doubt) && doubt.idsBefore === undefined);
}

/** Whether the label alone is proof. */
function isAutomatic(doubt: Doubt): boolean {
  return readLabel(doubt.trace) !== undefined;
}

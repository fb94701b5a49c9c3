import { type Billable, eachOnce, thingOf } from "../money";
import type { BilledChange } from "./billedChange";
import type { Change } from "./changes";

/** The same thing under two resources of a preview. Ids are those of an account, so providers are told apart. */
function keyIn({ provider = "" }: Change, billable: Billable): string | undefined {
  const thing = thingOf(billable);
  return thing && `${provider} ${thing}`;
}

/** What bills for each of these changes. A volume that another resource has adopted is no longer that of the rental it was created with. */
export function billedOnce(changes: readonly Change[], groups: readonly Billable[][]): Billable[][] {
  const keys = new Map(
    changes.flatMap((change, index) =>
      (groups[index] ?? []).map((billable): [Billable, string | undefined] => [billable, keyIn(change, billable)]),
    ),
  );
  const kept = new Set(eachOnce([...keys.keys()], (billable) => keys.get(billable)));
  return groups.map((group) => group.filter((billable) => billable.createdWith === undefined || kept.has(billable)));
}

/**
 * What one resource of the stack takes over from another is neither rented nor ended: it stays where it is while the other one keeps it,
 * and otherwise is marked on both sides.
 */
export function matchAdoptions(changes: readonly BilledChange[]): BilledChange[] {
  const staying = changes.flatMap((change) =>
    change.billedAfter.filter((one) => !change.starting.includes(one)).map((one) => keyIn(change, one)),
  );
  const adopters = new Map(
    changes.flatMap((change) =>
      change.starting.filter(({ isAdopted }) => isAdopted).map((one) => [keyIn(change, one), change.urn] as const),
    ),
  );
  return changes.map((change) => {
    const isKept = (one: Billable) => one.isAdopted && one.id !== undefined && staying.includes(keyIn(change, one));
    const isTaken = (one: Billable | undefined) => {
      const adopter = one && adopters.get(keyIn(change, one));
      return one?.id !== undefined && adopter !== undefined && adopter !== change.urn;
    };
    const hand = (one: Billable) =>
      isTaken(one) || isTaken(change.billedBefore[0]) ? { ...one, isAdopted: true } : one;
    const isGoing = change.op === "delete" || change.op === "replace";
    return {
      ...change,
      billedBefore: isGoing ? change.billedBefore.map(hand) : change.billedBefore,
      billedAfter: change.billedAfter.filter((one) => !isKept(one)),
      starting: change.starting.filter((one) => !isKept(one)),
    };
  });
}

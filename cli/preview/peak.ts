import { readFleetFacts } from "../../provider/lifecycle";
import { type Billable, type Sum, sumOf, unresolvedStatus } from "../money";
import { phaseIn } from "../stack";
import type { BilledChange } from "./billedChange";

/**
 * What runs at once when everything new is there: the old is deleted after that, unless it must go first. Without what is taken over from
 * outside the stack, it is what the provider counts whatever the order.
 */
export function peakOf(changes: readonly BilledChange[], { isAdoptedCounted = true } = {}): Sum {
  // What one resource takes over from another is on both sides.
  const isOld = ({ isAdopted }: Billable) => !(isAdopted && isAdoptedCounted);
  const isNew = ({ isAdopted }: Billable) => !isAdopted || isAdoptedCounted;
  return sumOf(changes.flatMap((change) => [...runningBeside(change).filter(isOld), ...change.starting.filter(isNew)]));
}

/** What of the old runs while the new is created. */
function runningBeside(change: BilledChange): Billable[] {
  const { op, billedBefore, billedAfter, starting, after } = change;
  const replacement = op === "replace" ? readFleetFacts(after?.inputs ?? {})?.replacement : undefined;
  if (replacement === undefined || replacement === "create-first") return billedBefore.filter(mayBill);
  return billedAfter.filter((billable) => !starting.includes(billable));
}

/** Not what has ended, is ending or was perhaps never created; the volume that came with it may bill all the same. */
function mayBill({ type, id, status = "", createdWith }: Billable): boolean {
  if (createdWith !== undefined) return status !== unresolvedStatus || id !== undefined;
  const phase = phaseIn(type, status);
  return status !== unresolvedStatus && phase !== "ended" && phase !== "ending";
}

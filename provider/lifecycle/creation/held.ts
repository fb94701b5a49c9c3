import { readUrn } from "../../shared/urn";
import type { Operation } from "../definition";
import { holders } from "../holders";
import { RefusedError, type StackName, type StateEntry, type View } from "../model";
import { describe } from "./ownership";

/**
 * One machine has one entry in one state. Refuses to take what another entry holds, be it of this state or of another stack of the
 * backend. Entries of this state for which `leaves` is true give it up in this very run.
 */
export async function refuseHeld(
  operation: Operation,
  view: View,
  { verb, leaves, reason = "" }: { verb: "adopted" | "imported"; leaves: boolean; reason?: string },
): Promise<void> {
  const { stack, urn } = operation;
  const others = (await holders(operation, view)).filter((entry) => entry.urn !== urn);
  const holder = others.find((entry) => !(leaves && isIn(stack, entry)));
  if (!holder) return;
  const why = isIn(stack, holder) ? reason : "";
  throw new RefusedError(
    `${describe(operation, view)} cannot be ${verb}: it is already managed, by ${holder.urn}.${why} \`pulumi state delete\` there releases it without touching the machine.`,
  );
}

function isIn({ project, stack }: StackName, { urn }: StateEntry): boolean {
  const parts = readUrn(urn);
  return parts.project === project && parts.stack === stack;
}

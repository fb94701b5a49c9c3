import { unresolvedFingerprint } from "../../../provider/lifecycle";
import { hasWhole, readLabel } from "../../../provider/shared/label";
import { gpufleetType, type StateResource } from "../../stack";

/** Whether the entry stands for a create of which nobody knows what it has created. */
export function isUnresolved({ id = "", ...resource }: StateResource): boolean {
  return gpufleetType(resource) !== undefined && unresolvedFingerprint(id) !== undefined;
}

/** The same of a create that only a person can settle: it had no automatic label. */
export function isForPerson(resource: StateResource): boolean {
  return isUnresolved(resource) && readLabel(unresolvedFingerprint(resource.id ?? "") ?? "") === undefined;
}

/** An unresolved create is resolved by what has its label, in whatever letters; where the label is no proof, by what a person says. */
export function isOutcome(unresolved: StateResource, { outputs }: StateResource): boolean {
  if (isForPerson(unresolved)) return true;
  const asked = isUnresolved(unresolved) ? unresolvedFingerprint(unresolved.id ?? "") : undefined;
  const label: unknown = outputs?.["label"];
  return asked !== undefined && typeof label === "string" && hasWhole(label, asked);
}

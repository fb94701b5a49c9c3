import { unresolvedFingerprint, type Values } from "../../provider/lifecycle";
import { mayBeRewritten, plainLabel } from "../../provider/shared/label";
import { gpufleetType, pendingOf, resourcesOf, type State, type StateResource } from "../stack";

/** A create of which nobody knows what it has created: unresolved, or interrupted. */
export interface OpenCreate {
  resource: StateResource;
  /** What it asked for and where it was sent, among other things. */
  values: Values;
}

export function openCreatesIn(state: State): OpenCreate[] {
  const unresolved = resourcesOf(state).filter(({ id = "" }) => unresolvedFingerprint(id) !== undefined);
  return [
    ...unresolved.map((resource) => ({ resource, values: resource.outputs ?? {} })),
    ...interruptedCreatesIn(state),
  ];
}

/** Those of runs that were interrupted, or are still going on. */
export function interruptedCreatesIn(state: State): OpenCreate[] {
  const interrupted = pendingOf(state).filter(({ type }) => type === "creating");
  return interrupted.map(({ resource }) => ({ resource, values: resource.inputs ?? {} }));
}

/** Whether this may be what the create has made: it has the label that was asked for, in whatever way the service writes it. */
export function mayBeMadeBy(
  { resource, values }: OpenCreate,
  { type, label }: { type: string; label?: string | undefined },
): boolean {
  return gpufleetType(resource) === type && label !== undefined && mayShow(values["label"], label);
}

/** Whether a service may show this label for the one that was asked for. */
export function mayShow(asked: unknown, label: string): boolean {
  return typeof asked === "string" && (plainLabel(asked) === plainLabel(label) || mayBeRewritten(asked, label));
}

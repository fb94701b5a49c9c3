import type { Program } from "../../lifecycle/fakeEngine";
import { getResourceKind, type MarketplaceMachine, type ResourceKindName } from "./resourceKinds";

/** A resource of the program that is played, as the program has it now. */
export interface PlannedResource {
  kind: ResourceKindName;
  name: string;
  /** What its labels are called after: the name that it had first. */
  stem: string;
  /** How often its inputs have changed so that it must be replaced. */
  generation: number;
  /** An input that changes in place. */
  flag: boolean;
  /** The machine that it adopts. */
  adoptId?: string | undefined;
}

/** Each is the beginning of another, or nearly: whoever compares labels by their beginning mistakes one for the other. */
const names = ["a", "ab", "a-b", "abc", "b", "a-b-c", "ba", "c"];

export function resourceName(index: number): string {
  return names[index] ?? `r${index}`;
}

/** The program as it stands. */
export function programOf(plan: readonly PlannedResource[], machine: MarketplaceMachine): Program {
  const first = (...kinds: string[]) => plan.find(({ kind }) => kinds.includes(kind))?.name;
  const last = (...kinds: string[]) => plan.findLast(({ kind }) => kinds.includes(kind))?.name;
  // What others depend on comes first, as the engine would have it.
  const isDependent = ({ kind }: PlannedResource) => (getResourceKind(kind).dependsOn ?? []).length > 0;
  const ordered = [...plan].sort((one, other) => Number(isDependent(one)) - Number(isDependent(other)));
  return Object.assign(
    {},
    ...ordered.map(({ kind, ...planned }) => getResourceKind(kind).declare({ ...planned, machine, first, last })),
  );
}

import type { Declared, Program } from "../../lifecycle/fakeEngine";
import { getResourceKind, type MarketplaceMachine, type ResourceKindName } from "./resourceKinds";

/** A resource of the program that is played: what it is, and how often its inputs have changed so far. */
export interface PlannedResource {
  kind: ResourceKindName;
  generation: number;
}

/** Each is the beginning of another, or nearly: whoever compares labels by their beginning mistakes one for the other. */
const names = ["a", "ab", "a-b", "abc", "b", "a-b-c", "ba", "c"];

export function resourceName(index: number): string {
  return names[index] ?? `r${index}`;
}

/** The program as it stands. */
export function programOf(plan: readonly PlannedResource[], machine: MarketplaceMachine): Program {
  const first = (...kinds: string[]) => {
    const index = plan.findIndex(({ kind }) => kinds.includes(kind));
    return index < 0 ? undefined : resourceName(index);
  };
  const declarations = plan.map(({ kind, generation }, index) => {
    const { declare, dependsOn = [] } = getResourceKind(kind);
    const name = resourceName(index);
    return { name, declared: declare({ name, generation, machine, first }), isDependent: dependsOn.length > 0 };
  });
  // What others depend on comes first, as the engine would have it.
  declarations.sort((one, other) => Number(one.isDependent) - Number(other.isDependent));
  return Object.fromEntries(
    declarations.flatMap(({ name, declared }): [string, Declared][] => (declared ? [[name, declared]] : [])),
  );
}

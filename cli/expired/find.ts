import { readTimestamp } from "../../provider/shared/timestamp";
import { nameOf } from "../../provider/shared/urn";
import { type Billable, billablesOf, compare } from "../money";
import { gpufleetType, resourcesOf, type State, type StateResource } from "../stack";

/** A rental that is in the state and past its `expiresAt`. */
export interface Expired extends Billable {
  urn: string;
  expiresAtTime: string;
  /** The resource option that keeps it from being destroyed. */
  keptBy: "protect" | "retainOnDelete" | undefined;
  /** Volumes that were created with it and would be deleted with it, by name. */
  volumes: readonly string[];
}

/** The longest overdue first. */
export function findExpired(state: State, now: number): Expired[] {
  return resourcesOf(state)
    .flatMap(({ urn, inputs, outputs, delete: replaced, protect, retainOnDelete, ...resource }) => {
      const type = gpufleetType(resource);
      // What was replaced goes with the next run anyway, and shares its URN with what replaced it.
      if (type === undefined || replaced) return [];
      const [machine, ...volumes] = billablesOf(type, nameOf(urn), { ...inputs, ...outputs });
      const time = readTimestamp(machine?.expiresAtTime);
      if (!machine?.expiresAtTime || time === undefined || time > now) return [];
      const { expiresAtTime } = machine;
      const lost = volumes.filter(({ outlives }) => !outlives).map(({ name }) => name);
      return [{ ...machine, urn, expiresAtTime, keptBy: keeperIn({ protect, retainOnDelete }), volumes: lost }];
    })
    .sort((one, other) => compare(one.expiresAtTime, other.expiresAtTime) || compare(one.urn, other.urn));
}

function keeperIn({ protect, retainOnDelete }: Pick<StateResource, "protect" | "retainOnDelete">): Expired["keptBy"] {
  if (protect) return "protect";
  return retainOnDelete ? "retainOnDelete" : undefined;
}

import { readTimestamp } from "../../provider/shared/timestamp";
import { nameOf } from "../../provider/shared/urn";
import { type Billable, billablesOf, compare } from "../money";
import { gpufleetType, resourcesOf, type State } from "../stack";

/** A rental that is in the state and past its `expiresAt`. */
export interface Expired extends Billable {
  urn: string;
  expiresAtTime: string;
}

/** The longest overdue first. */
export function findExpired(state: State, now: number): Expired[] {
  return resourcesOf(state)
    .flatMap(({ urn, inputs, outputs, delete: replaced, ...resource }) => {
      const type = gpufleetType(resource);
      // What was replaced goes with the next run anyway, and shares its URN with what replaced it.
      if (type === undefined || replaced) return [];
      const [machine] = billablesOf(type, nameOf(urn), { ...inputs, ...outputs });
      const time = readTimestamp(machine?.expiresAtTime);
      if (!machine?.expiresAtTime || time === undefined || time > now) return [];
      return [{ ...machine, urn, expiresAtTime: machine.expiresAtTime }];
    })
    .sort((one, other) => compare(one.expiresAtTime, other.expiresAtTime) || compare(one.urn, other.urn));
}

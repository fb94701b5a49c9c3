import { isPastExpiry } from "../../provider/lifecycle";
import { nameOf } from "../../provider/shared/urn";
import { type Billable, billablesOf, compare } from "../money";
import { gpufleetType, resourcesOf, type State, type StateResource } from "../stack";

/** A rental that is in the state and past its `expiresAt`. */
export interface Expired extends Billable {
  urn: string;
  expiresAtTime: string;
  /** When that was found, by the clock of its own service, unless that could not be asked. */
  at: number;
  /** Why its service could not be asked for the time: then it was judged by this machine's clock, and nothing is ended by that. */
  unasked: string | undefined;
  /** The resource option that keeps it from being destroyed. */
  keptBy: "protect" | "retainOnDelete" | undefined;
  /** Volumes that were created with it and would be deleted with it. */
  volumes: readonly Billable[];
}

/** The time by which expiry is judged. */
export interface Judgement {
  at: number;
  /** The same by this machine's clock, by which a time that a person has named must have come, too. */
  here?: number;
  unasked?: string | undefined;
}

/** What of these states has expired, each by the clock that it is judged by; the longest overdue first. */
export function findExpired(...judged: readonly { state: State; by: Judgement }[]): Expired[] {
  return judged
    .flatMap(({ state, by }) => resourcesOf(state).flatMap((resource) => expiredIn(resource, by) ?? []))
    .sort((one, other) => compare(one.expiresAtTime, other.expiresAtTime) || compare(one.urn, other.urn));
}

/** Those that a later state still has, and that still run. */
export function stillExpired(expired: readonly Expired[], state: State): Expired[] {
  const byUrn = new Map(expired.map((one) => [one.urn, one]));
  return resourcesOf(state).flatMap((resource) => {
    const one = byUrn.get(resource.urn);
    return one && expiredIn(resource, one) ? [one] : [];
  });
}

function expiredIn(
  { urn, inputs, outputs, delete: replaced, protect, retainOnDelete, ...resource }: StateResource,
  { at, here, unasked }: Judgement,
): Expired | undefined {
  const type = gpufleetType(resource);
  // What was replaced goes with the next run anyway, and shares its URN with what replaced it.
  if (type === undefined || replaced) return undefined;
  const values = { ...inputs, ...outputs };
  const [machine, ...volumes] = billablesOf(type, nameOf(urn), values);
  if (!machine?.expiresAtTime || !isPastExpiry(values, at, here)) return undefined;
  const { expiresAtTime } = machine;
  const lost = volumes.filter(({ outlives }) => !outlives);
  return { ...machine, urn, expiresAtTime, at, unasked, keptBy: keeperIn({ protect, retainOnDelete }), volumes: lost };
}

function keeperIn({ protect, retainOnDelete }: Pick<StateResource, "protect" | "retainOnDelete">): Expired["keptBy"] {
  if (protect) return "protect";
  return retainOnDelete ? "retainOnDelete" : undefined;
}

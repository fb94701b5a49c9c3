import { z } from "zod";
import {
  type Costly,
  estimatedKey,
  phaseOf,
  type Statuses,
  uncheckedKey,
  unfinishedKey,
  untilPriced,
  type Values,
  type View,
  visible,
  wholeSum,
} from "../../lifecycle";
import { costsOf, factsOf, type KnownInState, type Member } from "./members";

/** What the state keeps of a fleet. An unknown price is not zero: where there is one, there is no sum. */
export function outputsOf(given: object, members: readonly Member[], volume: Costly): Values {
  const costs = [...costsOf(members), volume];
  const costPerHour = wholeSum(costs);
  const isEstimate = costPerHour !== undefined && costs.some((one) => one.isEstimate);
  return {
    ...visible({ ...given, members: members.map(factsOf), costPerHour }),
    ...(isEstimate && { [estimatedKey]: true }),
  };
}

/** What is yet to be done for it. */
export interface Open {
  /** Members that are ready were not checked, and are not waited for again. */
  isUnfinished: boolean;
  /** What it costs was not held against its limits, because not all prices had shown. */
  isUnpriced: boolean;
}

export function openIn(state: Values): Open {
  return { isUnfinished: state[unfinishedKey] === true, isUnpriced: state[uncheckedKey] !== undefined };
}

export function keepingOpen({ isUnfinished, isUnpriced }: Open): Values {
  return { ...(isUnfinished && { [unfinishedKey]: true }), ...(isUnpriced && { [uncheckedKey]: untilPriced }) };
}

const membersInState = z.array(z.looseObject({ id: z.string(), status: z.string(), wasReady: z.boolean().optional() }));

const factsInState = z.looseObject({
  id: z.string(),
  status: z.string(),
  region: z.string().optional(),
  costPerHour: z.number().optional(),
  ssh: z.array(z.looseObject({ host: z.string(), port: z.number(), user: z.string() })).optional(),
  sshCommand: z.string().optional(),
});

/** What the state has of the members, as a list would show them. */
export function lastKnownIn(state: Values, statuses: Statuses): ReadonlyMap<string, View> {
  const members = z.array(factsInState).safeParse(state["members"]).data ?? [];
  return new Map(
    members.map(({ id, status, region, costPerHour, ssh, sshCommand }) => {
      const facts = { region, costPerHour, ssh, sshCommand, isEstimate: state[estimatedKey] === true };
      return [id, { id, status, phase: phaseOf(status, statuses), ...facts, observedInputs: {} }];
    }),
  );
}

/** States of older versions have only the status. */
export function knownIn(state: Values, statuses: Statuses): KnownInState {
  const members = membersInState.safeParse(state["members"]).data ?? [];
  return new Map(
    members.map(({ id, status, wasReady = phaseOf(status, statuses) === "ready" }) => [id, { status, wasReady }]),
  );
}

import fc from "fast-check";
import type { Fault, Kill } from "../simulation/command";
import { faultNames } from "../simulation/faultKinds";
import { type PlannedKind, plannedKinds } from "../simulation/resourceKinds";

export const actions = ["up", "change", "force", "refresh", "destroy", "vanish", "pass"] as const;

/** One thing that happens to a stack. */
export interface Step {
  /**
   * `up`; `change`: the inputs of a resource change so that it must be replaced, then `up`; `force`: `up --replace`;
   * `refresh`; `destroy`; `vanish`: somebody else ends it; `pass`: time passes.
   */
  do: (typeof actions)[number];
  /** The resource that it is about. */
  resource: number;
  /** Whether `up` refreshes first. */
  refresh: boolean;
}

/** A run of events, as data: whoever has it can play it again. */
export interface Schedule {
  /** Decides labels and jitter. */
  seed: number;
  kinds: PlannedKind[];
  steps: Step[];
  faults: (Fault & { step: number })[];
  kills: (Kill & { step: number })[];
}

const mostSteps = 5;
const mostRequests = 40;

export const schedules: fc.Arbitrary<Schedule> = fc.record({
  seed: fc.nat({ max: 1_000_000 }),
  kinds: fc.array(fc.constantFrom(...plannedKinds), { minLength: 1, maxLength: 8 }),
  steps: fc.array(
    fc.record({ do: fc.constantFrom(...actions, "up" as const), resource: fc.nat({ max: 7 }), refresh: fc.boolean() }),
    { minLength: 1, maxLength: mostSteps },
  ),
  faults: fc.array(
    fc.record({
      step: fc.nat({ max: mostSteps - 1 }),
      at: fc.nat({ max: mostRequests }),
      times: fc.constantFrom(1, 1, 1, 2, 4, 12),
      kind: fc.constantFrom(...faultNames),
    }),
    { minLength: 1, maxLength: 12 },
  ),
  kills: fc.array(
    fc.record({
      step: fc.nat({ max: mostSteps - 1 }),
      who: fc.constantFrom("cli" as const, "provider" as const),
      at: fc.nat({ max: mostRequests / 2 }),
      when: fc.constantFrom("before" as const, "after" as const, "reply" as const),
    }),
    { maxLength: 2 },
  ),
});

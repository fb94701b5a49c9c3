import { type Disturbances, undisturbed } from "./disturbances";
import type { FaultName } from "./faultKinds";

/** What goes wrong with the create of this number in the `up` that comes before all steps. Another beginning is an entry here; random schedules then take it. */
export const beginnings = {
  /** There is no such `up`. */
  "not up": () => undefined,
  up: () => undisturbed,
  "in doubt, made": (at) => hitting("outage-after", at),
  "in doubt, not made": (at) => hitting("outage-before", at),
  "failed at once": (at) => hitting("fails-provisioning", at),
  refused: (at) => hitting("no-capacity", at),
  interrupted: (at) => ({ faults: [], kill: { who: "cli", when: "after", of: "create", at } }),
  "its provider killed": (at) => ({ faults: [], kill: { who: "provider", when: "after", of: "create", at } }),
  "not attached": () => ({ faults: [{ kind: "400-before", of: "attach", at: 0, times: 40 }] }),
} satisfies Record<string, (at: number) => Disturbances | undefined>;

export type BeginningName = keyof typeof beginnings;
export const beginningNames = Object.keys(beginnings).filter((name): name is BeginningName => name in beginnings);

function hitting(kind: FaultName, at: number): Disturbances {
  return { faults: [{ kind, of: "create", at, times: 1 }] };
}

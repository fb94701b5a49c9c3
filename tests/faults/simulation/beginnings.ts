import { type Disturbances, type Kill, undisturbed } from "./disturbances";
import type { FaultName } from "./faultKinds";

/** What comes before all steps. */
export interface Beginning {
  /** What goes wrong in an `up`; there is none, if left out. */
  up?: Disturbances;
  /** And after it in one that replaces one of the resources. */
  replace?: Disturbances;
}

/** By the number of the create that something goes wrong with. Another beginning is an entry here; random schedules then take it. */
export const beginnings = {
  "not up": () => ({}),
  up: () => ({ up: undisturbed }),
  "in doubt, made": (at) => ({ up: hitting("outage-after", at) }),
  "in doubt, not made": (at) => ({ up: hitting("outage-before", at) }),
  "failed at once": (at) => ({ up: hitting("fails-provisioning", at) }),
  refused: (at) => ({ up: hitting("no-capacity", at) }),
  interrupted: (at) => ({ up: killing("cli", at) }),
  "its provider killed": (at) => ({ up: killing("provider", at) }),
  "not attached": () => ({ up: { faults: [{ kind: "400-before", of: "attach", at: 0, times: 40 }] } }),
  "its replacement in doubt": () => ({ up: undisturbed, replace: hitting("outage-after", 0) }),
  "its replacement interrupted": () => ({ up: undisturbed, replace: killing("cli", 0) }),
  "the provider of its replacement killed": () => ({ up: undisturbed, replace: killing("provider", 0) }),
} satisfies Record<string, (at: number) => Beginning>;

export type BeginningName = keyof typeof beginnings;
export const beginningNames = Object.keys(beginnings).filter((name): name is BeginningName => name in beginnings);

function hitting(kind: FaultName, at: number): Disturbances {
  return { faults: [{ kind, of: "create", at, times: 1 }] };
}

function killing(who: Kill["who"], at: number): Disturbances {
  return { faults: [], kill: { who, when: "after", of: "create", at } };
}

import type { Circumstances } from "../simulation/circumstances";
import type { Fault, Kill } from "../simulation/disturbances";
import type { ResourceKindName } from "../simulation/resourceKinds";
import type { StepKindName } from "./stepKinds";

/** One thing that happens to a stack. */
export interface Step {
  kind: StepKindName;
  /** The resource that it is about: its number in the program. */
  resource: number;
  /** Whether `up` refreshes first. */
  refresh: boolean;
}

/** What happens to a stack from its first `up` on, as data: whoever has it can play it again. */
export interface Schedule {
  /** Decides labels and jitter. */
  seed: number;
  /** What the program declares. */
  resources: ResourceKindName[];
  /** Where they differ from the usual ones. */
  circumstances?: Partial<Circumstances>;
  steps: Step[];
  faults: (Fault & { step: number })[];
  kills: (Kill & { step: number })[];
}

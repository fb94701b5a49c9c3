import type { Values } from "./values";

/** A stack, as its URNs and the engine name it. */
export interface StackName {
  organization: string;
  project: string;
  stack: string;
}

/** An entry of a state that is one of ours. */
export interface StateEntry {
  urn: string;
  /** `BareMetalRental` */
  type: string;
  id: string;
  outputs: Values;
}

/**
 * The state, asked itself. It is exported when a decision first depends on it, and once per process; undefined where that
 * cannot be done, and then only what came by in this process is known.
 */
export interface StateWitness {
  entries(stack: StackName): Promise<readonly StateEntry[] | undefined>;
  /** What the other stacks of the backend hold. Asked only before something would be refused. */
  elsewhere(stack: StackName): Promise<readonly StateEntry[]>;
}

/** Where no state can be asked. */
export const noWitness: StateWitness = {
  entries: async () => undefined,
  elsewhere: async () => [],
};

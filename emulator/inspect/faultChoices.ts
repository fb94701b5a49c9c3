/** A fault that waits for its request, as the page shows it. */
export interface FaultLine {
  fault: { kind: string; match: { method: string; path: string } };
  /** How many matching requests pass before it hits. */
  passing: number;
  /** How many it is still to hit. */
  hits: number;
}

/** What a fault can be, and those that wait. */
export interface FaultChoices {
  kinds: readonly string[];
  operations: { name: string; method: string; path: string }[];
  waiting: FaultLine[];
}

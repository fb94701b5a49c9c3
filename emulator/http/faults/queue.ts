import { type Fault, type FaultSpec, faultSpec } from "./spec";

/** A fault that waits: when it hits next, and how often. */
export interface WaitingFault {
  fault: Fault;
  /** How many matching requests pass before it hits. */
  passing: number;
  /** How many it is still to hit. */
  hits: number;
}

/** The faults that wait for their request. */
export class FaultQueue {
  #waiting: { fault: Fault; seen: number }[] = [];

  add(...specs: FaultSpec[]): void {
    // All are parsed before one is added: all or none.
    const faults = specs.map((spec) => faultSpec.parse(spec));
    this.#waiting.push(...faults.map((fault) => ({ fault, seen: 0 })));
  }

  clear(): void {
    this.#waiting = [];
  }

  waiting(): WaitingFault[] {
    return this.#waiting.map(({ fault, seen }) => ({
      fault,
      passing: Math.max(0, fault.nth - 1 - seen),
      hits: fault.nth + fault.times - 1 - Math.max(seen, fault.nth - 1),
    }));
  }

  /** The faults that hit this request. */
  take(method: string, path: string): Fault[] {
    if (this.#waiting.length === 0) return [];
    const hits: Fault[] = [];
    this.#waiting = this.#waiting.filter((waiting) => {
      const { match, nth, times } = waiting.fault;
      if (!isMatch(match, method, path)) return true;
      waiting.seen += 1;
      if (waiting.seen >= nth) hits.push(waiting.fault);
      return waiting.seen < nth + times - 1;
    });
    return hits;
  }
}

function isMatch(match: Fault["match"], method: string, path: string): boolean {
  if (match.method !== "*" && match.method !== method) return false;
  return match.path.endsWith("*") ? path.startsWith(match.path.slice(0, -1)) : path === match.path;
}

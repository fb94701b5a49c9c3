import { setImmediate } from "node:timers/promises";
import type { Clock } from "../../provider/client";

interface Sleeper {
  until: number;
  /** Of two that wake at the same moment, the one that fell asleep first. */
  order: number;
  wake(): void;
}

/** Idle turns of the event loop after which nothing but time can bring the work further. */
const idleTurns = 2;
/** Idle turns without a sleeper after which the work is stuck. */
const stuckTurns = 1000;

/**
 * Time that passes only when everything waits for it. Whoever does real work in between (an exchange with the emulator)
 * says so with `working`, so that no time passes while it goes on.
 */
export class VirtualClock implements Clock {
  #now: number;
  #order = 0;
  #busy = 0;
  readonly #sleepers = new Set<Sleeper>();

  constructor(start: number) {
    this.#now = start;
  }

  now(): number {
    return this.#now;
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      const abort = () => {
        this.#sleepers.delete(sleeper);
        reject(signal?.reason);
      };
      const sleeper: Sleeper = {
        until: this.#now + Math.max(0, ms),
        order: this.#order++,
        wake: () => {
          signal?.removeEventListener("abort", abort);
          resolve();
        },
      };
      signal?.addEventListener("abort", abort, { once: true });
      this.#sleepers.add(sleeper);
    });
  }

  /** No time passes while this goes on. */
  async working<Result>(work: () => Promise<Result>): Promise<Result> {
    this.#busy += 1;
    try {
      return await work();
    } finally {
      this.#busy -= 1;
    }
  }

  /** A sleep in the middle of work: time may pass. */
  async sleepAtWork(ms: number): Promise<void> {
    this.#busy -= 1;
    try {
      await this.sleep(ms);
    } finally {
      this.#busy += 1;
    }
  }

  /** Lets time pass on its own. */
  advance(seconds: number): void {
    this.#now += seconds * 1000;
  }

  /** Lets time pass until the work is done, as fast as it can be computed. */
  async run<Result>(work: Promise<Result>): Promise<Result> {
    let settled = false;
    const settle = () => {
      settled = true;
    };
    work.then(settle, settle);
    for (let idle = 0; !settled; idle = this.#busy > 0 ? 0 : idle + 1) {
      await setImmediate();
      if (this.#busy > 0 || idle < idleTurns) continue;
      if (this.#wakeNext()) idle = 0;
      else if (idle > stuckTurns) throw new Error("the work waits for something that never comes");
    }
    return work;
  }

  #wakeNext(): boolean {
    let next: Sleeper | undefined;
    for (const sleeper of this.#sleepers) {
      if (!next || sleeper.until < next.until || (sleeper.until === next.until && sleeper.order < next.order)) {
        next = sleeper;
      }
    }
    if (!next) return false;
    this.#sleepers.delete(next);
    this.#now = Math.max(this.#now, next.until);
    next.wake();
    return true;
  }
}

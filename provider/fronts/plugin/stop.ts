import { type Clock, systemClock, type Transport } from "../../client";
import { type EngineLink, InterruptedError } from "../../lifecycle";

/** What everything that waits or sends is told when it must not go on. */
export class StoppedError extends InterruptedError {
  override readonly name = "StoppedError";

  constructor(reason: string) {
    super(`${reason}; no further requests are sent`);
  }
}

/**
 * A switch for everything that a process does. When it is thrown, waits end at once and nothing more is sent; only the reply to a
 * request that may have an effect is still awaited, because it says what has become of it.
 */
export class Stop {
  #reason: StoppedError | undefined;
  readonly #waiting = new Set<(reason: StoppedError) => void>();

  now(reason: string): void {
    if (this.#reason) return;
    this.#reason = new StoppedError(reason);
    for (const end of [...this.#waiting]) end(this.#reason);
  }

  refuse(): void {
    if (this.#reason) throw this.#reason;
  }

  /** The result, or the reason to stop where that comes first. `end` is called in that case. */
  async orStop<Result>(begin: () => Promise<Result>, end: (reason: StoppedError) => void = () => undefined) {
    this.refuse();
    let stop: (reason: StoppedError) => void = () => undefined;
    const stopped = new Promise<never>((_, reject) => {
      stop = (reason) => {
        reject(reason);
        end(reason);
      };
    });
    this.#waiting.add(stop);
    const working = begin();
    // Whichever loses the race is of no interest.
    working.catch(() => undefined);
    stopped.catch(() => undefined);
    try {
      return await Promise.race([working, stopped]);
    } finally {
      this.#waiting.delete(stop);
    }
  }

  clock(clock: Clock = systemClock): Clock {
    return {
      now: () => clock.now(),
      sleep: async (ms, signal) => {
        const own = new AbortController();
        const abort = () => own.abort(signal?.reason);
        if (signal?.aborted) abort();
        signal?.addEventListener("abort", abort, { once: true });
        try {
          await this.orStop(
            () => clock.sleep(ms, own.signal),
            (reason) => own.abort(reason),
          );
        } finally {
          signal?.removeEventListener("abort", abort);
        }
      },
    };
  }

  transport(transport: Transport): Transport {
    return async (request) => {
      if (request.method === "GET") return this.orStop(() => transport(request));
      this.refuse();
      return transport(request);
    };
  }

  engine(engine: EngineLink): EngineLink {
    return {
      ...engine,
      ask: async () => {
        this.refuse();
        return engine.ask();
      },
    };
  }

  /** The same for anything else that is asked. */
  asking<Args extends unknown[], Result>(ask: (...args: Args) => Promise<Result>): (...args: Args) => Promise<Result> {
    return (...args) => this.orStop(() => ask(...args));
  }
}

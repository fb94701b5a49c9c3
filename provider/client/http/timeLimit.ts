import { timerDelay } from "./clock";

/** Why an exchange was ended from this side. */
export class LimitReached extends Error {
  constructor(
    readonly kind: "timeout" | "aborted",
    message: string,
    cause?: unknown,
  ) {
    super(message, cause === undefined ? undefined : { cause });
  }
}

/** Ends one exchange when its time is over or the caller's signal is aborted, whether or not the transport heeds its signal. */
export class TimeLimit {
  readonly #controller = new AbortController();
  readonly #reached: Promise<never>;
  readonly #timer: NodeJS.Timeout;
  readonly #callerSignal: AbortSignal | undefined;
  #headersHere = false;

  constructor(ms: number, callerSignal: AbortSignal | undefined) {
    const { signal } = this.#controller;
    this.#reached = new Promise((_, reject) => {
      signal.addEventListener("abort", () => reject(signal.reason), { once: true });
    });
    this.#reached.catch(() => {});
    this.#timer = this.#endAfter(ms);
    this.#callerSignal = callerSignal;
    callerSignal?.addEventListener("abort", this.#abort, { once: true });
    if (callerSignal?.aborted) this.#abort();
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** The promise's result, or a LimitReached if that comes first. */
  orEnd<T>(promise: PromiseLike<T>): Promise<T> {
    return Promise.race([this.#reached, promise]);
  }

  headersArrived(): void {
    this.#headersHere = true;
    // A stream that was opened and is never read must not keep the process up; one that is read has its socket for that.
    this.#timer.unref();
  }

  /** Stops watching; with `cut`, the exchange is not complete and its connection is given up. */
  stop({ cut }: { cut: boolean }): void {
    clearTimeout(this.#timer);
    this.#callerSignal?.removeEventListener("abort", this.#abort);
    if (cut) this.#controller.abort(new LimitReached("aborted", "the answer was not read to its end"));
  }

  readonly #abort = () => {
    this.#controller.abort(new LimitReached("aborted", "cancelled by the caller", this.#callerSignal?.reason));
  };

  #endAfter(ms: number): NodeJS.Timeout {
    return setTimeout(() => {
      const missing = this.#headersHere ? "no complete answer" : "no answer";
      this.#controller.abort(
        new LimitReached("timeout", `${missing} within ${Math.max(0, Math.round(ms / 100) / 10)} s`),
      );
    }, timerDelay(ms));
  }
}

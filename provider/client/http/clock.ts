/**
 * Time, handed in. Deadlines, backoff and Retry-After go by this clock. The limits of a single exchange (see `limits.ts`) are
 * measured in real time, since they guard real sockets.
 */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Rejects with the signal's reason when that is aborted first. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

export const systemClock: Clock = {
  // Monotonic, unlike Date.now(): setting the machine's clock must neither cut a deadline short nor stretch it.
  now: () => performance.timeOrigin + performance.now(),
  sleep: (ms, signal) =>
    new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      const abort = () => {
        clearTimeout(timer);
        reject(signal?.reason);
      };
      const timer = setTimeout(() => {
        signal?.removeEventListener("abort", abort);
        resolve();
      }, timerDelay(ms));
      signal?.addEventListener("abort", abort, { once: true });
    }),
};

/** setTimeout fires at once for anything above 2^31-1 ms. */
export function timerDelay(ms: number): number {
  return Math.max(0, Math.min(ms, 2 ** 31 - 1));
}

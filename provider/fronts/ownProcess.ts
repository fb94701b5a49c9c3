import { setFlagsFromString } from "node:v8";

/**
 * Keeps V8 from taking memory for speed that nobody notices here.
 * - It guesses that what is made for every call is long-lived when calls wait, and then collects late what each of them throws
 *   away: 27 MB in a refresh of 1,000 rentals.
 * - It optimizes the WebAssembly with which undici parses headers: 25 MB, while a request takes milliseconds either way.
 */
export function spareMemory(): void {
  setFlagsFromString("--no-allocation-site-pretenuring");
  setFlagsFromString("--liftoff-only");
}

const checkEvery = 3000;

/** A killed engine leaves this process running, for hours if need be. It goes when the engine is gone and nothing is under way. */
export function leaveWithEngine(isAlive: () => Promise<boolean>, openCalls: () => number): void {
  let misses = 0;
  setInterval(async () => {
    if (openCalls() > 0) return;
    misses = (await isAlive().catch(() => false)) ? 0 : misses + 1;
    if (misses > 1 && openCalls() === 0) process.exit(0);
  }, checkEvery).unref();
}

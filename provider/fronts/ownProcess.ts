import { setFlagsFromString } from "node:v8";

/**
 * Keeps V8 from taking memory for speed that nobody notices here.
 * - It guesses that what is made for every call is long-lived when calls wait, and then collects late what each of them throws
 *   away: 27 MB in a refresh of 1,000 rentals.
 * - It optimizes the WebAssembly with which undici parses headers: 25 MB, while a request takes milliseconds either way.
 * - It lets garbage pile up to several times what is in use before it collects any: 40 to 150 MB in the up of 1,000 rentals, more on a
 *   slow machine. What a call makes is gone when it is answered, so collecting it early costs little.
 */
export function spareMemory(): void {
  setFlagsFromString("--no-allocation-site-pretenuring");
  setFlagsFromString("--liftoff-only");
  setFlagsFromString("--heap-growing-percent=60");
}

const checkEvery = 3000;
/** How long calls that only wait may still go on: whoever made them is gone, and nobody will hear what comes of them. */
const patience = 10_000;

/** What a process may still have to do. */
export interface Duties {
  /** How many calls of the engine are under way. */
  openCalls(): number;
  /** How many requests that may have an effect await their reply. */
  effects(): number;
}

/**
 * A killed engine leaves this process running, for hours if need be. It goes when the engine is gone: at once where nothing is under
 * way, and soon where calls only wait. A request that may have an effect is finished first; what it has made is found by
 * `gpufleet recover`, whether its reply was read or not.
 */
export function leaveWithEngine(isGone: () => Promise<boolean>, duties: Duties, leave = () => process.exit(0)): void {
  let misses = 0;
  let goneSince = 0;
  setInterval(async () => {
    const asked = performance.now();
    const isMissed = await isGone().catch(() => false);
    if (isMissed && misses === 0) goneSince = asked;
    misses = isMissed ? misses + 1 : 0;
    const isOver = duties.openCalls() === 0 || performance.now() - goneSince >= patience;
    if (misses > 1 && isOver && duties.effects() === 0) leave();
  }, checkEvery).unref();
}

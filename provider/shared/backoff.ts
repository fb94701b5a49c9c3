/**
 * The one place where waiting backs off. Between attempts at what failed the wait doubles; between looks at a list it
 * widens slowly, because what is waited for takes minutes. Towards the service both have jitter, so that many processes do not
 * march in step.
 */

/** For what one process does by itself, and says beforehand how long it waits. */
export const withoutJitter = () => 1;

/** Before retry number `attempt`: anything up to `first`, doubled with each attempt, and never more than `most`. */
export function retryBackoff(attempt: number, first: number, most: number, random: () => number): number {
  return random() * Math.min(most, first * 2 ** (attempt - 1));
}

const widest = 15_000;

/**
 * Between two looks, after this much waiting: `least` at first, wider the longer it takes. Never less: of many that wait for one
 * list, the most impatient sets the pace.
 */
export function pollBackoff(elapsed: number, least: number, random: () => number): number {
  return Math.min(least + elapsed * 0.02, widest) * (1 + 0.1 * random());
}

/**
 * How fast the host is between the runs: what the same sum takes it. A shared host may take twice as long a minute later, and what is
 * run once shows that.
 */
const steps = 20_000_000;
const times: number[] = [];

export function takePace(): void {
  const started = performance.now();
  let sum = 0;
  for (let step = 0; step < steps; step += 1) sum += Math.sqrt(step);
  if (sum > 0) times.push(performance.now() - started);
}

/** Undefined where nothing was measured with the engine. */
export function describePace(): string | undefined {
  if (times.length === 0) return undefined;
  const [least, most] = [Math.min(...times), Math.max(...times)].map((time) => time.toFixed(0));
  return `between the runs, the same sum took the host ${least} to ${most} ms`;
}

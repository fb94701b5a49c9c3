/** Medians and spreads. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((left, right) => left - right);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
}

export function describe(values: readonly number[], unit = "s"): string {
  const digits = median(values) < 1 ? 3 : 2;
  const show = (value: number) => value.toFixed(digits);
  const spread = values.length === 1 ? "one run" : `${show(Math.min(...values))}–${show(Math.max(...values))}`;
  return `${show(median(values))} ${unit} (${spread})`;
}

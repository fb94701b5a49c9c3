/** `$19.92/h`. Prices below a cent keep the digits that matter. */
export function showPerHour(usd: number): string {
  return `${showUsd(usd)}/h`;
}

/** A sum of prices without the dust of floating point: 3 × 19.92 is 59.76. */
export function roundUsd(usd: number): number {
  return Math.round(usd * 1e6) / 1e6;
}

export function showUsd(usd: number): string {
  const digits = usd !== 0 && Math.abs(usd) < 0.1 ? 4 : 2;
  return `$${usd.toFixed(digits)}`;
}

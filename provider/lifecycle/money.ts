/** `$19.92/h`. Prices below a cent keep the digits that matter. */
export function showPerHour(usd: number): string {
  return `${showUsd(usd)}/h`;
}

export function showUsd(usd: number): string {
  const digits = usd !== 0 && Math.abs(usd) < 0.1 ? 4 : 2;
  return `$${usd.toFixed(digits)}`;
}

/** `$1,234.50`; below ten cents with the digits that matter. */
export function showUsd(usd: number): string {
  const digits = usd !== 0 && Math.abs(usd) < 0.1 ? 4 : 2;
  const text = Math.abs(usd).toLocaleString("en-US", { minimumFractionDigits: digits, maximumFractionDigits: digits });
  return `${usd < 0 ? "−" : ""}$${text}`;
}

/** `$19.92/h` */
export function showPerHour(usd: number): string {
  return `${showUsd(usd)}/h`;
}

/** With its sign: `+$19.92`, `−$19.92`, `±$0.00`. */
export function showSignedUsd(usd: number): string {
  if (usd === 0) return "±$0.00";
  return usd > 0 ? `+${showUsd(usd)}` : showUsd(usd);
}

/** What marketplace prices are in: USD, as documented, or cents, where the setting `marketplacePriceUnit` says so. */
export type PriceUnit = "usd" | "cents";

export function inUsd(price: number, unit: PriceUnit): number {
  return unit === "cents" ? price / 100 : price;
}

/** A twelfth of a year, as price lists count. */
export const hoursPerMonth = 730;

/** How every refusal for money before something is rented ends. */
export const raiseTheLimit = "Raise the limit or request less.";

/** A sum of prices without the dust of floating point: 3 × 19.92 is 59.76. */
export function roundUsd(usd: number): number {
  return Math.round(usd * 1e6) / 1e6;
}

/** Whether a price is above a limit. One that looks the same is not: 24 × 2.49 is 59.76. */
export function isOver(usd: number, limit: number): boolean {
  return roundUsd(usd) > roundUsd(limit);
}

/** Money as people read it. */

export const hoursPerDay = 24;
/** A twelfth of a year's hours, as price lists reckon. */
export const hoursPerMonth = 730;

/** `$1,234.50`; below ten cents with the digits that matter. */
export function usd(amount: number): string {
  const digits = amount !== 0 && Math.abs(amount) < 0.1 ? 4 : 2;
  const text = Math.abs(amount).toLocaleString("en-US", {
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  });
  return `${amount < 0 ? "−" : ""}$${text}`;
}

export function usdPerHour(amount: number): string {
  return `${usd(amount)}/h`;
}

/** With its sign: `+$19.92`, `−$19.92`, `±$0.00`. */
export function signedUsd(amount: number): string {
  if (amount === 0) return "±$0.00";
  return amount > 0 ? `+${usd(amount)}` : usd(amount);
}

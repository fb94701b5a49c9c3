import type { Life, PriceFacts } from "../state";

const hourMs = 3_600_000;

/** USD per GPU and hour. */
export const gpuPrices = { h100: 2.49, h200: 3.29, b200: 4.99 } as const;

/** USD per GB and hour. */
export const storagePrice = 0.0001;

/** To a ten-thousandth of a cent, so that 8 × 2.49 is 19.92. */
export function roundUsd(amount: number): number {
  return Math.round(amount * 1e6) / 1e6;
}

/** The same amount in whole cents. */
export function centsOf(usd: number): number {
  return Math.round(usd * 100);
}

export function flatPrice(perHour: number): PriceFacts {
  return { perHour: roundUsd(perHour), discounted: null };
}

/** Whether the discounted term is still running. */
export function inTerm(price: PriceFacts, at: number): boolean {
  return price.discounted !== null && at < price.discounted.until;
}

export function perHourAt(price: PriceFacts, at: number): number {
  return price.discounted && inTerm(price, at) ? price.discounted.perHour : price.perHour;
}

/** Billing stops when the object has ended, not when it is asked to end. */
export function isBilling(life: Life, at: number): boolean {
  return at >= life.createdAt && at < (life.endedAt ?? Number.POSITIVE_INFINITY);
}

/** USD from its creation up to that time. */
export function costUntil(price: PriceFacts, life: Life, at: number): number {
  const from = life.createdAt;
  const until = Math.min(at, life.endedAt ?? at);
  if (until <= from) return 0;
  const turn = Math.min(Math.max(price.discounted?.until ?? from, from), until);
  const discounted = (turn - from) * (price.discounted?.perHour ?? 0);
  return (discounted + (until - turn) * price.perHour) / hourMs;
}

import { count } from "../../../provider/shared/count";
import { anyRegion, type Prices, storagePrice } from "../../../provider/shared/prices";
import { nounOf, pluralOf } from "../../stack";
import type { PriceSubject, ServicePrice, UnknownPrice } from "./gather";

/** `$2.49`, `$0.0001`: prices of one GPU or one GB need more digits than sums. */
export function showUnitPrice(usd: number): string {
  if (usd !== 0 && usd < 0.1) return `$${usd.toLocaleString("en-US", { maximumSignificantDigits: 3 })}`;
  return `$${usd.toLocaleString("en-US", { minimumFractionDigits: 2, maximumFractionDigits: 4 })}`;
}

/** "h100 in us-central-1" */
export function showSubject({ name, region }: PriceSubject): string {
  return region === null ? name : `${name} in ${region}`;
}

/** "GPU" or "GB" */
export function unitOf(name: string): "GPU" | "GB" {
  return name === storagePrice ? "GB" : "GPU";
}

/** "2 bare-metal rentals", "1 bare-metal rental, reserved for 30 days" */
export function showOrigin({ type, count: amount, terms }: ServicePrice): string {
  const what = count(amount, nounOf(type));
  return terms === null ? what : `${what}, ${terms}`;
}

/** "login, dev (virtual-machine rentals)"; a fleet of hundreds is not listed to the end. */
export function showUsers({ resources, type }: UnknownPrice): string {
  const most = 3;
  const rest = resources.length > most ? ` and ${resources.length - most} more` : "";
  const noun = resources.length === 1 ? nounOf(type) : (pluralOf(type) ?? nounOf(type));
  return `${resources.slice(0, most).join(", ")}${rest} (${noun})`;
}

/** Where a price of the book holds. */
export function showBookRegion({ name, region }: PriceSubject, book: Prices): string {
  if (region !== null) return region;
  const named = [...(book.get(name)?.keys() ?? [])].filter((one) => one !== anyRegion);
  return named.length > 0 ? "other regions" : "any region";
}

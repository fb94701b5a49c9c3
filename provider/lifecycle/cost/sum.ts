import { cleanText } from "../../shared/cleanText";
import { roundUsd, showPerHour } from "../../shared/money";
import type { Prices } from "../../shared/prices";
import { asRentedKey, priceByBook, readPrice, shownPrice, type Values } from "../model";

/** Something that costs money. */
export interface Costly {
  /** Undefined where no price is known. */
  costPerHour?: number | undefined;
  /** Whether that is the price of the user's own book, or of its like. */
  isEstimate?: boolean | undefined;
}

/** The same by the name that people know it by. */
export interface Named extends Costly {
  name: string;
}

/** What a state tells of a price: as the service has shown it; else by the user's own book of today, or of then. */
export function priceInState(outputs: Values, prices: Prices): Costly {
  const shown = shownPrice(outputs);
  if (shown !== undefined) return { costPerHour: shown };
  const costPerHour = readPrice(outputs["costPerHour"]) || undefined;
  // The book's price is that of what runs, be it something else than was asked for.
  const rented = { ...outputs, ...Object(outputs[asRentedKey]) };
  const region = typeof outputs["region"] === "string" ? outputs["region"] : undefined;
  return { costPerHour: priceByBook(rented, region, prices) ?? costPerHour, isEstimate: true };
}

/** What they cost together, as far as prices are known: never to be shown without what it leaves out. */
export function knownSum(things: readonly Costly[]): number {
  return roundUsd(things.reduce((sum, { costPerHour = 0 }) => sum + costPerHour, 0));
}

/** What they cost together; undefined where a price is unknown. */
export function wholeSum(things: readonly Costly[]): number | undefined {
  return things.some(({ costPerHour }) => costPerHour === undefined) ? undefined : knownSum(things);
}

/** `$39.84/h`, `≈ $39.84/h` by the book, `$19.92/h without 1 of unknown price`, or `price unknown`. */
export function showSum(things: readonly Costly[]): string {
  const priced = things.filter(({ costPerHour }) => costPerHour !== undefined);
  if (priced.length === 0 && things.length > 0) return "price unknown";
  const about = priced.some(({ isEstimate }) => isEstimate) ? "≈ " : "";
  return `${about}${showPerHour(knownSum(priced))}${nameUnpriced(things)}`;
}

const mostNamed = 3;

/** What to look at first when money is short: a sentence with a space before it, or nothing. */
export function nameLargest(things: readonly Named[]): string {
  const priced = things.flatMap(({ name, costPerHour = 0 }) => (costPerHour > 0 ? [{ name, costPerHour }] : []));
  const largest = priced.sort((one, other) => other.costPerHour - one.costPerHour).slice(0, mostNamed);
  if (largest.length === 0) return "";
  const named = largest.map(({ name, costPerHour }) => `${name} ${showPerHour(costPerHour)}`);
  return ` Most of it: ${cleanText(named.join(", "))}.`;
}

/** Unknown is not zero: what is not in the sum is said. */
export function nameUnpriced(things: readonly Costly[]): string {
  const count = things.filter(({ costPerHour }) => costPerHour === undefined).length;
  return count === 0 ? "" : ` without ${count} of unknown price`;
}

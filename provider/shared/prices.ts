import { gpuTypes } from "./offer";
import { regions } from "./region";
import { nearest } from "./spelling";

/**
 * The user's own price book (`gpufleet:prices`), for what the service shows no price of: USD per GPU and hour by model, and per
 * GB and hour for storage. Each is one price, or one per region.
 */
export type Prices = ReadonlyMap<string, ReadonlyMap<string, number>>;

export const noPrices: Prices = new Map();

/** The name under which a book has the price of storage. */
export const storagePrice = "storage";
/** The region under which a book has the price for all regions that it does not name. */
export const anyRegion = "default";

/** What a price is asked for. */
export interface Priced {
  /** Model of the GPUs, or `storage`. */
  name: string;
  /** How many GPUs, or how many GB. */
  amount: number;
  region?: string | undefined;
  /** Agreed for a reserved term, in percent. */
  discountPercentage?: number | undefined;
}

/** What it costs per hour by the book, which has prices without any discount; undefined where the book does not say. */
export function priceIn(prices: Prices, { name, amount, region, discountPercentage = 0 }: Priced): number | undefined {
  const byRegion = prices.get(name.toLowerCase());
  const perUnit = byRegion?.get(region ?? anyRegion) ?? byRegion?.get(anyRegion);
  return perUnit === undefined ? undefined : perUnit * amount * (1 - Math.min(discountPercentage, 100) / 100);
}

/** What is wrong with a book that has no text at all, as where the command that should have written it has failed. */
export function whyEmpty(text: string | undefined): string | undefined {
  if (text === undefined || text.trim() !== "") return undefined;
  return `is empty: give prices such as ${example}, {} for none, or leave it out`;
}

/** A book as JSON. Throws with what is wrong, and what would be right. */
export function readPrices(text: string): Prices {
  const empty = whyEmpty(text);
  if (empty) throw new Error(empty);
  const book: unknown = parse(text);
  if (!isRecord(book)) throw new Error(`must be an object such as ${example}, not ${shorten(text)}`);
  return new Map(Object.entries(book).map(([name, value]) => [readName(name), readRegions(name, value)]));
}

/** A book as JSON, in one line: what `readPrices` reads. */
export function writePrices(prices: Prices): string {
  const book = [...prices].map(([name, byRegion]): [string, unknown] => {
    const everywhere = byRegion.size === 1 ? byRegion.get(anyRegion) : undefined;
    return [name, everywhere ?? Object.fromEntries(byRegion)];
  });
  return JSON.stringify(Object.fromEntries(book));
}

/** What a book can have prices of. */
export const priceNames: readonly string[] = [...gpuTypes, storagePrice];
const example = '{"h100": 2.49, "h200": {"us-central-1": 3.10, "default": 3.50}, "storage": 0.0001}';

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Error(`must be JSON such as ${example}, not ${shorten(text)}`);
  }
}

function readName(name: string): string {
  const lower = name.toLowerCase();
  if (priceNames.includes(lower)) return lower;
  throw new Error(`has no price named ${JSON.stringify(name)}. ${allowed(name, priceNames)}`);
}

function readRegions(name: string, value: unknown): ReadonlyMap<string, number> {
  if (!isRecord(value)) return new Map([[anyRegion, readPrice(name, value)]]);
  return new Map(
    Object.entries(value).map(([region, price]) => {
      const known: readonly string[] = [...regions.all, anyRegion];
      if (!known.includes(region)) {
        throw new Error(`has a price of ${name} in ${JSON.stringify(region)}. ${allowed(region, known)}`);
      }
      return [region, readPrice(`${name} in ${region}`, price)];
    }),
  );
}

function readPrice(what: string, value: unknown): number {
  if (typeof value === "number" && Number.isFinite(value) && value >= 0) return value;
  throw new Error(`must have a number in USD per hour for ${what}, not ${shorten(JSON.stringify(value) ?? "nothing")}`);
}

function allowed(word: string, known: readonly string[]): string {
  const guess = nearest(word, known);
  return guess === undefined ? `Allowed: ${known.join(", ")}` : `Did you mean ${guess}?`;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function shorten(text: string): string {
  return text.length > 80 ? `${text.slice(0, 80)}…` : text;
}

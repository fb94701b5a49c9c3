import { anyRegion, type Prices, priceIn, priceNames, writePrices } from "../../../provider/shared/prices";
import { accountName } from "../../account";
import { commandLine } from "../../place";
import { marketplaceInstanceType } from "../../stack";
import type { AccountPrices, PricesFound, ServicePrice, UnknownPrice } from "./gather";
import { showSubject, showUnitPrice, showUsers, unitOf } from "./words";

export interface BookToStart {
  prices: Prices;
  /** As JSON in one line. */
  text: string;
}

/** The present book, with the prices that the service shows now. What has no price is not in it: zero would be one. */
export function bookOf({ accounts: [first] }: PricesFound): BookToStart {
  const book = new Map([...first.book].map(([name, byRegion]) => [name, new Map(byRegion)]));
  for (const { name, region, usd } of shownPrices(first)) {
    const byRegion = book.get(name) ?? new Map<string, number>();
    if (region !== null && (byRegion.get(region) ?? byRegion.get(anyRegion)) !== usd) byRegion.set(region, usd);
    if (byRegion.size > 0) book.set(name, byRegion);
  }
  const prices = new Map(priceNames.flatMap((name) => entryOf(book, name)));
  return { prices, text: writePrices(prices) };
}

function entryOf(book: Prices, name: string): [string, ReadonlyMap<string, number>][] {
  const byRegion = book.get(name);
  return byRegion ? [[name, byRegion]] : [];
}

/** One price for each model and region: of several, the highest, so that a limit is not passed unseen. */
function shownPrices({ service }: AccountPrices): ServicePrice[] {
  const byTheHour = service.filter(({ name, terms }) => terms === null && priceNames.includes(name));
  const chosen = new Map<string, ServicePrice>();
  for (const price of byTheHour) {
    const key = JSON.stringify([price.name, price.region]);
    if ((chosen.get(key)?.usd ?? 0) <= price.usd) chosen.set(key, price);
  }
  return [...chosen.values()];
}

/** What the book does not say, in words. */
export function bookNotes({ accounts: [first, ...others], notes }: PricesFound, { prices }: BookToStart): string[] {
  return [
    ...first.unknown.map((unknown) => unknownNote(unknown, prices)),
    ...changedPrices(first),
    ...others.map(
      ({ account }) =>
        `Not in this book: ${account === null ? "the " : ""}${accountName(account)}. A provider has a book of its own (\`prices\`).`,
    ),
    ...notes,
    // In two steps: where the first one fails, the present book stays.
    `To use it: book=$(${commandLine("gpufleet prices --book")}) && ${commandLine('pulumi config set gpufleet:prices "$book"')}`,
  ];
}

function unknownNote(unknown: UnknownPrice, prices: Prices): string {
  const { name, region, type } = unknown;
  const what = `${showSubject(unknown)}: ${showUsers(unknown)}`;
  if (type === marketplaceInstanceType || !priceNames.includes(name))
    return `No price is known of ${what}. A price book cannot have it.`;
  const price = priceIn(prices, { name, amount: 1, region: region ?? undefined });
  if (price === undefined) return `No price is known of ${what}. Add it, in USD per ${unitOf(name)} and hour.`;
  return `The service shows no price of ${what}. This book counts ${showUnitPrice(price)} per ${unitOf(name)}, the price of other ${name}: check it.`;
}

function changedPrices(first: AccountPrices): string[] {
  return shownPrices(first).flatMap((shown) => {
    const before = priceIn(first.book, { name: shown.name, amount: 1, region: shown.region ?? undefined });
    if (before === undefined || before === shown.usd) return [];
    return [
      `${showSubject(shown)}: ${showUnitPrice(shown.usd)} as the service shows it, in place of ${showUnitPrice(before)} in the present book.`,
    ];
  });
}

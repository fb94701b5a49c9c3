import { accountName } from "../../account";
import { commandLine } from "../../place";
import { type Paint, table } from "../../terminal";
import { type Difference, differencesIn } from "./differences";
import { type AccountPrices, bookEntries, byName, type PricesFound } from "./gather";
import { showBookRegion, showOrigin, showSubject, showUnitPrice, showUsers, unitOf } from "./words";

const columns = [
  { title: "MODEL" },
  { title: "REGION" },
  { title: "$/H", right: true },
  { title: "PER" },
  { title: "FROM" },
];
const marketplaceColumns = [
  { title: "MODEL" },
  { title: "REGION" },
  { title: "$/H", right: true },
  { title: "PER" },
  { title: "MACHINES", right: true },
  { title: "FREE GPUS", right: true },
];

/** For a terminal. */
export function showPrices({ stack, accounts, notes }: PricesFound, paint: Paint): string {
  const parts = accounts.flatMap((prices) => [
    ...titled(accountTitle(`Prices for ${stack}`, prices, accounts), table(columns, rowsOf(prices), paint), paint),
    "",
    ...titled(
      accountTitle("Marketplace", prices, accounts),
      table(marketplaceColumns, prices.marketplace.map(marketplaceCells), paint),
      paint,
    ),
    "",
    ...differencesIn(prices).map((difference) => paint("yellow", differenceNote(difference))),
  ]);
  const isMissing = accounts.some(({ unknown }) => unknown.length > 0);
  return [
    ...parts,
    ...(isMissing ? [`\`${commandLine("gpufleet prices --book")}\` prints a price book to start from.`] : []),
    ...notes.map((note) => paint("yellow", note)),
  ]
    .join("\n")
    .trimEnd();
}

function accountTitle(title: string, { account }: AccountPrices, all: readonly AccountPrices[]): string {
  return all.length === 1 ? title : `${title}, ${accountName(account)}`;
}

/** A table without rows is one line of titles. */
function titled(title: string, lines: readonly string[], paint: Paint): string[] {
  return [paint("bold", title), ...(lines.length > 1 ? lines : ["  none known"])];
}

function rowsOf({ service, book, unknown }: AccountPrices): string[][] {
  const rows = [
    ...service.map((price) => ({
      ...price,
      cells: [price.region ?? "–", showUnitPrice(price.usd), unitOf(price.name), `service: ${showOrigin(price)}`],
    })),
    ...bookEntries(book).map((entry) => ({
      ...entry,
      cells: [showBookRegion(entry, book), `≈ ${showUnitPrice(entry.usd)}`, unitOf(entry.name), "price book"],
    })),
    ...unknown.map((one) => ({
      ...one,
      cells: [one.region ?? "–", "unknown", unitOf(one.name), `not known: ${showUsers(one)}`],
    })),
  ];
  // A stable sort: of one model and region, the service's own prices come first.
  return rows.sort(byName).map(({ name, cells }) => [name, ...cells]);
}

function marketplaceCells({ name, region, lowest, highest, machines, freeGpus }: AccountPrices["marketplace"][number]) {
  const price = lowest === highest ? showUnitPrice(lowest) : `${showUnitPrice(lowest)} to ${showUnitPrice(highest)}`;
  return [name, region ?? "–", price, "GPU", machines.toLocaleString("en-US"), freeGpus.toLocaleString("en-US")];
}

function differenceNote(difference: Difference): string {
  const prices = [
    ...difference.service.map((price) => `${showUnitPrice(price.usd)} (service: ${showOrigin(price)})`),
    ...(difference.book === null ? [] : [`≈ ${showUnitPrice(difference.book)} (price book)`]),
  ];
  const rule = difference.book === null ? "" : " Where the service shows a price, that one counts.";
  return `Different prices of ${showSubject(difference)}: ${prices.join(", ")}.${rule}`;
}

/** Prices are for one GPU or one GB, in USD per hour. */
export function pricesJson({ stack, accounts, notes }: PricesFound): string {
  return JSON.stringify({ version: 1, currency: "USD", stack, accounts: accounts.map(accountJson), notes }, null, 2);
}

function accountJson(prices: AccountPrices) {
  const { account, service, book, marketplace, unknown } = prices;
  const priced = <One extends { name: string }>(one: One) => ({
    ...one,
    per: unitOf(one.name),
  });
  return {
    account,
    service: service.map(priced),
    book: bookEntries(book).map(priced),
    marketplace: marketplace.map(priced),
    unknown: unknown.map(priced),
    differences: differencesIn(prices).map(({ name, region, service: shown, book: byBook }) =>
      priced({ name, region, service: shown.map(({ usd }) => usd), book: byBook }),
    ),
  };
}

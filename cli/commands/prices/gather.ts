import { factsOf, marketplaceMachines } from "../../../provider/resources";
import { availableGpus } from "../../../provider/service";
import { messageOf } from "../../../provider/shared/messageOf";
import { anyRegion, noPrices, type Prices, storagePrice } from "../../../provider/shared/prices";
import { type Gap, gapNotes, listHoldings, type Situation, type Situations } from "../../account";
import { type Billable, compare, givenPrice, isVolume, notListedNotes, reservedTerms, unknownModel } from "../../money";
import { leftOutNotes, marketplaceInstanceType } from "../../stack";
import { statusLine } from "../../terminal";

/** What is known of prices, and of what none is known. */
export interface PricesFound {
  /** `project/stack` */
  stack: string;
  accounts: [AccountPrices, ...AccountPrices[]];
  /** What could not be read, in words. */
  notes: string[];
}

export interface AccountPrices {
  /** `provider "other"`; null for the account of the configuration. */
  account: string | null;
  service: ServicePrice[];
  /** The price book in use. */
  book: Prices;
  marketplace: MarketplacePrice[];
  unknown: UnknownPrice[];
}

/** What a price is of. */
export interface PriceSubject {
  /** `h100`, `RTX-4090`, `storage` */
  name: string;
  region: string | null;
}

/** USD per hour for one GPU, or for one GB of storage, as the service shows it of what runs. */
export interface ServicePrice extends PriceSubject {
  usd: number;
  /** `BareMetalRental` */
  type: string;
  /** "reserved for 30 days, 20% off"; null where it is billed by the hour at the list price. */
  terms: string | null;
  /** How many resources have it. */
  count: number;
}

/** USD per GPU and hour, over all machines of one model in a region. */
export interface MarketplacePrice extends PriceSubject {
  lowest: number;
  highest: number;
  machines: number;
  freeGpus: number;
}

/** What the state has and no price is known of. */
export interface UnknownPrice extends PriceSubject {
  type: string;
  /** Names in the program. */
  resources: string[];
}

/** `given` is a book from the command line, which wins over that of the stack. */
export async function gatherPrices({ situations, leftOut }: Situations, given = noPrices): Promise<PricesFound> {
  const read = [];
  for (const situation of situations) read.push(await readAccount(situation, given));
  const [first, ...rest] = read;
  if (!first) throw new Error("a stack has at least one account");
  const gaps = [...situations.flatMap((situation) => situation.gaps), ...read.flatMap((one) => one.gaps)];
  const notListed = new Set(situations.flatMap((situation) => situation.notListed));
  return {
    stack: situations[0].name,
    accounts: [first.prices, ...rest.map(({ prices }) => prices)],
    notes: [...notListedNotes([...notListed]), ...gapNotes(gaps), ...leftOutNotes(leftOut)],
  };
}

async function readAccount(situation: Situation, given: Prices): Promise<{ prices: AccountPrices; gaps: Gap[] }> {
  const { runtime, account = null } = situation;
  // As the service lists them: the situation has filled in what only the state knows.
  const { holdings } = await listHoldings(runtime);
  const shown = holdings.filter(({ estimated, costPerHour }) => !estimated && costPerHour !== undefined);
  const book = new Map([...runtime.settings.prices, ...given]);
  const { marketplace, gaps } = await readMarketplace(situation);
  const service = servicePrices(shown.filter(({ type }) => type !== marketplaceInstanceType));
  const listed = new Set(holdings.map(keyOf));
  const priced = new Set(shown.map(keyOf));
  const isPriced = (one: InStack) =>
    priced.has(keyOf(one)) ||
    ((one.type === marketplaceInstanceType || !listed.has(keyOf(one))) && one.costPerHour !== undefined) ||
    givenPrice(book, one) !== undefined;
  const inStack = [...situation.own, ...situation.unseen.filter(({ isGone }) => !isGone)];
  return {
    prices: { account, service, book, marketplace, unknown: unknownPrices(inStack.filter((one) => !isPriced(one))) },
    gaps,
  };
}

type InStack = Billable & { id: string };

function nameOf(billable: Billable): string {
  return isVolume(billable) ? storagePrice : (billable.gpus?.model ?? unknownModel);
}

function servicePrices(holdings: readonly Billable[]): ServicePrice[] {
  const all = holdings.flatMap((holding): ServicePrice[] => {
    const { type, region = null, gpus, sizeInGb, costPerHour } = holding;
    const amount = gpus?.count ?? sizeInGb;
    if (costPerHour === undefined || !amount) return [];
    const usd = perUnit(costPerHour, amount);
    return [{ name: nameOf(holding), region, usd, type, terms: reservedTerms(holding) ?? null, count: 1 }];
  });
  return grouped(all, ({ name, region, usd, type, terms }) => [name, region, usd, type, terms])
    .map(([first, ...others]) => ({ ...first, count: 1 + others.length }))
    .sort((one, other) => byName(one, other) || compare(one.type, other.type) || one.usd - other.usd);
}

/** Without the dust of dividing. */
function perUnit(costPerHour: number, amount: number): number {
  return Number((costPerHour / amount).toPrecision(9));
}

async function readMarketplace({ runtime }: Situation): Promise<{ marketplace: MarketplacePrice[]; gaps: Gap[] }> {
  try {
    const list = runtime.lists.of(marketplaceMachines);
    const { items } = await statusLine.during("Listing marketplace machines…", () => list.latest());
    const machines = items.map((machine) => {
      const { gpuModel: name, region, pricePerGpuHour: usd } = factsOf(runtime, machine);
      return { name, region, usd, freeGpus: availableGpus(machine) };
    });
    const marketplace = grouped(machines, ({ name, region }) => [name, region]).map((members) => ({
      name: members[0].name,
      region: members[0].region,
      lowest: Math.min(...members.map(({ usd }) => usd)),
      highest: Math.max(...members.map(({ usd }) => usd)),
      machines: members.length,
      freeGpus: members.reduce((sum, { freeGpus }) => sum + freeGpus, 0),
    }));
    return { marketplace: marketplace.sort(byName), gaps: [] };
  } catch (error) {
    return { marketplace: [], gaps: [{ what: marketplaceMachines.plural, reason: messageOf(error) }] };
  }
}

function unknownPrices(billables: readonly InStack[]): UnknownPrice[] {
  return grouped(billables, (one) => [nameOf(one), one.region, one.type])
    .map((members) => ({
      name: nameOf(members[0]),
      region: members[0].region ?? null,
      type: members[0].type,
      resources: members.map(({ name }) => name).sort(compare),
    }))
    .sort(byName);
}

/** The prices of a book one by one; without a region, the one for all regions that it does not name. */
export function bookEntries(book: Prices): (PriceSubject & { usd: number })[] {
  return [...book]
    .flatMap(([name, byRegion]) =>
      [...byRegion].map(([region, usd]) => ({ name, region: region === anyRegion ? null : region, usd })),
    )
    .sort(byName);
}

/** What has no region comes last of its name. */
export function byName(one: PriceSubject, other: PriceSubject): number {
  return (
    Number(one.name === storagePrice) - Number(other.name === storagePrice) ||
    compare(one.name, other.name) ||
    Number(one.region === null) - Number(other.region === null) ||
    compare(one.region ?? "", other.region ?? "")
  );
}

function keyOf({ type, id }: { type: string; id: string }): string {
  return `${type} ${id}`;
}

function grouped<One>(all: readonly One[], keyOf: (one: One) => readonly unknown[]): [One, ...One[]][] {
  const groups = new Map<string, [One, ...One[]]>();
  for (const one of all) {
    const key = JSON.stringify(keyOf(one));
    const group = groups.get(key);
    if (group) group.push(one);
    else groups.set(key, [one]);
  }
  return [...groups.values()];
}

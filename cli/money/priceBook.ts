import { noPrices, type Prices, priceIn, priceNames, storagePrice } from "../../provider/shared/prices";
import { marketplaceInstanceType, storageVolumeType } from "../stack";
import type { Billable } from "./billable";

/** USD per hour and GPU, or per hour and GB, learned from what runs: the service has no price list. */
export class PriceBook {
  private readonly perUnit = new Map<string, number>();

  /** The user's own prices, where none was learned. */
  constructor(private readonly given: Prices = noPrices) {}

  /** Learns the price of this one, if the service has shown it. What was learned first stays. */
  learn(billable: Billable): void {
    const amount = amountOf(billable);
    if (billable.costPerHour === undefined || billable.estimated || !amount) return;
    for (const key of keysOf(billable)) {
      if (!this.perUnit.has(key)) this.perUnit.set(key, billable.costPerHour / amount);
    }
  }

  /** The price of a similar one in the same region; else that of the user's own book; else that of a similar one elsewhere. */
  estimate(billable: Billable): number | undefined {
    const amount = amountOf(billable);
    if (!amount) return undefined;
    const [here, elsewhere] = keysOf(billable).map((key) => this.perUnit.get(key));
    const perUnit = here ?? givenPrice(this.given, billable) ?? elsewhere;
    return perUnit === undefined ? undefined : perUnit * amount;
  }
}

/** What must be equal for the price to be equal, the closest match first. */
function keysOf({ type, gpus, terms, region }: Billable): string[] {
  const write = (...parts: (string | undefined)[]) => JSON.stringify(parts.map((part) => part ?? null));
  switch (type) {
    case storageVolumeType:
      return [write(type, region), write(type)];
    case marketplaceInstanceType:
      return terms === undefined ? [] : [write(type, terms)];
    default:
      return [write(type, gpus?.model, terms, region), write(type, gpus?.model, terms)];
  }
}

/** What one GPU or GB of it costs per hour by the user's own book. */
export function givenPrice(prices: Prices, billable: Billable): number | undefined {
  const { region, discountPercentage } = billable;
  const name = nameInBook(billable);
  return name === undefined ? undefined : priceIn(prices, { name, amount: 1, region, discountPercentage });
}

/** Whether a book can have its price. An instance of the marketplace has the price of its machine, whatever its GPUs are. */
export function canBeInBook(billable: Billable): boolean {
  return priceNames.includes(nameInBook(billable)?.toLowerCase() ?? "");
}

function nameInBook({ type, gpus }: Billable): string | undefined {
  if (type === marketplaceInstanceType) return undefined;
  return type === storageVolumeType ? storagePrice : gpus?.model;
}

function amountOf({ gpus, sizeInGb }: Billable): number | undefined {
  return gpus?.count ?? sizeInGb;
}

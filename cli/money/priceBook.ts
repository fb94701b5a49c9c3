import { noPrices, type Prices, priceIn, storagePrice } from "../../provider/shared/prices";
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
    const { region, discountPercentage } = billable;
    const given = priceIn(this.given, { name: givenName(billable), amount: 1, region, discountPercentage });
    const perUnit = here ?? given ?? elsewhere;
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

function givenName({ type, gpus }: Billable): string {
  return type === storageVolumeType ? storagePrice : (gpus?.model ?? "");
}

function amountOf({ gpus, sizeInGb }: Billable): number | undefined {
  return gpus?.count ?? sizeInGb;
}

/** What something costs per hour, and what is rented along with it. */
export interface Price {
  own: number;
  besides?: number | undefined;
}

/** A price at which something is within the limits. */
export interface PassedPrice extends Price {
  /** Whether the service has not shown it: it may turn out to be another. */
  isEstimate?: boolean | undefined;
  /** Whether this run looks again once it has. */
  isLookedAtAgain?: boolean | undefined;
}

interface Pledge extends PassedPrice {
  /** Type and id, once it is there. */
  key?: string;
  /** Whether it was held against the limits at the price that it has. */
  hasPassed: boolean;
}

/**
 * What this process rents, by URN: creates that run side by side must not each spend the same room of the budget, and the state knows
 * of none of them yet.
 */
export class Pledges {
  private readonly byUrn = new Map<string, Pledge>();
  private readonly byKey = new Map<string, Pledge>();
  /** Type and id of what came along, by the URN of what it came with. */
  private readonly besides = new Map<string, string>();

  /** It is about to be rented. */
  add(urn: string, price: Price): void {
    this.put(urn, { ...price, hasPassed: false });
  }

  /** From here on it is counted by its record, once a list shows it. */
  fulfil(urn: string, key: string): void {
    const pledge = this.byUrn.get(urn);
    if (pledge) this.put(urn, { ...pledge, key });
  }

  /** The same of what came along with it. */
  fulfilBesides(urn: string, key: string): void {
    this.besides.set(urn, key);
  }

  /** It is there, and within the limits at this price. */
  notePassed(urn: string, key: string, price: PassedPrice): void {
    const shown = { isEstimate: false, isLookedAtAgain: false };
    this.put(urn, { ...this.byUrn.get(urn), ...shown, ...price, key, hasPassed: true });
  }

  drop(urn: string): void {
    const key = this.byUrn.get(urn)?.key;
    this.byUrn.delete(urn);
    this.besides.delete(urn);
    if (key !== undefined) this.byKey.delete(key);
  }

  /** What was expected of this one and of what is rented along with it. */
  expectedOf(urn: string): number | undefined {
    const pledge = this.byUrn.get(urn);
    return pledge && pledge.own + (pledge.besides ?? 0);
  }

  /** What one of these costs, where its record does not say. */
  priceOf(keys: readonly string[]): number | undefined {
    return this.find(keys)?.own;
  }

  hasPassed(keys: readonly string[]): boolean {
    return this.find(keys)?.hasPassed === true;
  }

  /** The same, where it was at a price that the service has shown: nothing is to be looked at again. */
  hasPassedAsShown(keys: readonly string[]): boolean {
    return this.hasPassed(keys) && !this.find(keys)?.isEstimate;
  }

  /** Whether it has passed by an estimate only for now. */
  isLookedAtAgain(keys: readonly string[]): boolean {
    return this.find(keys)?.isLookedAtAgain === true;
  }

  /** What all others cost that none of these keys stands for. */
  sumWithout(keys: ReadonlySet<string>, urn: string, isCounted: (pledge: Pledge) => boolean = () => true): number {
    const isOpen = (key: string | undefined) => key === undefined || !keys.has(key);
    let sum = 0;
    for (const [owner, pledge] of this.byUrn) {
      if (owner === urn || !isCounted(pledge)) continue;
      sum += (isOpen(pledge.key) ? pledge.own : 0) + (isOpen(this.besides.get(owner)) ? (pledge.besides ?? 0) : 0);
    }
    return sum;
  }

  private find(keys: readonly string[]): Pledge | undefined {
    return keys.map((key) => this.byKey.get(key)).find((pledge) => pledge !== undefined);
  }

  private put(urn: string, pledge: Pledge): void {
    this.byUrn.set(urn, pledge);
    if (pledge.key !== undefined) this.byKey.set(pledge.key, pledge);
  }
}

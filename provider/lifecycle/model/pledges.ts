/** What is about to be rented, by URN: creates that run side by side must not each spend the same room of the budget. */
export class Pledges {
  private readonly byUrn = new Map<string, { costPerHour: number; key?: string }>();

  add(urn: string, costPerHour: number): void {
    this.byUrn.set(urn, { costPerHour });
  }

  /** From here on it is counted by its record (type and id), once a list shows it. */
  fulfil(urn: string, key: string): void {
    const pledge = this.byUrn.get(urn);
    if (pledge) pledge.key = key;
  }

  drop(urn: string): void {
    this.byUrn.delete(urn);
  }

  sumWithout(keys: ReadonlySet<string>, urn: string): number {
    let sum = 0;
    for (const [owner, pledge] of this.byUrn) {
      if (owner !== urn && (pledge.key === undefined || !keys.has(pledge.key))) sum += pledge.costPerHour;
    }
    return sum;
  }
}

/** What is about to be rented, by URN: creates that run side by side must not each spend the same room of the budget. */
export class Pledges {
  private readonly byUrn = new Map<string, { costPerHour: number; id?: string }>();

  add(urn: string, costPerHour: number): void {
    this.byUrn.set(urn, { costPerHour });
  }

  /** From here on it is counted by its record, once a list shows it. */
  fulfil(urn: string, id: string): void {
    const pledge = this.byUrn.get(urn);
    if (pledge) pledge.id = id;
  }

  drop(urn: string): void {
    this.byUrn.delete(urn);
  }

  sumWithout(ids: ReadonlySet<string>, urn: string): number {
    let sum = 0;
    for (const [owner, pledge] of this.byUrn) {
      if (owner !== urn && (pledge.id === undefined || !ids.has(pledge.id))) sum += pledge.costPerHour;
    }
    return sum;
  }
}

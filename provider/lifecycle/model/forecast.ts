import type { CheckFailure } from "./inputs";

/** What the program of a preview has, as far as it rents anything: a machine, a volume, or what comes along with one. */
export interface Declared {
  urn: string;
  name: string;
  /** Type and id of what is there already: two resources may have it, and it counts once. */
  key?: string | undefined;
  /** Whether this run would rent it: it is new, or takes the place of another. */
  isNew: boolean;
  /** Whether it runs already, and this run takes it over: what it costs only the service can tell. */
  isAdopted?: boolean;
  /** Whether another one is to take its place. */
  isReplaced?: boolean;
  /** Whether it would be ended before what takes its place is rented. */
  endsFirst: boolean;
  /** "8×h100" */
  size: string;
  /** Undefined where no price is known. */
  costPerHour: number | undefined;
  /** Whether that is no price that the service has shown of it. */
  isEstimate: boolean;
  /** URN of the gate of the fleet that it is a member of. */
  gate: string | undefined;
}

/** What a preview has come by so far: what the program rents, and the prices of what the state has. Nobody is asked for it. */
export class Forecast {
  private readonly kept = new Map<string, readonly Declared[]>();
  private readonly fresh = new Map<string, readonly Declared[]>();
  private readonly unitPrices = new Map<string, number>();
  private readonly said = new Set<string>();
  private readonly awaiting = new Map<string, () => CheckFailure[] | undefined>();

  /** What a resource is to rent. */
  declareNew(urn: string, things: readonly Declared[]): void {
    this.fresh.set(urn, things);
  }

  /** What a resource of the state runs. */
  declareKept(urn: string, things: readonly Declared[]): void {
    this.kept.set(urn, things);
  }

  /** What the program has in the end. */
  all(): Declared[] {
    const stays = [...this.kept].filter(([urn]) => !this.fresh.has(urn)).flatMap(([, things]) => things);
    return eachOnce([...stays.filter(({ isReplaced }) => !isReplaced), ...[...this.fresh.values()].flat()]);
  }

  /** The same with what runs beside it until it has been replaced. */
  atOnce(): Declared[] {
    const replaced = [...this.kept].filter(([urn]) => this.fresh.has(urn)).flatMap(([, things]) => things);
    return eachOnce([...replaced.filter(({ endsFirst }) => !endsFirst), ...this.all()]);
  }

  /** The members of the fleet with this gate. */
  membersOf(gate: string): Declared[] {
    return this.all().filter((one) => one.gate === gate);
  }

  /** What one GPU or one GB of this kind costs, as the state has it of another. */
  noteUnitPrice(kind: string, costPerHour: number): void {
    this.unitPrices.set(kind, costPerHour);
  }

  /** What is to be told of a resource once its price is known: the engine asks about resources in any order. */
  awaitPrice(urn: string, tell: () => CheckFailure[] | undefined): void {
    this.awaiting.set(urn, tell);
  }

  /** Tells what a price that came by since has made known. Returns the limits that are broken. */
  tellAwaited(): CheckFailure[] {
    return [...this.awaiting].flatMap(([urn, tell]) => {
      const failures = tell();
      if (failures) this.awaiting.delete(urn);
      return failures ?? [];
    });
  }

  unitPrice(kind: string): number | undefined {
    return this.unitPrices.get(kind);
  }

  /** Whether this is to be said now: once in a preview, however many resources there are. */
  isFirst(what: string): boolean {
    if (this.said.has(what)) return false;
    this.said.add(what);
    return true;
  }
}

/** What several have counts at the best price that one of them knows. */
function eachOnce(things: readonly Declared[]): Declared[] {
  const best = new Map<unknown, Declared>();
  for (const thing of things) {
    const key = thing.key ?? thing;
    const other = best.get(key);
    if (!other || trustIn(thing) > trustIn(other)) best.set(key, thing);
  }
  return [...best.values()];
}

function trustIn({ costPerHour, isEstimate }: Declared): number {
  if (costPerHour === undefined) return 0;
  return isEstimate ? 1 : 2;
}

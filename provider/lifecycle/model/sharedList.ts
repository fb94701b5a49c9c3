import type { CallOptions, Client, Clock } from "../../client";
import type { Listing, Unreadable } from "../../service";
import { type Marks, readLabel } from "../../shared/label";
import { noPrices, type Prices } from "../../shared/prices";
import { UnreadableRecordError } from "./errors";
import { isLive, type Statuses, type View, withPrice } from "./view";

/** A kind of thing that the service lists. There is no get-by-id on the wire: the list is how anything is found. */
export interface Kind<Item> {
  /** "bare-metal rentals" */
  plural: string;
  /** Which of the two interfaces of the service has it. */
  base: "v2" | "v1";
  fetch(client: Client, call: CallOptions): Promise<Listing<Item>>;
  idOf(item: Item): string;
  /** All names of it, its id among them, where it may have several. */
  namesOf?(item: Item): readonly string[];
  labelOf(item: Item): string | null | undefined;
  /** As the record shows it at this time of the service. */
  view(item: Item, now: number): View;
  /** Its words for each phase. */
  statuses: Statuses;
}

/** One answer of the service, indexed so that finding does not scan. */
export class Snapshot<Item> {
  /** What stood in the list and could not be read. */
  readonly unreadable: readonly Unreadable[];
  private readonly byId = new Map<string, Item>();
  /** Where several records have one id: a service may give the id of what has ended to somebody else. */
  private readonly alike = new Map<string, Item[]>();
  private byLabel: Map<string, Item[]> | undefined;
  private byMarks: Map<string, Item[]> | undefined;

  constructor(
    private readonly kind: Kind<Item>,
    readonly items: Listing<Item>,
    /** The 1-based number of the request in this process. */
    readonly sequence: number,
    private readonly prices: Prices = noPrices,
    /** When it was taken, by the service's clock. */
    private readonly now: number = Date.now(),
  ) {
    this.unreadable = items.unreadable ?? [];
    for (const item of items) {
      const id = kind.idOf(item);
      const other = this.byId.get(id);
      if (other === undefined) this.byId.set(id, item);
      else this.alike.set(id, [...(this.alike.get(id) ?? [other]), item]);
    }
  }

  /** Whether absence from it says anything: an item that cannot be read may be the one that is looked for. */
  get isComplete(): boolean {
    return this.unreadable.length === 0;
  }

  /** The same for an id: what cannot be read, but has an id, is no other. */
  get namesEverything(): boolean {
    return this.unreadable.every(({ id }) => id !== undefined);
  }

  /** Whether the record is there and cannot be read. */
  isUnreadable(id: string): boolean {
    return !this.byId.has(id) && this.unreadable.some((one) => one.id === id);
  }

  /** Of several records with this id the one with this label, else one that runs. Throws where the record cannot be read. */
  find(id: string, label?: unknown): View | undefined {
    const item = this.byId.get(id);
    const several = this.alike.get(id)?.map((one) => this.view(one));
    if (several) {
      const labelled = several.filter((one) => one.label === label);
      const candidates = labelled.length > 0 ? labelled : several;
      return candidates.find(isLive) ?? candidates[0];
    }
    if (item !== undefined) return this.view(item);
    const unreadable = this.unreadable.find((one) => one.id === id);
    if (unreadable) throw new UnreadableRecordError(this.kind.plural, id, unreadable.reason);
    return undefined;
  }

  /** Whether the record says that it has ended. */
  ended(id: string, label: unknown): boolean {
    return this.has(id) && !this.isUnreadable(id) && this.find(id, label)?.phase === "ended";
  }

  has(id: string): boolean {
    return this.byId.has(id) || this.isUnreadable(id);
  }

  ids(): IterableIterator<string> {
    return this.byId.keys();
  }

  withLabel(label: string): View[] {
    this.byLabel ??= group(this.items, (item) => this.kind.labelOf(item));
    return (this.byLabel.get(label) ?? []).map((item) => this.view(item));
  }

  /** What is listed under one of these names. */
  withNames(names: readonly string[]): View[] {
    const namesOf = (item: Item) => this.kind.namesOf?.(item) ?? [this.kind.idOf(item)];
    return this.items
      .filter((item) => namesOf(item).some((name) => names.includes(name)))
      .map((item) => this.view(item));
  }

  withMarks(marks: Marks): View[] {
    this.byMarks ??= group(this.items, (item) => {
      const found = readLabel(this.kind.labelOf(item));
      return found && markKey(found);
    });
    return (this.byMarks.get(markKey(marks)) ?? []).map((item) => this.view(item));
  }

  views(): View[] {
    return this.items.map((item) => this.view(item));
  }

  private view(item: Item): View {
    const view = this.kind.view(item, this.now);
    return withPrice({ ...view, createdAtListed: view.createdAt }, this.prices);
  }
}

function markKey(marks: Marks): string {
  return `${marks.stack}-${marks.resource}`;
}

function group<Item>(items: readonly Item[], keyOf: (item: Item) => string | null | undefined): Map<string, Item[]> {
  const groups = new Map<string, Item[]>();
  for (const item of items) {
    const key = keyOf(item);
    if (key === null || key === undefined) continue;
    const members = groups.get(key);
    if (members) members.push(item);
    else groups.set(key, [item]);
  }
  return groups;
}

/** How long, and in how many complete lists, something has been absent. */
export interface Absence {
  looks: number;
  milliseconds: number;
}

/**
 * The list of one kind, shared by everything in this process: whoever asks while a request is on its way, or within the
 * spacing of the last one, gets the same answer. So a thousand waiting rentals cost one request per tick. It also remembers
 * which lists lacked what, so that all who look for something that is missing share one wait.
 */
export class SharedList<Item> {
  private last: Snapshot<Item> | undefined;
  private underWay: { sequence: number; answer: Promise<Snapshot<Item>> } | undefined;
  private begun = 0;
  private begunAt = Number.NEGATIVE_INFINITY;
  /** Those so far that name all that they hold. */
  private readonly looks: { sequence: number; at: number }[] = [];
  private readonly lastSeen = new Map<string, number>();

  constructor(
    readonly kind: Kind<Item>,
    private readonly client: Client,
    private readonly clock: Clock,
    private readonly prices: Prices = noPrices,
  ) {}

  /** How many items the last answer had. */
  get length(): number {
    return this.last?.items.length ?? 0;
  }

  /** Whether this process has ever had an answer. */
  get wasHad(): boolean {
    return this.last !== undefined;
  }

  /** Any answer that this process has, however old; asks only when there is none. */
  async latest(): Promise<Snapshot<Item>> {
    return this.last ?? this.after(0, 0);
  }

  /** A point in time: `after(cursor)` gives an answer to a request that began later than this. */
  cursor(): number {
    return this.begun;
  }

  /** An answer to a request that begins now. */
  fresh(): Promise<Snapshot<Item>> {
    return this.after(this.cursor(), 0);
  }

  /** An answer to a request that began after `cursor`, sent no sooner than `spacing` ms after the one before. */
  async after(cursor: number, spacing: number, signal?: AbortSignal): Promise<Snapshot<Item>> {
    for (;;) {
      if (this.last && this.last.sequence > cursor) return this.last;
      if (this.underWay) {
        if (this.underWay.sequence > cursor) return this.underWay.answer;
        await this.underWay.answer.catch(() => undefined);
        continue;
      }
      const wait = this.begunAt + spacing - this.clock.now();
      if (wait <= 0) return this.ask();
      await this.clock.sleep(wait, signal);
    }
  }

  /** In how many lists since it was last seen it is absent for certain, and over what time. */
  absenceOf(id: string): Absence {
    const seen = this.lastSeen.get(id) ?? 0;
    const since = this.looks.filter(({ sequence }) => sequence > seen);
    const [first, last] = [since[0], since.at(-1)];
    return { looks: since.length, milliseconds: first && last ? last.at - first.at : 0 };
  }

  private ask(): Promise<Snapshot<Item>> {
    this.begun += 1;
    this.begunAt = this.clock.now();
    const sequence = this.begun;
    const answer = this.kind.fetch(this.client, {}).then((listing) => {
      this.last = new Snapshot(this.kind, listing, sequence, this.prices, this.client.serviceNow());
      this.note(this.last);
      return this.last;
    });
    const clear = () => {
      this.underWay = undefined;
    };
    answer.then(clear, clear);
    this.underWay = { sequence, answer };
    return answer;
  }

  private note(snapshot: Snapshot<Item>): void {
    const { sequence } = snapshot;
    for (const id of snapshot.ids()) this.lastSeen.set(id, sequence);
    for (const { id } of snapshot.unreadable) if (id !== undefined) this.lastSeen.set(id, sequence);
    if (snapshot.namesEverything) this.looks.push({ sequence, at: this.clock.now() });
  }
}

/** The shared lists of a process, one per kind. */
export class SharedLists {
  private readonly lists = new Map<unknown, unknown>();

  constructor(
    private readonly client: Client,
    private readonly clock: Clock,
    private readonly prices: Prices = noPrices,
  ) {}

  of<Item>(kind: Kind<Item>): SharedList<Item> {
    const existing = this.lists.get(kind);
    if (existing instanceof SharedList) return existing;
    const list = new SharedList(kind, this.client, this.clock, this.prices);
    this.lists.set(kind, list);
    return list;
  }
}

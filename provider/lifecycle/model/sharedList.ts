import type { CallOptions, Client, Clock } from "../../client";
import { type Marks, readLabel } from "../../shared/label";
import { readTimestamp } from "../../shared/timestamp";
import type { Statuses, View } from "./view";

/** A kind of thing that the service lists. There is no get-by-id on the wire: the list is how anything is found. */
export interface Kind<Item> {
  /** "bare-metal rentals" */
  plural: string;
  fetch(client: Client, call: CallOptions): Promise<Item[]>;
  idOf(item: Item): string;
  labelOf(item: Item): string | null | undefined;
  view(item: Item): View;
  /** Its words for each phase. */
  statuses: Statuses;
  /** When things happened to it, as the service says it. */
  timesOf?(item: Item): readonly unknown[];
}

/** One answer of the service, indexed so that finding does not scan. */
export class Snapshot<Item> {
  private readonly byId = new Map<string, Item>();
  private byLabel: Map<string, Item[]> | undefined;
  private byMarks: Map<string, Item[]> | undefined;
  private newest: number | undefined;

  constructor(
    private readonly kind: Kind<Item>,
    readonly items: readonly Item[],
    /** The 1-based number of the request in this process. */
    readonly sequence: number,
  ) {
    for (const item of items) this.byId.set(kind.idOf(item), item);
  }

  find(id: string): View | undefined {
    const item = this.byId.get(id);
    return item === undefined ? undefined : this.kind.view(item);
  }

  withLabel(label: string): View[] {
    this.byLabel ??= group(this.items, (item) => this.kind.labelOf(item));
    return (this.byLabel.get(label) ?? []).map((item) => this.kind.view(item));
  }

  withMarks(marks: Marks): View[] {
    this.byMarks ??= group(this.items, (item) => {
      const found = readLabel(this.kind.labelOf(item));
      return found && markKey(found);
    });
    return (this.byMarks.get(markKey(marks)) ?? []).map((item) => this.kind.view(item));
  }

  views(): View[] {
    return this.items.map((item) => this.kind.view(item));
  }

  /** The latest time that it shows, by the service's own clock: the answer is not older than that. */
  newestTime(): number {
    this.newest ??= this.items
      .flatMap((item) => this.kind.timesOf?.(item) ?? [])
      .reduce<number>((newest, time) => Math.max(newest, readTimestamp(time) ?? newest), Number.NEGATIVE_INFINITY);
    return this.newest;
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

/**
 * The list of one kind, shared by everything in this process: whoever asks while a request is on its way, or within the
 * spacing of the last one, gets the same answer. So a thousand waiting rentals cost one request per tick.
 */
export class SharedList<Item> {
  private last: Snapshot<Item> | undefined;
  private underWay: { sequence: number; answer: Promise<Snapshot<Item>> } | undefined;
  private begun = 0;
  private begunAt = Number.NEGATIVE_INFINITY;

  constructor(
    readonly kind: Kind<Item>,
    private readonly client: Client,
    private readonly clock: Clock,
  ) {}

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

  private ask(): Promise<Snapshot<Item>> {
    this.begun += 1;
    this.begunAt = this.clock.now();
    const sequence = this.begun;
    const answer = this.kind.fetch(this.client, {}).then((items) => {
      this.last = new Snapshot(this.kind, items, sequence);
      return this.last;
    });
    const clear = () => {
      this.underWay = undefined;
    };
    answer.then(clear, clear);
    this.underWay = { sequence, answer };
    return answer;
  }
}

/** The shared lists of a process, one per kind. */
export class SharedLists {
  private readonly lists = new Map<unknown, unknown>();

  constructor(
    private readonly client: Client,
    private readonly clock: Clock,
  ) {}

  of<Item>(kind: Kind<Item>): SharedList<Item> {
    const existing = this.lists.get(kind);
    if (existing instanceof SharedList) return existing;
    const list = new SharedList(kind, this.client, this.clock);
    this.lists.set(kind, list);
    return list;
  }
}

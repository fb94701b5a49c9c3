import type { CallOptions, Client } from "../../client";
import type { Listing, Unreadable } from "../../service";
import { type Marks, readLabel } from "../../shared/label";
import { namesOfUnreadable } from "../../shared/namesOfUnreadable";
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
  /** By what else the records call themselves, where that is no id of another. */
  private readonly byName = new Map<string, Item[]>();
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
    if (kind.namesOf) this.indexNames();
  }

  /** Whether absence from it says anything: an item that cannot be read may be the one that is looked for. */
  get isComplete(): boolean {
    return this.unreadable.length === 0;
  }

  /** The same for an id: what cannot be read, but has an id, is no other. What has only another name may be any. */
  get namesEverything(): boolean {
    return this.unreadable.every(({ id }) => id !== undefined);
  }

  /** Whether the record is there and cannot be read, or is one of several with this name and nothing tells which. */
  isUnreadable(id: string): boolean {
    return this.whyUnreadable(id) !== undefined;
  }

  /**
   * The record with this id, or with this name where no record has it as its id. Of several records the one with this label,
   * else one that runs. Throws where the record cannot be read.
   */
  find(id: string, label?: unknown): View | undefined {
    const reason = this.whyUnreadable(id);
    if (reason !== undefined) throw new UnreadableRecordError(this.kind.plural, id, reason);
    const found = this.called(id).map((item) => this.view(item));
    const labelled = found.filter((one) => one.label === label);
    const candidates = labelled.length > 0 ? labelled : found;
    return candidates.find(isLive) ?? candidates[0];
  }

  /** Whether the record says that it has ended. */
  ended(id: string, label: unknown): boolean {
    return this.has(id) && !this.isUnreadable(id) && this.find(id, label)?.phase === "ended";
  }

  has(id: string): boolean {
    return this.called(id).length > 0 || this.isUnreadable(id);
  }

  /** The ids of all that can be read, and their other names. */
  *ids(): IterableIterator<string> {
    yield* this.byId.keys();
    yield* this.byName.keys();
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
    const names = this.kind.namesOf?.(item);
    return withPrice({ ...view, createdAtListed: view.createdAt, ...(names && { names }) }, this.prices);
  }

  private indexNames(): void {
    for (const item of this.items) {
      for (const name of this.kind.namesOf?.(item) ?? []) {
        if (this.byId.has(name)) continue;
        this.byName.set(name, [...(this.byName.get(name) ?? []), item]);
      }
    }
  }

  /** The records with this id; else those with this name. */
  private called(id: string): readonly Item[] {
    const item = this.byId.get(id);
    return item === undefined ? (this.byName.get(id) ?? []) : (this.alike.get(id) ?? [item]);
  }

  private whyUnreadable(id: string): string | undefined {
    const found = this.called(id);
    if (found.length === 0) return this.unreadable.find((one) => namesOfUnreadable(one).includes(id))?.reason;
    const live = this.byId.has(id) ? [] : found.map((item) => this.view(item)).filter(isLive);
    const ids = [...new Set(live.map((view) => view.id))];
    return ids.length > 1
      ? `${ids.join(" and ")} are both called so, and nothing tells which of them it is`
      : undefined;
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

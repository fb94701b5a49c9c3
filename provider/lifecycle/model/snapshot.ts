import type { CallOptions, Client } from "../../client";
import type { Listing, Unreadable } from "../../service";
import { getOrMake } from "../../shared/getOrMake";
import { isCutLabel, type Marks, mayBeRewritten, plainLabel, readLabel } from "../../shared/label";
import { namesOfUnreadable } from "../../shared/namesOfUnreadable";
import { noPrices, type Prices } from "../../shared/prices";
import { UnreadableRecordError } from "./errors";
import type { Values } from "./values";
import { isLive, namesOf, type Statuses, type View, withPrice } from "./view";

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
  /** The field that holds its id, where a record without it goes by another name. */
  ownId?: { field: string; isIn(item: Item): boolean };
  labelOf(item: Item): string | null | undefined;
  /** As the record shows it at this time of the service. */
  view(item: Item, now: number): View;
  /** Its words for each phase. */
  statuses: Statuses;
}

/** What a list is read with. */
interface Reading {
  prices?: Prices;
  /** When it was taken, by the service's clock. */
  now?: number;
  /** Ids that records have had where records of this kind have theirs. */
  ownIds?: ReadonlySet<string>;
  /** The terms of reserved ones, by id. */
  terms?: ReadonlyMap<string, Values>;
}

/** What a list shows. */
interface Index<Item> {
  /** Whether what has no id of its own counts as unreadable. */
  isStrict: boolean;
  items: readonly Item[];
  /** Those without an id of their own, where that counts. */
  nameless: readonly Item[];
  unreadable: readonly Unreadable[];
  byId: Map<string, Item>;
  /** Where several records have one id: a service may give the id of what has ended to somebody else. */
  alike: Map<string, Item[]>;
  /** By what else the records call themselves, where that is no id of another. */
  byName: Map<string, Item[]>;
  ids?: ReadonlySet<string>;
  idsInUse?: ReadonlySet<string>;
  byLabel?: Map<string, Item[]>;
  byMarks?: Map<string, Item[]>;
}

/** One answer of the service, indexed so that finding does not scan. */
export class Snapshot<Item> {
  private readonly prices: Prices;
  private readonly now: number;
  private readonly ownIds: ReadonlySet<string>;
  private readonly terms: ReadonlyMap<string, Values>;
  private readonly hasOwnIds: boolean;
  private index: Index<Item>;
  /** What the records show, each looked at once: a refresh asks for each of a thousand several times. */
  private readonly shownBy = new Map<Item, View>();

  constructor(
    private readonly kind: Kind<Item>,
    private readonly listing: Listing<Item>,
    /** The 1-based number of the request in this process. */
    readonly sequence: number,
    { prices = noPrices, now = Date.now(), ownIds = new Set(), terms = new Map() }: Reading = {},
  ) {
    this.prices = prices;
    this.now = now;
    this.ownIds = ownIds;
    this.terms = terms;
    this.hasOwnIds = kind.ownId !== undefined && listing.some(kind.ownId.isIn);
    this.index = this.read();
  }

  /** All that can be read. */
  get items(): readonly Item[] {
    return this.shown.items;
  }

  /** Those of them that have not ended. */
  get liveItems(): readonly Item[] {
    return this.items.filter((item) => isLive(this.record(item)));
  }

  /** What stood in the list and could not be read. */
  get unreadable(): readonly Unreadable[] {
    return this.shown.unreadable;
  }

  /** Whether absence from it says anything: an item that cannot be read may be the one that is looked for. */
  get isComplete(): boolean {
    return this.unreadable.length === 0;
  }

  /**
   * The same for an id: what cannot be read, but has an id, is no other. What has only another name may be any, unless its label is
   * another than that of the one that is looked for.
   */
  provesAbsence(label: unknown): boolean {
    return this.whyUnproven(label) === undefined;
  }

  /** Why it does not, in words. */
  whyUnproven(label: unknown): string | undefined {
    const item = this.unreadable.find((one) => mayBeAmong([one], label));
    if (!item) return undefined;
    const [name = "no id"] = namesOfUnreadable(item);
    return `not listed, but the list of ${this.kind.plural} has an item that cannot be read and may be it (${name}): ${item.reason}`;
  }

  /**
   * What cannot be read here and was not in an earlier list. It is known again by its id, or by another name and its label; what has no
   * name at all by how many of its kind there were.
   */
  unreadableSince(before: Snapshot<Item> | undefined): Unreadable[] {
    const left = [...(before?.unreadable ?? [])];
    return this.unreadable.filter((item) => {
      if (item.id !== undefined && before?.idsInUse().has(item.id)) return false;
      const index = left.findIndex((one) => isSameUnreadable(one, item));
      if (index >= 0) left.splice(index, 1);
      return index < 0;
    });
  }

  /** The label of a record that cannot be read, where that can be. */
  labelOfUnreadable(id: string): string | undefined {
    return this.unreadable.find((one) => namesOfUnreadable(one).includes(id))?.label;
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
    // Found by another name, its own id is not the one that was asked for.
    const found = this.called(id).map((item) => this.view(item, id));
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

  /** The ids of all that is listed, and the other names of what can be read. One set for all who keep it: a thousand creates do. */
  ids(): ReadonlySet<string> {
    const { shown } = this;
    const unreadable = shown.unreadable.flatMap(({ id }) => id ?? []);
    shown.ids ??= new Set([...unreadable, ...shown.byId.keys(), ...shown.byName.keys()]);
    return shown.ids;
  }

  /** The same without those of what has ended: a service may give them again. */
  idsInUse(): ReadonlySet<string> {
    const { shown } = this;
    if (shown.idsInUse) return shown.idsInUse;
    const unreadable = new Set(shown.unreadable.map(({ id }) => id));
    const isInUse = (id: string) => unreadable.has(id) || this.called(id).some((item) => isLive(this.record(item)));
    shown.idsInUse = new Set([...this.ids()].filter(isInUse));
    return shown.idsInUse;
  }

  withLabel(label: string): View[] {
    const { shown } = this;
    shown.byLabel ??= group(shown.items, (item) => this.kind.labelOf(item));
    return (shown.byLabel.get(label) ?? []).map((item) => this.view(item));
  }

  /** What is listed under one of these names. */
  withNames(names: readonly string[]): View[] {
    const namesOf = (item: Item) => this.kind.namesOf?.(item) ?? [this.kind.idOf(item)];
    return this.items
      .filter((item) => namesOf(item).some((name) => names.includes(name)))
      .map((item) => this.view(item));
  }

  /** Everything that what has this id is called, the id that the list shows first, but for what is another's; where it is not shown, the id alone. */
  namesOf(id: string, label?: unknown): string[] {
    const found = (name: string) => (this.isUnreadable(name) ? undefined : this.find(name, label));
    const view = found(id);
    return view ? namesOf(view).filter((name) => found(name)?.id === view.id) : [id];
  }

  withMarks(marks: Marks): View[] {
    const { shown } = this;
    shown.byMarks ??= group(shown.items, (item) => {
      const found = readLabel(this.kind.labelOf(item));
      return found && markKey(found);
    });
    return (shown.byMarks.get(markKey(marks)) ?? []).map((item) => this.view(item));
  }

  views(): View[] {
    return this.items.map((item) => this.view(item));
  }

  private record(item: Item): View {
    return getOrMake(this.shownBy, item, () => this.kind.view(item, this.now));
  }

  private view(item: Item, id?: string): View {
    const view = this.record(item);
    const names = this.kind.namesOf?.(item);
    const hasOwnId = this.kind.ownId?.isIn(item) && (id === undefined || view.id === id);
    const more = {
      createdAtListed: view.createdAt,
      ...(names && { names }),
      ...(hasOwnId !== undefined && { hasOwnId }),
    };
    return withPrice({ ...view, ...more }, this.prices, this.terms.get(view.id));
  }

  /** What it shows by what is known now: states come by after a list was had. */
  private get shown(): Index<Item> {
    if (this.index.isStrict !== this.isStrict) this.index = this.read();
    return this.index;
  }

  /**
   * Whether records of this list have ids of their own, by itself or by what the states know: then one that lacks its own is known by
   * another name alone, which may be the id of another one.
   */
  private get isStrict(): boolean {
    return this.hasOwnIds || (this.kind.ownId !== undefined && this.ownIds.size > 0);
  }

  private read(): Index<Item> {
    const { isStrict, kind, listing } = this;
    const { ownId } = kind;
    const isReadable = (item: Item) => !isStrict || ownId === undefined || ownId.isIn(item);
    const items = listing.filter(isReadable);
    // What has ended is nobody's any more.
    const isOpen = (item: Item) => !isReadable(item) && this.record(item).phase !== "ended";
    const nameless = listing.filter(isOpen);
    const unreadable = [...(listing.unreadable ?? []), ...nameless.map((item) => this.withoutId(item))];
    const index: Index<Item> = {
      isStrict,
      items,
      nameless,
      unreadable,
      byId: new Map(),
      alike: new Map(),
      byName: new Map(),
    };
    for (const item of items) {
      const id = kind.idOf(item);
      const other = index.byId.get(id);
      if (other === undefined) index.byId.set(id, item);
      else index.alike.set(id, [...(index.alike.get(id) ?? [other]), item]);
    }
    for (const item of kind.namesOf ? items : []) {
      for (const name of kind.namesOf?.(item) ?? []) {
        if (!index.byId.has(name)) index.byName.set(name, [...(index.byName.get(name) ?? []), item]);
      }
    }
    return index;
  }

  private withoutId(item: Item): Unreadable {
    const { kind } = this;
    const label = kind.labelOf(item);
    const names = kind.namesOf?.(item) ?? [];
    return { id: undefined, names, ...(label && { label }), reason: `it has no ${kind.ownId?.field}` };
  }

  /** The records with this id; else those with this name, unless it is known to be an id. */
  private called(id: string): readonly Item[] {
    const { byId, byName, alike, nameless } = this.shown;
    const item = byId.get(id);
    if (item !== undefined) return alike.get(id) ?? [item];
    if (this.ownIds.has(id)) return [];
    const isCalledSo = (one: Item) => this.kind.idOf(one) === id || this.kind.namesOf?.(one).includes(id);
    return byName.get(id) ?? nameless.filter(isCalledSo);
  }

  private whyUnreadable(id: string): string | undefined {
    const found = this.called(id);
    if (found.length === 0) return this.unreadable.find((one) => namesOfUnreadable(one).includes(id))?.reason;
    const live = this.shown.byId.has(id) ? [] : found.map((item) => this.view(item)).filter(isLive);
    const ids = [...new Set(live.map((view) => view.id))];
    return ids.length > 1
      ? `${ids.join(" and ")} both have this name, and nothing shows which one is meant`
      : undefined;
  }
}

/** Whether one of these that cannot be read may be anything with this label. */
export function mayBeAmong(unreadable: readonly Unreadable[], label: unknown): boolean {
  return unreadable.some(({ id, label: shown }) => id === undefined && !isOtherLabel(label, shown));
}

/** Whether two lists may show one and the same record by these. */
function isSameUnreadable(one: Unreadable, other: Unreadable): boolean {
  const [names, others] = [namesOfUnreadable(one), namesOfUnreadable(other)];
  const isNameless = names.length === 0 && others.length === 0;
  return one.label === other.label && (isNameless || names.some((name) => others.includes(name)));
}

/** Whether a label is certainly not what a service has made of this one. */
export function isOtherLabel(label: unknown, shown: string | undefined): boolean {
  if (typeof label !== "string" || !label || !shown || mayBeRewritten(label, shown) || isCutLabel(label, shown))
    return false;
  const [one, other] = [plainLabel(label), plainLabel(shown)];
  return !one.includes(other) && !other.includes(one);
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

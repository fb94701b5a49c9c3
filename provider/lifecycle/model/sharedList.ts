import type { Client, Clock } from "../../client";
import type { Unreadable } from "../../service";
import { namesOfUnreadable } from "../../shared/namesOfUnreadable";
import { noPrices, type Prices } from "../../shared/prices";
import { type Kind, mayBeAmong, Snapshot } from "./snapshot";
import type { Values } from "./values";

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
  /** Those so far, each with what it has without an id. */
  private readonly looks: { sequence: number; at: number; nameless: readonly Unreadable[] }[] = [];
  private readonly lastSeen = new Map<string, number>();
  private readonly ownIds = new Set<string>();
  private readonly terms = new Map<string, Values>();

  constructor(
    readonly kind: Kind<Item>,
    private readonly client: Client,
    private readonly clock: Clock,
    private readonly prices: Prices = noPrices,
  ) {}

  /** A record has had this id where records of this kind have theirs. */
  rememberOwnId(id: string): void {
    this.ownIds.add(id);
  }

  /** What has this id was rented so: a record without a price does not show its terms. */
  rememberTerms(id: string, { termType, discountPercentage }: Values): void {
    if (termType === "reserved") this.terms.set(id, { termType, discountPercentage });
  }

  /** Whether any list of this process has shown what has this id. */
  hasShown(id: string): boolean {
    return this.lastSeen.has(id);
  }

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

  /** In how many lists since it was last there, or may have been, it is absent, and over what time. */
  absenceOf(id: string, label: unknown, { countsAll = false }: { countsAll?: boolean | undefined } = {}): Absence {
    const seen = this.lastSeen.get(id) ?? 0;
    const mayBeIn = ({ nameless }: { nameless: readonly Unreadable[] }) => !countsAll && mayBeAmong(nameless, label);
    const lastDoubt = this.looks.findLast(mayBeIn)?.sequence ?? 0;
    const since = this.looks.filter(({ sequence }) => sequence > Math.max(seen, lastDoubt));
    const [first, last] = [since[0], since.at(-1)];
    return { looks: since.length, milliseconds: first && last ? last.at - first.at : 0 };
  }

  private ask(): Promise<Snapshot<Item>> {
    this.begun += 1;
    this.begunAt = this.clock.now();
    const sequence = this.begun;
    const answer = this.kind.fetch(this.client, {}).then((listing) => {
      this.last = new Snapshot(this.kind, listing, sequence, {
        prices: this.prices,
        now: this.client.serviceNow(),
        ownIds: this.ownIds,
        terms: this.terms,
      });
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
    for (const name of snapshot.unreadable.flatMap(namesOfUnreadable)) this.lastSeen.set(name, sequence);
    const nameless = snapshot.unreadable.filter(({ id }) => id === undefined);
    this.looks.push({ sequence, at: this.clock.now(), nameless });
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

import type { Client, Clock } from "../../client";
import type { Unreadable } from "../../service";
import { namesOfUnreadable } from "../../shared/namesOfUnreadable";
import { noPrices, type Prices } from "../../shared/prices";
import { beforeDeadline, DeadlinePassed } from "./deadline";
import { WaitTimeoutError } from "./errors";
import { type Kind, mayBeAmong, Snapshot } from "./snapshot";
import type { Values } from "./values";

/** How long, and in how many complete lists, something has been absent. */
export interface Absence {
  looks: number;
  milliseconds: number;
}

/** What all who share a list have of it. */
class Held<Item> {
  last: Snapshot<Item> | undefined;
  underWay: { sequence: number; answer: Promise<Snapshot<Item>> } | undefined;
  begun = 0;
  begunAt = Number.NEGATIVE_INFINITY;
  /** Those so far, each with what it has without an id. */
  readonly looks: { sequence: number; at: number; nameless: readonly Unreadable[] }[] = [];
  readonly lastSeen = new Map<string, number>();
  readonly ownIds = new Set<string>();
  readonly terms = new Map<string, Values>();
}

/** How long whoever asks may wait at least: what was made must not be forgotten because the time is up. */
const leastMs = 10_000;

/**
 * The list of one kind, shared by everything in this process: whoever asks while a request is on its way, or within the
 * spacing of the last one, gets the same answer. So a thousand waiting rentals cost one request per tick. It also remembers
 * which lists lacked what, so that all who look for something that is missing share one wait.
 */
export class SharedList<Item> {
  constructor(
    readonly kind: Kind<Item>,
    private readonly client: Client,
    private readonly clock: Clock,
    private readonly prices: Prices = noPrices,
    private readonly held: Held<Item> = new Held(),
    /** When whoever asks gives up, by the clock. */
    private readonly deadline = Number.POSITIVE_INFINITY,
  ) {}

  /** The same list for an operation with this deadline: it stops waiting then, and the request goes on for the others. */
  until(deadline: number): SharedList<Item> {
    return new SharedList(this.kind, this.client, this.clock, this.prices, this.held, deadline);
  }

  /** A record has had this id where records of this kind have theirs. */
  rememberOwnId(id: string): void {
    this.held.ownIds.add(id);
  }

  /** What has this id was rented so: a record without a price does not show its terms. */
  rememberTerms(id: string, { termType, discountPercentage }: Values): void {
    if (termType === "reserved") this.held.terms.set(id, { termType, discountPercentage });
  }

  /** Whether any list of this process has shown what has this id. */
  hasShown(id: string): boolean {
    return this.held.lastSeen.has(id);
  }

  /** How many items the last answer had. */
  get length(): number {
    return this.held.last?.items.length ?? 0;
  }

  /** Whether this process has ever had an answer. */
  get wasHad(): boolean {
    return this.held.last !== undefined;
  }

  /** Any answer that this process has, however old; asks only when there is none. */
  async latest(): Promise<Snapshot<Item>> {
    return this.held.last ?? this.inTime(0);
  }

  /** A point in time: `after(cursor)` gives an answer to a request that began later than this. */
  cursor(): number {
    return this.held.begun;
  }

  /** An answer to a request that begins now. */
  fresh(): Promise<Snapshot<Item>> {
    return this.inTime(this.cursor());
  }

  /** An answer to a request that began after `cursor`, sent no sooner than `spacing` ms after the one before. */
  async after(cursor: number, spacing: number, signal?: AbortSignal): Promise<Snapshot<Item>> {
    for (;;) {
      if (this.held.last && this.held.last.sequence > cursor) return this.held.last;
      if (this.held.underWay) {
        if (this.held.underWay.sequence > cursor) return this.held.underWay.answer;
        await this.held.underWay.answer.catch(() => undefined);
        continue;
      }
      const wait = this.held.begunAt + spacing - this.clock.now();
      if (wait <= 0) return this.ask();
      await this.clock.sleep(wait, signal);
    }
  }

  /** Whoever polls has a deadline of its own, and calls `after`. */
  private async inTime(cursor: number): Promise<Snapshot<Item>> {
    if (this.deadline === Number.POSITIVE_INFINITY) return this.after(cursor, 0);
    const deadline = Math.max(this.deadline, this.clock.now() + leastMs);
    try {
      return await beforeDeadline(this.clock, deadline, (signal) => this.after(cursor, 0, signal));
    } catch (error) {
      if (!(error instanceof DeadlinePassed)) throw error;
      throw new WaitTimeoutError(`the service gave no list of ${this.kind.plural} in time`);
    }
  }

  /** In how many lists since it was last there, or may have been, it is absent, and over what time. */
  absenceOf(id: string, label: unknown, { countsAll = false }: { countsAll?: boolean | undefined } = {}): Absence {
    const seen = this.held.lastSeen.get(id) ?? 0;
    const mayBeIn = ({ nameless }: { nameless: readonly Unreadable[] }) => !countsAll && mayBeAmong(nameless, label);
    const lastDoubt = this.held.looks.findLast(mayBeIn)?.sequence ?? 0;
    const since = this.held.looks.filter(({ sequence }) => sequence > Math.max(seen, lastDoubt));
    const [first, last] = [since[0], since.at(-1)];
    return { looks: since.length, milliseconds: first && last ? last.at - first.at : 0 };
  }

  private ask(): Promise<Snapshot<Item>> {
    this.held.begun += 1;
    this.held.begunAt = this.clock.now();
    const sequence = this.held.begun;
    const answer = this.kind.fetch(this.client, {}).then((listing) => {
      this.held.last = new Snapshot(this.kind, listing, sequence, {
        prices: this.prices,
        now: this.client.serviceNow(),
        ownIds: this.held.ownIds,
        terms: this.held.terms,
      });
      this.note(this.held.last);
      return this.held.last;
    });
    const clear = () => {
      this.held.underWay = undefined;
    };
    answer.then(clear, clear);
    this.held.underWay = { sequence, answer };
    return answer;
  }

  private note(snapshot: Snapshot<Item>): void {
    const { sequence } = snapshot;
    for (const id of snapshot.ids()) this.held.lastSeen.set(id, sequence);
    for (const name of snapshot.unreadable.flatMap(namesOfUnreadable)) this.held.lastSeen.set(name, sequence);
    const nameless = snapshot.unreadable.filter(({ id }) => id === undefined);
    this.held.looks.push({ sequence, at: this.clock.now(), nameless });
  }
}

/** The shared lists of a process, one per kind. */
export class SharedLists {
  private readonly lists = new Map<unknown, unknown>();

  constructor(
    private readonly client: Client,
    private readonly clock: Clock,
    private readonly prices: Prices = noPrices,
    private readonly boundTo?: { lists: SharedLists; deadline: number },
  ) {}

  of<Item>(kind: Kind<Item>): SharedList<Item> {
    const existing = this.lists.get(kind);
    if (existing instanceof SharedList) return existing;
    const list =
      this.boundTo?.lists.of(kind).until(this.boundTo.deadline) ??
      new SharedList(kind, this.client, this.clock, this.prices);
    this.lists.set(kind, list);
    return list;
  }

  /** The same lists for an operation with this deadline. */
  until(deadline: number): SharedLists {
    return new SharedLists(this.client, this.clock, this.prices, { lists: this, deadline });
  }
}

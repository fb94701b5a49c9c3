import type { Values } from "./values";

/**
 * What this process has seen of the state. The engine hands a create nothing but inputs; whether a machine that bears the
 * resource's mark is the one being replaced can be told only from the ids and labels that came by in the other operations.
 */
export class Memory {
  private readonly owners = new Map<string, string>();
  private readonly labels = new Set<string>();
  private readonly unresolved = new Map<string, Unresolved>();
  private readonly takenOver = new Map<string, string>();
  private readonly claimed = new Set<string>();
  private readonly listed = new Set<string>();
  private readonly posting = new Map<string, number>();

  /** The state of this resource holds this id. */
  remember(type: string, id: string, urn: string): void {
    this.owners.set(`${type} ${id}`, urn);
  }

  rememberLabel(label: unknown): void {
    if (typeof label === "string") this.labels.add(label);
  }

  /** The state of this resource holds a create whose outcome never became known. */
  rememberUnresolved(urn: string, unresolved: Unresolved): void {
    this.unresolved.set(urn, unresolved);
  }

  unresolvedOf(urn: string): Unresolved | undefined {
    return this.unresolved.get(urn);
  }

  /** Whether the state holds a resource with this label. */
  knowsLabel(label: string | undefined): boolean {
    return label !== undefined && this.labels.has(label);
  }

  /** Whether no resource has this one: neither in the state, as far as it came by, nor by a create of this process. */
  isFree(type: string, id: string): boolean {
    return !this.owners.has(`${type} ${id}`) && !this.claimed.has(`${type} ${id}`);
  }

  /** The URN of the resource that has this id. */
  ownerOf(type: string, id: string): string | undefined {
    return this.owners.get(`${type} ${id}`);
  }

  /** A list has shown this one before, in this process or an earlier one. */
  noteListed(type: string, id: string): void {
    this.listed.add(`${type} ${id}`);
  }

  wasListed(type: string, id: string): boolean {
    return this.listed.has(`${type} ${id}`);
  }

  /** A create of this process has this id: nothing else may take it. */
  claim(type: string, id: string): void {
    this.claimed.add(`${type} ${id}`);
  }

  isClaimed(type: string, id: string): boolean {
    return this.claimed.has(`${type} ${id}`);
  }

  /** What was claimed turned out not to be had. */
  release(type: string, id: string): void {
    this.claimed.delete(`${type} ${id}`);
  }

  /** Everything of this type that a create of this process has. */
  claimedOf(type: string): string[] {
    const prefix = `${type} `;
    return [...this.claimed].filter((key) => key.startsWith(prefix)).map((key) => key.slice(prefix.length));
  }

  /** The id was taken over by a replacement in this process: the delete of the replaced one must leave it alone. */
  takeOver(type: string, id: string, urn: string): void {
    this.claim(type, id);
    this.takenOver.set(`${type} ${id}`, urn);
  }

  /** The URN of the resource that took the id over. */
  takenOverBy(type: string, id: string): string | undefined {
    return this.takenOver.get(`${type} ${id}`);
  }

  /** Counts the creates under way that could be mistaken for one another. */
  async whilePosting<Result>(key: string, post: () => Promise<Result>): Promise<Result> {
    this.posting.set(key, (this.posting.get(key) ?? 0) + 1);
    try {
      return await post();
    } finally {
      this.posting.set(key, (this.posting.get(key) ?? 1) - 1);
    }
  }

  postingNow(key: string): number {
    return this.posting.get(key) ?? 0;
  }
}

/** A create whose reply was lost and whose outcome was not seen in time. */
export interface Unresolved {
  /** The label, or what stands in for it. */
  fingerprint: string;
  /** What was there before the request, where the label alone is no proof; undefined where that is not known. */
  idsBefore: readonly string[] | undefined;
  /** What was asked for, as the state has it. */
  asked: Values;
  /** Until when the lists may not show what it made, in milliseconds since 1970. */
  until: number;
}

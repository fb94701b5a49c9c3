/** How often, and over what time in milliseconds, something must be missing before it counts as one that there is not. */
const enough = 3;
const longEnough = 5000;

/**
 * Times at which an operation, or the description of all, seemed to be missing. A gateway may answer 404 for a moment, and to believe it once would be to
 * skip a look at what is running.
 */
export class Sightings {
  #times: number[] = [];

  /** Notes one at this time. Several in the same moment are one. */
  note(now: number): void {
    const last = this.#times.at(-1);
    if (last === undefined || now - last >= this.spacing) this.#times.push(now);
  }

  /** The operation has been there after all. */
  clear(): void {
    this.#times = [];
  }

  get areProof(): boolean {
    const [first, last] = [this.#times[0] ?? 0, this.#times.at(-1) ?? 0];
    return this.#times.length >= enough && last - first >= longEnough;
  }

  /** Whether there is no need to look again now: they are proof, or the last was a moment ago. */
  holdAt(now: number): boolean {
    const last = this.#times.at(-1);
    return this.areProof || (last !== undefined && now - last < this.spacing);
  }

  /** Milliseconds from one to the next. */
  readonly spacing = longEnough / (enough - 1);
}

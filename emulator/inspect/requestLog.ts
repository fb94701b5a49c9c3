/** Counts the requests by method and path. */
export class RequestLog {
  readonly #counts = new Map<string, number>();
  #total = 0;

  count(method: string, path: string): void {
    const key = `${method} ${path}`;
    this.#counts.set(key, (this.#counts.get(key) ?? 0) + 1);
    this.#total += 1;
  }

  clear(): void {
    this.#counts.clear();
    this.#total = 0;
  }

  read(): { counts: Record<string, number>; total: number } {
    return { counts: Object.fromEntries(this.#counts), total: this.#total };
  }
}

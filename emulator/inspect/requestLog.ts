/** A request as the page shows it. */
export interface LoggedRequest {
  /** The 1-based number since the start or the last reset. */
  number: number;
  /** By the emulator's clock, in milliseconds since 1970. */
  at: number;
  method: string;
  path: string;
  /** How it went; undefined while it is being carried out. */
  outcome?: RequestOutcome;
}

export interface RequestOutcome {
  kind: "answered" | "cut" | "truncated";
  /** Null where the connection was cut before an answer. */
  status: number | null;
  /** The kinds of the faults that hit it. */
  faults: string[];
  milliseconds: number;
}

const mostKept = 200;

/** Counts the requests by method and path, and keeps the latest of them. */
export class RequestLog {
  readonly #counts = new Map<string, number>();
  #latest: LoggedRequest[] = [];
  #total = 0;

  constructor(private readonly now: () => number) {}

  /** Begins a request. The result is to be called with how it went. */
  begin(method: string, path: string): (outcome: Omit<RequestOutcome, "milliseconds">) => void {
    const key = `${method} ${path}`;
    this.#counts.set(key, (this.#counts.get(key) ?? 0) + 1);
    this.#total += 1;
    const request: LoggedRequest = { number: this.#total, at: this.now(), method, path };
    this.#latest.push(request);
    // Not at every request: shifting the whole list each time would be felt in large runs.
    if (this.#latest.length > 2 * mostKept) this.#latest = this.#latest.slice(-mostKept);
    const begun = performance.now();
    return (outcome) => {
      request.outcome = { ...outcome, milliseconds: Math.round(performance.now() - begun) };
    };
  }

  clear(): void {
    this.#counts.clear();
    this.#latest = [];
    this.#total = 0;
  }

  read(): { counts: Record<string, number>; total: number } {
    return { counts: Object.fromEntries(this.#counts), total: this.#total };
  }

  /** The latest first. */
  latest(most = mostKept): LoggedRequest[] {
    return this.#latest.slice(-most).reverse();
  }
}

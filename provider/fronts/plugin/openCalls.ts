/** The calls that the engine waits for. */
export class OpenCalls {
  readonly #open = new Set<(error: unknown) => void>();

  get count(): number {
    return this.#open.size;
  }

  /** Notes a call. What comes back answers it, once: whoever comes second is not heard. */
  open(fail: (error: unknown) => void): (answer: () => void) => void {
    this.#open.add(fail);
    return (answer) => {
      if (this.#open.delete(fail)) answer();
    };
  }

  /** Answers all that are still open. */
  fail(error: unknown): void {
    for (const fail of [...this.#open]) {
      this.#open.delete(fail);
      fail(error);
    }
  }
}

import type { Transport } from "../client";

/** The requests of a process that may have an effect, and whose reply is awaited. */
export class Effects {
  #count = 0;

  get count(): number {
    return this.#count;
  }

  /** The same transport, watched. It is made with the first request: a preview sends none. */
  transport(make: () => Transport): Transport {
    let made: Transport | undefined;
    return async (request) => {
      made ??= make();
      if (request.method === "GET") return made(request);
      this.#count += 1;
      try {
        return await made(request);
      } finally {
        this.#count -= 1;
      }
    };
  }
}

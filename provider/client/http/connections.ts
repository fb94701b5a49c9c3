import type { Pool } from "undici";

/** The connections of a transport, to services and proxies. */
export class Connections {
  readonly #pools = new Set<Pool>();
  readonly #failures = new WeakSet<object>();

  /** Adds a pool. An agent makes a new one whenever the last connection of the old one has ended. */
  add(pool: Pool): Pool {
    for (const old of this.#pools) if (old.destroyed) this.#pools.delete(old);
    this.#pools.add(pool);
    return pool.on("connectionError", (_origin, _targets, error) => this.#failures.add(error));
  }

  /** Whether this error ended an attempt to connect: then nothing was sent, through a proxy or not. */
  failedToConnect(error: unknown): boolean {
    return typeof error === "object" && error !== null && this.#failures.has(error);
  }

  /**
   * Closes them when nothing is under way, as we see it or as undici does: undici waits for the connection of a request that
   * was given up before it stood, and we for the reader of an answer that has come in whole.
   */
  async close(underWay: Promise<unknown>): Promise<void> {
    const pools = [...this.#pools].filter((pool) => !pool.destroyed);
    await Promise.race([Promise.all(pools.map((pool) => pool.close())), underWay]);
    await Promise.all(pools.map((pool) => pool.destroy()));
  }
}

import type { Dialect } from "../dialects";
import type { Settings } from "../options";
import type { EmulatorClock } from "./clock";
import type { SshEndpoints } from "./ssh";
import type { Store } from "./store";

/** What the nouns of the service share. */
export interface World {
  settings: Settings;
  dialect: Dialect;
  store: Store;
  clock: EmulatorClock;
  ssh: SshEndpoints;
}

/** What faults make of a request that is carried out. */
export interface Orders {
  /** Lists answer as of this long ago. */
  staleMs: number;
  /** What is made fails. */
  failProvisioning: boolean;
  /** How long after it is ready a machine answers to ssh; null for never. */
  sshDelayMs: number | null;
}

export const noOrders: Orders = { staleMs: 0, failProvisioning: false, sshDelayMs: 0 };

/** One request as its handler sees it. */
export interface Call {
  /** When it happens. */
  at: number;
  /** As of when lists answer. */
  asOf: number;
  orders: Orders;
}

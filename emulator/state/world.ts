import type { Dialect } from "../dialects";
import type { Settings } from "../options";
import type { EmulatorClock } from "./clock";
import type { SshEndpoints } from "./ssh";
import type { Store } from "./store";

/** What all handlers share. */
export interface World {
  settings: Settings;
  dialect: Dialect;
  store: Store;
  clock: EmulatorClock;
  ssh: SshEndpoints;
}

/** The faults that a handler itself carries out. */
export interface HandlerFaults {
  /** How old lists are. */
  staleMs: number;
  /** Whatever the request creates fails. */
  failProvisioning: boolean;
  /** How long after it is ready a created machine answers to ssh; null for never. */
  sshDelayMs: number | null;
  /** What `nvidia-smi` finds wrong with the GPUs of a created machine. */
  gpuTrouble?: { missing: number; broken: number };
}

export const noHandlerFaults: HandlerFaults = { staleMs: 0, failProvisioning: false, sshDelayMs: 0 };

/** One request as its handler sees it. */
export interface Call {
  /** Whose request it is; empty where no key is needed. */
  account: string;
  /** The time of the request. */
  at: number;
  /** The time that lists answer for: earlier than `at` with a `stale-list` fault. */
  asOf: number;
  faults: HandlerFaults;
}

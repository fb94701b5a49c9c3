import type { FaultName } from "./faultKinds";
import type { Purpose } from "./requests";

/** Which request of a command something happens to. */
export interface Moment {
  /** The 0-based number of the request. */
  at: number;
  /** Counts only requests of this purpose; all, if left out. Most requests are lists: without this, creates are seldom hit. */
  of?: Purpose | undefined;
}

/** A fault that hits a request of a command, and as many of those that follow. */
export interface Fault extends Moment {
  kind: FaultName;
  times: number;
}

/** kill -9 of the command (its provider goes on) or of the provider process (the command goes on). */
export interface Kill extends Moment {
  who: (typeof killed)[number];
  when: (typeof killMoments)[number];
}

export const killed = ["cli", "provider"] as const;
/** Before the request is sent, after it took effect, or after its reply was read: then while something is waited for. */
export const killMoments = ["before", "after", "reply"] as const;

/** What goes wrong during one command. */
export interface Disturbances {
  faults: readonly Fault[];
  kill?: Kill | undefined;
}

export const undisturbed: Disturbances = { faults: [] };

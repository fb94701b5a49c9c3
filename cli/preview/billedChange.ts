import type { Billable } from "../money";
import type { Change } from "./changes";

/** A change, with what bills before and after it. */
export interface BilledChange extends Change {
  billedBefore: Billable[];
  billedAfter: Billable[];
  /** The part of it that is new. */
  starting: Billable[];
}

/** Something that needs attention. */
export interface Finding {
  kind: "expired" | "orphan" | "failed" | "missing" | "unresolved" | "replaced" | "balance" | "unreadable" | "error";
  /** What it is about: the same as long as it is the same thing, however old and expensive it gets meanwhile. */
  subject: string;
  /** For people: one line. */
  text: string;
  /** The account, where the stack has several: `provider "other"`. */
  account?: string;
  /** The name in the program. */
  name?: string;
  /** `BareMetalRental` */
  type?: string;
  id?: string;
  /** USD; left out where it is unknown or does not apply. */
  costPerHour?: number;
}

/** What one look has found. */
export interface Report {
  /** `project/stack` */
  stack: string;
  /** When it was, RFC 3339. */
  at: string;
  findings: Finding[];
  /** What was destroyed because it had expired. */
  destroyed: Destroyed[];
  /** What could not be told, in words. */
  notes: string[];
}

export interface Destroyed {
  name: string;
  type: string;
  expiresAt: string;
  /** USD; null where it is unknown. */
  costPerHour: number | null;
  text: string;
}

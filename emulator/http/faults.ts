import { z } from "zod";
import { noOrders, type Orders } from "../state";

const shared = {
  match: z.strictObject({ method: z.string().min(1).toUpperCase(), path: z.string().startsWith("/") }),
  /** Which matching request from now on is the first to be hit. */
  nth: z.int().min(1).default(1),
  /** How many in a row are hit. */
  times: z.int().min(1).default(1),
};

const headers = z.record(z.string(), z.string()).refine(canBeSent, "have a name or a value that cannot be sent");

export const faultSpec = z.discriminatedUnion("kind", [
  /** This answer, and nothing done. */
  z.strictObject({
    ...shared,
    kind: z.literal("status"),
    status: z.int().min(200).max(599),
    headers: headers.optional(),
    body: z.unknown().optional(),
  }),
  /** The connection is cut, nothing done. */
  z.strictObject({ ...shared, kind: z.literal("reset-before") }),
  /** Done, and the connection cut before the answer. */
  z.strictObject({ ...shared, kind: z.literal("reset-after") }),
  /** The answer comes late: after the deed, or, with `when: "before"`, along with it. */
  z.strictObject({
    ...shared,
    kind: z.literal("delay"),
    ms: z.number().min(0).max(3_600_000),
    when: z.enum(["before", "after"]).default("after"),
  }),
  /** Done, and the connection cut in the middle of the answer. */
  z.strictObject({ ...shared, kind: z.literal("truncate") }),
  /** Done, and answered with a page of HTML. */
  z.strictObject({ ...shared, kind: z.literal("garbage") }),
  /** A list answers as of that long ago. */
  z.strictObject({ ...shared, kind: z.literal("stale-list"), seconds: z.number().min(0) }),
  /** What is made goes to `Failed`. */
  z.strictObject({ ...shared, kind: z.literal("fail-provisioning") }),
  /** What is made answers to ssh only that long after it is ready. */
  z.strictObject({ ...shared, kind: z.literal("late-ssh"), seconds: z.number().min(0) }),
  /** What is made never answers to ssh. */
  z.strictObject({ ...shared, kind: z.literal("no-ssh") }),
]);

export type FaultSpec = z.input<typeof faultSpec>;
export type Fault = z.output<typeof faultSpec>;

function canBeSent(candidates: Record<string, string>): boolean {
  try {
    new Headers(candidates);
    return true;
  } catch {
    return false;
  }
}

/** The faults that wait for their request. */
export class Faults {
  #waiting: { fault: Fault; seen: number }[] = [];

  add(...specs: FaultSpec[]): void {
    // All are read before one is added.
    const faults = specs.map((spec) => faultSpec.parse(spec));
    this.#waiting.push(...faults.map((fault) => ({ fault, seen: 0 })));
  }

  clear(): void {
    this.#waiting = [];
  }

  /** The faults that hit this request. */
  take(method: string, path: string): Fault[] {
    if (this.#waiting.length === 0) return [];
    const hits: Fault[] = [];
    this.#waiting = this.#waiting.filter((waiting) => {
      const { match, nth, times } = waiting.fault;
      if (match.method !== method || match.path !== path) return true;
      waiting.seen += 1;
      if (waiting.seen >= nth) hits.push(waiting.fault);
      return waiting.seen < nth + times - 1;
    });
    return hits;
  }
}

/** What the faults make of the request itself, as opposed to its answer. */
export function ordersOf(faults: readonly Fault[]): Orders {
  const orders = { ...noOrders };
  for (const fault of faults) {
    if (fault.kind === "stale-list") orders.staleMs = fault.seconds * 1000;
    if (fault.kind === "fail-provisioning") orders.failProvisioning = true;
    if (fault.kind === "late-ssh") orders.sshDelayMs = fault.seconds * 1000;
    if (fault.kind === "no-ssh") orders.sshDelayMs = null;
  }
  return orders;
}

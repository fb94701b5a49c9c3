import { z } from "zod";

/** What every fault has. To add a kind: its fields here, what it does in `effect.ts`, its row in docs/emulator.md. */
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

import { z } from "zod";

/**
 * When an object is created, ready and ended. Requests write these times, and no status is ever stored: it is computed
 * for any moment, the past included, and reading changes nothing.
 */
export const life = z.object({
  createdAt: z.number(),
  readyAt: z.number(),
  /** Whether it fails at `readyAt` instead of becoming ready. */
  fails: z.boolean(),
  /** May be in the future: a reserved term that is not converted ends by itself. */
  endsFrom: z.number().nullable(),
  endedAt: z.number().nullable(),
});
export type Life = z.infer<typeof life>;

export type Phase = "absent" | "starting" | "ready" | "failed" | "ending" | "ended";

export function phaseAt(object: Life, at: number): Phase {
  if (at < object.createdAt) return "absent";
  if (object.endedAt !== null && at >= object.endedAt) return "ended";
  if (object.endsFrom !== null && at >= object.endsFrom) return "ending";
  if (at < object.readyAt) return "starting";
  return object.fails ? "failed" : "ready";
}

/** Starting or ready: volumes can be attached to it. */
export function isLive(phase: Phase): boolean {
  return phase === "starting" || phase === "ready";
}

/** Asked to end, or ended. */
export function isEnding(phase: Phase): boolean {
  return phase === "ending" || phase === "ended";
}

/** Whether a list shows it: from the create until it has ended. */
export function isPresent(phase: Phase): boolean {
  return phase !== "absent" && phase !== "ended";
}

/** The life of a new object. */
export function begin(at: number, provisionMs: number, fails: boolean): Life {
  return { createdAt: at, readyAt: at + provisionMs, fails, endsFrom: null, endedAt: null };
}

/** The life of an object that ends by failing: a VM record has no status to show it, only its termination time. */
export function beginFailing(at: number, provisionMs: number): Life {
  const failsAt = at + provisionMs;
  return { createdAt: at, readyAt: failsAt, fails: true, endsFrom: failsAt, endedAt: failsAt };
}

export function endsByFailing(object: Life): boolean {
  return object.fails && object.endsFrom === object.readyAt && object.endedAt === object.readyAt;
}

/** The same life, asked to end at that time. */
export function end(object: Life, at: number, endMs: number): Life {
  return { ...object, endsFrom: at, endedAt: at + endMs };
}

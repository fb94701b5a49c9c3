import { z } from "zod";

/** What every fault has. To add a kind: its fields here, what it does in `effect.ts`, its row in docs/emulator.md. */
const shared = {
  match: z.strictObject({
    /** `*` is any. */
    method: z.string().min(1).toUpperCase(),
    /** Exact, unless it ends in `*`: then whatever begins like it. */
    path: z.string().regex(/^(\/|\*$)/, "must start with /"),
  }),
  /** The 1-based number of the first matching request to hit, counted from now. */
  nth: z.int().min(1).default(1),
  /** How many matching requests in a row to hit. */
  times: z.int().min(1).default(1),
};

const headers = z.record(z.string(), z.string()).refine(canBeSent, "must have names and values that HTTP allows");

export const faultSpec = z.discriminatedUnion("kind", [
  /** Answers with this status; the request is not carried out unless `when` is "after". */
  z.strictObject({
    ...shared,
    kind: z.literal("status"),
    when: z.enum(["before", "after"]).default("before"),
    status: z.int().min(200).max(599),
    headers: headers.optional(),
    body: z.unknown().optional(),
  }),
  /** Cuts the connection; the request is not carried out. */
  z.strictObject({ ...shared, kind: z.literal("reset-before") }),
  /** Carries the request out, then cuts the connection instead of answering. */
  z.strictObject({ ...shared, kind: z.literal("reset-after") }),
  /** Waits after carrying the request out or, with `when: "before"`, before. */
  z.strictObject({
    ...shared,
    kind: z.literal("delay"),
    ms: z.number().min(0).max(3_600_000),
    when: z.enum(["before", "after"]).default("after"),
  }),
  /** Carries the request out and cuts the connection in the middle of the answer. */
  z.strictObject({ ...shared, kind: z.literal("truncate") }),
  /** Carries the request out and answers with a page of HTML. */
  z.strictObject({ ...shared, kind: z.literal("garbage") }),
  /** The list is that old. */
  z.strictObject({ ...shared, kind: z.literal("stale-list"), seconds: z.number().min(0) }),
  /** The list leaves items out: those with these ids, or the newest ones; all where nothing is said. */
  z.strictObject({
    ...shared,
    kind: z.literal("omit"),
    ids: z.array(z.union([z.number(), z.string()])).optional(),
    count: z.int().min(0).optional(),
    fraction: z.number().min(0).max(1).optional(),
  }),
  /** The list comes in pages: with a link to the next one, or with nothing but the number of all items. */
  z.strictObject({
    ...shared,
    kind: z.literal("pages"),
    size: z.int().min(1),
    sign: z.enum(["link", "total"]).default("link"),
  }),
  /** The list is in reverse order. */
  z.strictObject({ ...shared, kind: z.literal("reverse-list") }),
  /** One item of the list cannot be read: the one with this id, or the first. */
  z.strictObject({
    ...shared,
    kind: z.literal("unreadable-item"),
    id: z.union([z.number(), z.string()]).optional(),
    keepId: z.boolean().default(true),
  }),
  /** The answer lacks these fields, in each of its records. */
  z.strictObject({ ...shared, kind: z.literal("drop-fields"), fields: z.array(z.string().min(1)).min(1) }),
  /** The request is carried out twice, as by a proxy that repeats it, and answered once. */
  z.strictObject({ ...shared, kind: z.literal("twice"), answer: z.enum(["first", "second"]).default("second") }),
  /** The created object fails. */
  z.strictObject({ ...shared, kind: z.literal("fail-provisioning") }),
  /** The created machine answers to ssh only that long after it is ready. */
  z.strictObject({ ...shared, kind: z.literal("late-ssh"), seconds: z.number().min(0) }),
  /** The created machine never answers to ssh. */
  z.strictObject({ ...shared, kind: z.literal("no-ssh") }),
  /** On the created machine, `nvidia-smi` does not find that many GPUs, and that many answer with an error (`--ssh-server`). */
  z.strictObject({
    ...shared,
    kind: z.literal("gpu-trouble"),
    missing: z.int().min(0).default(0),
    broken: z.int().min(0).default(0),
  }),
]);

export const faultKinds = faultSpec.options.map(({ shape }) => shape.kind.value);

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

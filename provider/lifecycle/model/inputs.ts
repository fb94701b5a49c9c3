import { z } from "zod";
import { readDuration } from "../../shared/duration";
import { readTimestamp } from "../../shared/timestamp";

const duration = z.union([z.number(), z.string()]).refine((value) => readDuration(value) !== undefined, {
  message: 'must be a number of seconds, or a duration such as "30m" or "2h"',
});

/** Inputs that never go over the wire. Changing one of them never replaces anything. */
export const everyResource = {
  waitForReady: z.boolean().default(true).describe("Wait until it is ready."),
  timeouts: z
    .strictObject({
      create: duration.optional().describe("Maximum duration of a create."),
      delete: duration.optional().describe("Maximum duration of a delete."),
    })
    .optional()
    .describe('Maximum duration of each operation: a number of seconds, or a duration such as "30m".'),
};

/** How long an operation may take, in milliseconds, where this is what it may take unless the input `timeouts` says otherwise. */
export function timeLimit(
  { timeouts }: { timeouts: Readonly<Record<"create" | "delete", string>> },
  operation: "create" | "delete",
  values: Record<string, unknown>,
): number {
  const wanted = values["timeouts"];
  const given = wanted === undefined ? undefined : everyResource.timeouts.safeParse(wanted).data;
  return readDuration(given?.[operation] ?? timeouts[operation]) ?? 0;
}

const expiry = z.string().refine((value) => readTimestamp(value) !== undefined || readDuration(value) !== undefined, {
  message: 'must be a time such as "2026-12-24T18:00:00Z", or a duration from creation such as "8h"',
});

/** Inputs of whatever is rented by the hour. */
export const everyMachine = {
  ...everyResource,
  waitForSsh: z.boolean().default(false).describe("Also wait until ssh answers."),
  waitForGpus: z
    .boolean()
    .default(false)
    .describe("Also wait until `nvidia-smi`, over ssh, lists as many GPUs as were rented and none reports an error."),
  maxCostPerHour: z
    .number()
    .positive()
    .optional()
    .describe(
      "Maximum price, in USD per hour. Anything more expensive is not rented or, if its price shows only afterwards, terminated immediately. Machines that already run are not terminated.",
    ),
  expiresAt: expiry
    .optional()
    .describe(
      'When it is no longer needed: a time with its time zone, or a duration from creation such as "8h", at most 100 years. Nothing ends by itself: `gpufleet expired --destroy --yes` and `gpufleet watch`, on a schedule, terminate what has expired. It is not rented again until this changes. A time in the past is an error for a new one.',
    ),
  adoptId: z
    .union([z.string().min(1), z.int().positive()])
    .optional()
    .describe("Id of an existing one to manage from now on. Nothing is created."),
};

export function fallbackRegions<const Regions extends readonly [string, ...string[]]>(regions: Regions) {
  return z.array(z.enum(regions)).optional().describe("Regions to try, in this order, if the region has no capacity.");
}

/** When something made at `createdAt` expires, as RFC 3339. What no date can express never comes. */
export function expiryTime(expiresAt: string | undefined, createdAt: number | undefined): string | undefined {
  if (expiresAt === undefined) return undefined;
  const span = readDuration(expiresAt);
  const time = new Date((span === undefined ? readTimestamp(expiresAt) : createdAt && createdAt + span) ?? Number.NaN);
  return Number.isNaN(time.getTime()) ? undefined : time.toISOString();
}

/** The inputs that the lifecycle itself goes by. */
export interface LifecycleInputs {
  waitForReady: boolean;
  label?: string | undefined;
  region?: string | undefined;
  fallbackRegions?: string[] | undefined;
  timeouts?: { create?: string | number | undefined; delete?: string | number | undefined } | undefined;
  waitForSsh?: boolean | undefined;
  waitForGpus?: boolean | undefined;
  maxCostPerHour?: number | undefined;
  expiresAt?: string | undefined;
  adoptId?: string | number | undefined;
}

/** What is wrong with one input. */
export interface CheckFailure {
  property: string;
  /** Names the property, too. */
  reason: string;
  /** The same without the value, for one that is a secret. */
  withoutValue?: string;
  /** Whether there is no value, or no item in a list that must have one. */
  isAbsence?: boolean;
}

/** The hidden input that a fleet gives its members. Hidden, so that another count, limit or region changes none of them. */
export const fleetKey = "__fleet";

const fleetLimit = z.object({
  count: z.int().positive(),
  regions: z.array(z.string()).default([]),
  maxCostPerHour: z.number().positive(),
});

/** What the whole fleet of a member may cost, how many members it is to have, and where. */
export type FleetLimit = z.output<typeof fleetLimit>;

export function readFleetLimit(value: unknown): FleetLimit | undefined {
  return fleetLimit.safeParse(value).data;
}

const fleetFacts = z.object({
  count: z.int().positive(),
  regions: z.array(z.string()).default([]),
  replacement: z
    .union([z.enum(["create-first", "delete-first"]), z.object({ batch: z.int().positive() })])
    .default("create-first"),
});

/** What a member must know of its fleet. */
export type FleetFacts = z.output<typeof fleetFacts>;

export function readFleetFacts(values: Record<string, unknown>): FleetFacts | undefined {
  return fleetFacts.safeParse(values[fleetKey]).data;
}

/** The part of a resource's inputs that goes over the wire. */
export function requestFrom<Schema extends z.ZodObject>(schema: Schema, inputs: object): z.output<Schema> {
  const wire = Object.entries(inputs).filter(([key, value]) => key in schema.shape && value !== undefined);
  return schema.parse(Object.fromEntries(wire));
}

import { z } from "zod";
import { describeProblems } from "../client";
import { nearest } from "./spelling";
import { hasUnknown } from "./unknown";

export interface CheckFailure {
  property: string;
  reason: string;
}

export type Values = Record<string, unknown>;

/** Inputs that the SDK and the host add; they are no property of the resource. */
export const providerKey = "__provider";
export const originKey = "__origin";

/** Pulumi's own convention for what is not shown to people. */
function isHidden(key: string): boolean {
  return key.startsWith("__");
}

/** The inputs that a person wrote: without the hidden ones, and without what was left empty. */
export function visible(values: Values): Values {
  return Object.fromEntries(
    Object.entries(values).filter(([key, value]) => !isHidden(key) && value !== undefined && value !== null),
  );
}

/**
 * Holds the inputs against the schema. What is unknown in a preview is passed over, whatever it is part of. Defaults are
 * filled in, so that the state is explicit and writing a default down later is no change.
 */
export function checkInputs(
  type: string,
  schema: z.ZodObject,
  news: Values,
): { inputs: Values; failures: CheckFailure[] } {
  const given = visible(news);
  const { error } = schema.safeParse(given);
  const issues = error?.issues.filter((issue) => isCertain(issue, given)) ?? [];
  const failures = describeProblems(new z.ZodError(issues), given).map(({ property, value, rule }) => ({
    property,
    reason: unheardOf(type, schema, property) ?? `${property} ${rule}, not ${value}`,
  }));
  return { inputs: { ...withDefaults(schema, given), ...hidden(news) }, failures };
}

/** Whether the complaint holds whatever the unknown values turn out to be. */
function isCertain(issue: z.core.$ZodIssue, given: Values): boolean {
  if (issue.code === "unrecognized_keys") return true;
  const value = issue.path.reduce<unknown>(
    (inner, key) => (typeof inner === "object" && inner !== null ? Reflect.get(inner, key) : undefined),
    given,
  );
  return !hasUnknown(value);
}

/** A property that does not exist, with the one that was probably meant. */
function unheardOf(type: string, schema: z.ZodObject, property: string): string | undefined {
  if (/[.[]/.test(property) || property in schema.shape) return undefined;
  const known = Object.keys(schema.shape);
  const guess = nearest(property, known);
  return `${property} is not a property of ${type}${guess ? `. Did you mean ${guess}?` : `, which has ${known.join(", ")}`}`;
}

export function hidden(values: Values): Values {
  return Object.fromEntries(Object.entries(values).filter(([key]) => isHidden(key)));
}

export function withDefaults(schema: z.ZodObject, given: Values): Values {
  const filled: Values = { ...given };
  for (const [key, field] of Object.entries(schema.shape)) {
    if (filled[key] !== undefined) continue;
    const fallback = defaultOf(field);
    if (fallback !== undefined) filled[key] = fallback;
  }
  return filled;
}

export function defaultOf(field: z.core.$ZodType | undefined): unknown {
  return field && z.safeParse(field, undefined).data;
}

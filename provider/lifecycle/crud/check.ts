import { z } from "zod";
import { describeProblems } from "../../client";
import { getOrMake } from "../../shared/getOrMake";
import { nearest } from "../../shared/spelling";
import { hasUnknown } from "../../shared/unknown";
import { type CheckFailure, hidden, type Values, visible } from "../model";

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
  const failures = misspeltOnce(error?.issues.flatMap((issue) => describeIssue(type, schema, issue, given)) ?? []);
  return { inputs: { ...withDefaults(schema, given), ...hidden(news) }, failures };
}

/** A failure, with the property that was probably meant by one that does not exist. */
interface Described extends CheckFailure {
  guess?: string;
}

/** A property that is misspelt is also missing: to say both would be once too often. */
function misspeltOnce(failures: readonly Described[]): CheckFailure[] {
  const meant = new Set(failures.map(({ guess }) => guess));
  return failures
    .filter(({ property, isAbsence }) => !(isAbsence && meant.has(property)))
    .map(({ guess: _, ...failure }) => failure);
}

function describeIssue(type: string, schema: z.ZodObject, issue: z.core.$ZodIssue, given: Values): Described[] {
  if (issue.code === "unrecognized_keys")
    return issue.keys.map((key) => unrecognizedProperty(type, schema, [...issue.path, key]));
  if (!isCertain(issue, given)) return [];
  return describeProblems(new z.ZodError([issue]), given).map(({ property, value, rule, guess }) => ({
    property,
    reason:
      value === missing
        ? `${property} is required (${rule.replace(/^must (be )?/, "")})`
        : `${property} ${rule}, not ${value}${guess === undefined ? "" : `. Did you mean ${guess}?`}`,
    ...(value !== missing && { withoutValue: `${property} ${rule}` }),
    ...((value === missing || isEmptyList(valueAt(issue, given))) && { isAbsence: true }),
  }));
}

/** How a problem shows that there is no value. */
const missing = "(missing)";

/** Whether the complaint holds whatever the unknown values turn out to be. */
function isCertain(issue: z.core.$ZodIssue, given: Values): boolean {
  return !hasUnknown(valueAt(issue, given));
}

function valueAt(issue: z.core.$ZodIssue, given: Values): unknown {
  return issue.path.reduce<unknown>(
    (inner, key) => (typeof inner === "object" && inner !== null ? Reflect.get(inner, key) : undefined),
    given,
  );
}

function isEmptyList(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}

/** A property that does not exist, with the one that was probably meant. */
function unrecognizedProperty(type: string, schema: z.ZodObject, path: readonly PropertyKey[]): Described {
  const parents = path.slice(0, -1).map(String);
  const name = String(path.at(-1));
  const known = keysOf(parents.reduce<z.core.$ZodType | undefined>((field, key) => fieldOf(field, key), schema));
  const guess = nearest(name, known);
  const whole = [type, ...parents].join(".");
  const property = [...parents, name].join(".");
  return {
    property,
    ...(guess !== undefined && { guess: [...parents, guess].join(".") }),
    reason: `${name} is not a property of ${whole}${guess ? `. Did you mean ${guess}?` : `. Available: ${known.join(", ")}`}`,
  };
}

function fieldOf(field: z.core.$ZodType | undefined, key: string): z.core.$ZodType | undefined {
  return shapesOf(field).find((shape) => key in shape)?.[key];
}

function keysOf(field: z.core.$ZodType | undefined): string[] {
  return [...new Set(shapesOf(field).flatMap(Object.keys))];
}

/** The objects that a field may be: several where it has one of several shapes. */
function shapesOf(field: z.core.$ZodType | undefined): z.core.$ZodShape[] {
  if (field instanceof z.ZodOptional || field instanceof z.ZodDefault) return shapesOf(field.unwrap());
  if (field instanceof z.ZodUnion) return field.options.flatMap(shapesOf);
  return field instanceof z.ZodObject ? [field.shape] : [];
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
  return field && getOrMake(defaults, field, () => ({ value: z.safeParse(field, undefined).data })).value;
}

/** By field: each is asked for again for every resource of a stack. */
const defaults = new WeakMap<z.core.$ZodType, { value: unknown }>();

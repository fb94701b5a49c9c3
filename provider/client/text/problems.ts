import type { z } from "zod";
import { cleanText } from "../../shared/cleanText";
import { offered } from "../../shared/region";
import { nearestValue } from "../../shared/spelling";

/** One problem of a value: where it is, the value there, and what is allowed. */
export interface Problem {
  /** As one would write it: `storageVolume.sizeInGb`, `rentalIds[2]`. */
  property: string;
  /** The value as JSON, shortened. */
  value: string;
  /** Begins with "must" or "is". */
  rule: string;
  /** The allowed value that was probably meant. */
  guess?: string;
}

type Issue = z.core.$ZodIssue;
type Path = readonly PropertyKey[];

/** What zod found wrong with `input`, for people. */
export function describeProblems(error: z.ZodError, input: unknown, secrets: readonly string[] = []): Problem[] {
  return error.issues.flatMap((issue) => describeIssue(issue, input, secrets));
}

/** The first of them, in one line. A list of thousands may have something wrong with each of its items. */
export function describeFirstProblem(error: z.ZodError, input: unknown, secrets: readonly string[]): string {
  const [problem] = error.issues.slice(0, 1).flatMap((issue) => describeIssue(issue, input, secrets));
  return problem === undefined
    ? "it does not have the documented shape"
    : `${problem.property} ${problem.value} ${problem.rule}`;
}

function describeIssue(issue: Issue, input: unknown, secrets: readonly string[]): Problem[] {
  const clean = (text: string, max: number) => cleanText(text, { secrets, max });
  return flatten(issue, []).map(({ path, rule, allowed }) => {
    const value = valueAt(input, path);
    const guess = typeof value === "string" && allowed ? nearestValue(value, allowed) : undefined;
    return {
      property: clean(writePath(path), 200),
      value: clean(writeValue(value), 80),
      rule: clean(rule, 1000),
      ...(guess !== undefined && { guess }),
    };
  });
}

interface Finding {
  path: Path;
  rule: string;
  /** The values that are allowed, where they can be listed. */
  allowed?: readonly string[];
}

function flatten(issue: Issue, above: Path): Finding[] {
  const path = [...above, ...issue.path];
  if (issue.code === "unrecognized_keys") {
    return issue.keys.map((key) => ({ path: [...path, key], rule: "is not a field of this operation" }));
  }
  if (issue.code === "invalid_union" && issue.errors.length > 0) return flattenUnion(issue.errors, path);
  return [
    {
      path,
      rule: ruleOf(issue),
      ...(issue.code === "invalid_value" && { allowed: offered(issue.values).map(String) }),
    },
  ];
}

/** Of several shapes that do not fit, the alternatives where they are simple, and else the one that comes nearest. */
function flattenUnion(shapes: readonly (readonly Issue[])[], path: Path): Finding[] {
  const rules = shapes.map(([first, ...more]) =>
    first?.path.length === 0 && more.length === 0 ? ruleOf(first) : undefined,
  );
  if (rules.every((rule) => rule !== undefined)) {
    return [{ path, rule: [...new Set(rules)].join(", or ") }];
  }
  const nearest = shapes.reduce((best, shape) => (shape.length < best.length ? shape : best));
  return nearest.flatMap((issue) => flatten(issue, path));
}

function ruleOf(issue: Issue): string {
  switch (issue.code) {
    case "invalid_type":
      // A schema may show what is meant.
      if (issue.message.startsWith("must ")) return issue.message;
      return issue.expected === "nonoptional" ? "is required" : `must be ${nameType(issue.expected)}`;
    case "invalid_value":
      return issue.values.length === 1
        ? `must be ${String(issue.values[0])}`
        : `must be one of ${offered(issue.values).join(", ")}`;
    case "too_small":
      return `must ${bound(issue.origin, issue.inclusive === false ? "more than" : "at least", issue.minimum)}`;
    case "too_big":
      return `must ${bound(issue.origin, issue.inclusive === false ? "less than" : "at most", issue.maximum)}`;
    case "not_multiple_of":
      return `must be a multiple of ${issue.divisor}`;
    case "invalid_format":
      // A schema may put its pattern in words.
      if (issue.message.startsWith("must ")) return issue.message;
      return issue.pattern === undefined ? `must be a valid ${issue.format}` : `must match ${issue.pattern}`;
    case "invalid_union":
      return issue.discriminator === undefined ? "must have one of the documented shapes" : discriminatorRule(issue);
    default:
      return issue.message;
  }
}

/** zod lists the values that a discriminator may have, and its types do not say so. */
function discriminatorRule(issue: Issue): string {
  const values: unknown = Object.getOwnPropertyDescriptor(issue, "options")?.value;
  return Array.isArray(values) ? `must be one of ${values.join(", ")}` : issue.message;
}

function bound(origin: string, relation: string, limit: number | bigint): string {
  const several = limit === 1 ? "" : "s";
  if (origin === "string") return `have ${relation} ${limit} character${several}`;
  if (origin === "array") return `have ${relation} ${limit} item${several}`;
  return `be ${relation} ${limit}`;
}

function nameType(expected: string): string {
  const name = expected === "int" ? "integer" : expected === "record" ? "object" : expected;
  if (name === "null" || name === "undefined") return name;
  return /^[aeiou]/.test(name) ? `an ${name}` : `a ${name}`;
}

function writePath(path: Path): string {
  if (path.length === 0) return "(the whole value)";
  return path.reduce<string>((text, key) => {
    if (typeof key === "number") return `${text}[${key}]`;
    return text === "" ? String(key) : `${text}.${String(key)}`;
  }, "");
}

function valueAt(input: unknown, path: Path): unknown {
  return path.reduce<unknown>((value, key) => {
    if (typeof value !== "object" || value === null) return undefined;
    return Object.getOwnPropertyDescriptor(value, key)?.value;
  }, input);
}

function writeValue(value: unknown): string {
  if (value === undefined) return "(missing)";
  if (typeof value === "string") return JSON.stringify(value.slice(0, 200));
  if (Array.isArray(value)) return `(a list of ${value.length})`;
  if (typeof value === "object" && value !== null) return "(an object)";
  return String(value);
}

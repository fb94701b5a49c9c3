import type { z } from "zod";
import { Refusal } from "../refusal";

const mostProblems = 10;
const longestProblem = 300;

/** The parsed value, or a refusal that names each wrong field. */
export function parse<Schema extends z.ZodType>(schema: Schema, value: unknown): z.output<Schema> {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const problems = result.error.issues.slice(0, mostProblems).flatMap(describe);
  throw new Refusal(400, `invalid request: ${problems.map((problem) => problem.slice(0, longestProblem)).join("; ")}`);
}

function describe(issue: z.core.$ZodIssue): string[] {
  if (issue.code === "unrecognized_keys")
    return issue.keys.map((key) => `${place([...issue.path, key])}: unknown field`);
  return [`${place(issue.path)}: ${issue.message}`];
}

function place(path: readonly PropertyKey[]): string {
  if (path.length === 0) return "body";
  const steps = path.map((step) => (typeof step === "number" ? `[${step}]` : `.${String(step)}`));
  return steps.join("").replace(/^\./, "");
}

/** The body of a request. */
export function readJson(text: string): unknown {
  if (text === "") throw new Refusal(400, "invalid request: body: required");
  try {
    return JSON.parse(text);
  } catch {
    throw new Refusal(400, "invalid request: body: not valid JSON");
  }
}

import { z } from "zod";
import { type UndocumentedName, undocumentedNames, undocumentedOperations } from "../../service";
import { ConfigurationError } from "../errors";
import { describeProblems, type Problem } from "../text";

/** How the service does an undocumented operation. */
export interface ConfiguredOperation {
  method: string;
  /** Below the base URL; `{id}` in it stands for the id. */
  path: string;
  /** The field of the body that carries the id: the usual one for a POST without `{id}` in its path. */
  idField?: string | undefined;
  /** Constants that are sent along in the body. */
  fields?: Record<string, string | number | boolean> | undefined;
}

export type ConfiguredOperations = Partial<Record<UndocumentedName, ConfiguredOperation | undefined>>;

const methods = ["GET", "POST", "PUT", "PATCH", "DELETE"] as const;

const configuredOperation = z.strictObject({
  method: z.enum(methods),
  // A path and nothing else: it is put behind the base URL, and must not lead to another host.
  path: z.string().regex(/^\/(?!\/)[^\s\\#]*$/),
  idField: z.string().min(1).optional(),
  fields: z.record(z.string().min(1), z.union([z.string(), z.number(), z.boolean()])).optional(),
});

const configuredOperations = z.partialRecord(z.enum(undocumentedNames), configuredOperation.optional());

/** Checks what was configured, and says in full what is wrong with it. */
export function readConfiguredOperations(given: ConfiguredOperations): ConfiguredOperations {
  const parsed = configuredOperations.safeParse(given);
  if (!parsed.success) throw invalid(describeProblems(parsed.error, given).map(asOwnProblem));
  const withoutId = undocumentedNames.flatMap((name) => {
    const operation = parsed.data[name];
    if (operation === undefined || carriesId(name, operation)) return [];
    const { path } = operation;
    const rule = "must contain {id}, unless idField is set";
    return [{ property: `${name}.path`, value: JSON.stringify(path), rule }];
  });
  if (withoutId.length > 0) throw invalid(withoutId);
  const withoutBody = undocumentedNames.filter(
    (name) => parsed.data[name]?.method === "GET" && parsed.data[name].fields,
  );
  if (withoutBody.length > 0) {
    const rule = "must be left out: a GET has no body";
    throw invalid(withoutBody.map((name) => ({ property: `${name}.fields`, value: "(an object)", rule })));
  }
  return parsed.data;
}

function carriesId(name: UndocumentedName, { method, path, idField }: ConfiguredOperation): boolean {
  const needsNone = undocumentedOperations[name].idField === undefined;
  return needsNone || method === "POST" || path.includes("{id}") || idField !== undefined;
}

function asOwnProblem(problem: Problem): Problem {
  const isName = !problem.property.includes(".");
  if (problem.rule !== "is not a field of this operation" || !isName) return problem;
  return { ...problem, rule: `is not one of ${undocumentedNames.join(", ")}` };
}

function invalid(problems: readonly Problem[]): ConfigurationError {
  const lines = problems.map(({ property, value, rule }) => `\n  ${property} ${value}: ${rule}`);
  return new ConfigurationError(`gpufleet:operations is invalid:${lines.join("")}`);
}

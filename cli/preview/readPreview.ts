import { readFileSync } from "node:fs";
import { z } from "zod";
import { cleanText } from "../../provider/client/cleanText";

/** What `pulumi preview --json` writes, as far as it is looked at. */

const properties = z.record(z.string(), z.unknown());

const stepState = z.looseObject({
  type: z.string(),
  custom: z.boolean().optional(),
  id: z.string().optional(),
  inputs: properties.nullish().transform((value) => value ?? {}),
  outputs: properties.nullish().transform((value) => value ?? {}),
  retainOnDelete: z.boolean().optional(),
});
export type StepState = z.output<typeof stepState>;

const step = z.looseObject({
  op: z.string(),
  urn: z.string(),
  oldState: stepState.nullish(),
  newState: stepState.nullish(),
  replaceReasons: z.array(z.string()).nullish(),
  diffReasons: z.array(z.string()).nullish(),
});
export type Step = z.output<typeof step>;

const preview = z.looseObject({
  config: z.record(z.string(), z.string()).nullish(),
  steps: z.array(step).nullish(),
  diagnostics: z
    .array(z.looseObject({ urn: z.string().optional(), message: z.string(), severity: z.string() }))
    .nullish(),
  changeSummary: z.record(z.string(), z.number()).nullish(),
});
export type Preview = z.output<typeof preview>;

/** Reads a file, or standard input for `-`. */
export function readInput(file: string): string {
  try {
    return readFileSync(file === "-" ? process.stdin.fd : file, "utf8");
  } catch (error) {
    if (file === "-" && isCode(error, "EOF")) return "";
    throw new Error(`cannot read ${file === "-" ? "standard input" : file}: ${reasonOf(error)}`, { cause: error });
  }
}

export function parsePreview(text: string, source: string): Preview {
  const parsed = preview.safeParse(parseJson(text, source));
  if (parsed.success && (parsed.data.steps || parsed.data.changeSummary || parsed.data.diagnostics)) return parsed.data;
  const problem = parsed.success ? undefined : parsed.error.issues[0];
  const where = problem ? `: ${problem.path.join(".") || "all of it"}: ${problem.message}` : "";
  throw notAPreview(source, `it has another shape${where}`);
}

function parseJson(text: string, source: string): unknown {
  if (text.trim() === "") throw notAPreview(source, "it is empty");
  try {
    return JSON.parse(text);
  } catch {
    if (/^\s*\{"sequence":\d+,/.test(text)) {
      throw notAPreview(source, "it is a stream of events. Unset PULUMI_ENABLE_STREAMING_JSON_PREVIEW");
    }
    throw notAPreview(source, `it begins with ${JSON.stringify(cleanText(text, { max: 200 }))}`);
  }
}

function notAPreview(source: string, why: string): Error {
  return new Error(`${source} is not what \`pulumi preview --json\` writes: ${why}`);
}

function isCode(error: unknown, code: string): boolean {
  return error instanceof Error && "code" in error && error.code === code;
}

function reasonOf(error: unknown): string {
  if (isCode(error, "ENOENT")) return "there is no such file";
  if (isCode(error, "EISDIR")) return "it is a folder";
  return error instanceof Error ? error.message : String(error);
}

import { readFile } from "node:fs/promises";
import { text } from "node:stream/consumers";
import { z } from "zod";
import { cleanText } from "../../provider/shared/cleanText";
import { messageOf } from "../../provider/shared/messageOf";

/** What `pulumi preview --json` writes, as far as it is looked at. */

const properties = z.record(z.string(), z.unknown());

const stepState = z.looseObject({
  type: z.string(),
  custom: z.boolean().optional(),
  id: z.string().optional(),
  inputs: properties.nullish().transform((value) => value ?? {}),
  outputs: properties.nullish().transform((value) => value ?? {}),
  retainOnDelete: z.boolean().optional(),
  /** `<urn of the provider>::<id of the provider>` */
  provider: z.string().optional(),
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
export async function readInput(file: string): Promise<string> {
  try {
    return file === "-" ? await text(process.stdin) : await readFile(file, "utf8");
  } catch (error) {
    throw new Error(`cannot read ${file === "-" ? "standard input" : file}: ${reasonOf(error)}`, { cause: error });
  }
}

export function parsePreview(json: string, source: string): Preview {
  const parsed = preview.safeParse(parseJson(json, source));
  if (parsed.success && (parsed.data.steps || parsed.data.changeSummary || parsed.data.diagnostics)) return parsed.data;
  const problem = parsed.success ? undefined : parsed.error.issues[0];
  const where = problem ? `: ${problem.path.join(".") || "the whole"}: ${problem.message}` : "";
  throw notAPreview(source, `it has a different structure${where}`);
}

function parseJson(json: string, source: string): unknown {
  if (json.trim() === "") throw notAPreview(source, "it is empty");
  try {
    return JSON.parse(json);
  } catch {
    if (/^\s*\{"sequence":\d+,/.test(json)) {
      throw notAPreview(source, "it is a stream of events. Unset PULUMI_ENABLE_STREAMING_JSON_PREVIEW");
    }
    throw notAPreview(source, `it begins with ${JSON.stringify(cleanText(json, { max: 200 }))}`);
  }
}

function notAPreview(source: string, why: string): Error {
  return new Error(`${source} is not the output of \`pulumi preview --json\`: ${why}`);
}

function isCode(error: unknown, code: string): boolean {
  return error instanceof Error && "code" in error && error.code === code;
}

function reasonOf(error: unknown): string {
  if (isCode(error, "ENOENT")) return "no such file";
  if (isCode(error, "EISDIR")) return "it is a folder";
  return messageOf(error);
}

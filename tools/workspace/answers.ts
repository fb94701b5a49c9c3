/** What the engine answers, parsed as far as tests look at it. */
import { z } from "zod";

export interface Summary {
  readonly created: number;
  readonly updated: number;
  readonly replaced: number;
  readonly deleted: number;
  readonly unchanged: number;
}

const SUMMARY_LINE = /^ {4}(?:[-+~]+ ?)?(\d+) (?:to )?(create|update|replace|delete|unchanged)d?$/gm;
const SUMMARY_NAMES: Readonly<Record<string, keyof Summary>> = {
  create: "created",
  update: "updated",
  replace: "replaced",
  delete: "deleted",
  unchanged: "unchanged",
};

/** Reads the "Resources:" lines at the end of a run or a preview; the stack itself counts as one. */
export function parseSummary(output: string): Summary {
  const summary = { created: 0, updated: 0, replaced: 0, deleted: 0, unchanged: 0 };
  const resources = output.slice(Math.max(0, output.lastIndexOf("\nResources:")));
  for (const [, count, name = ""] of resources.matchAll(SUMMARY_LINE)) {
    const field = SUMMARY_NAMES[name];
    if (field) summary[field] = Number(count);
  }
  return summary;
}

const properties = z.record(z.string(), z.unknown());

const resource = z.looseObject({
  urn: z.string(),
  type: z.string(),
  id: z.string().optional(),
  delete: z.boolean().optional(),
  inputs: properties.default({}),
  outputs: properties.default({}),
  initErrors: z.array(z.string()).default([]),
});

const deployment = z.looseObject({
  version: z.number(),
  deployment: z.looseObject({
    resources: z.array(resource).default([]),
    pending_operations: z.array(z.looseObject({ resource, type: z.string() })).default([]),
  }),
});

export type Deployment = z.infer<typeof deployment>;
export type StateResource = z.infer<typeof resource>;

/** A state as `pulumi stack export` prints it. */
export function parseDeployment(text: string): Deployment {
  return deployment.parse(JSON.parse(text));
}

/** A state as a backend of files keeps it. */
export function parseCheckpoint(text: string): Deployment {
  const { version, checkpoint } = z
    .looseObject({ version: z.number(), checkpoint: z.looseObject({ latest: z.unknown() }) })
    .parse(JSON.parse(text));
  return deployment.parse({ version, deployment: checkpoint.latest ?? {} });
}

const preview = z.looseObject({
  steps: z
    .array(
      z.looseObject({
        op: z.string(),
        urn: z.string(),
        replaceReasons: z.array(z.string()).nullish(),
        diffReasons: z.array(z.string()).nullish(),
        newState: z.looseObject({ inputs: properties.default({}), outputs: properties.default({}) }).nullish(),
      }),
    )
    .default([]),
  changeSummary: z.record(z.string(), z.number()).default({}),
});

export type Preview = z.infer<typeof preview>;

export function parsePreview(text: string): Preview {
  return preview.parse(JSON.parse(text));
}

export function parseOutputs(text: string): Record<string, unknown> {
  return properties.parse(JSON.parse(text));
}

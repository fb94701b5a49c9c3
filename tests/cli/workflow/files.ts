/** The workflows and the action, read from their files. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { z } from "zod";
import { root } from "../../../tools/bootstrap/paths";

export const workflowFolder = join(root, "templates", "github");
export const actionFolder = join(root, ".github", "actions", "gpufleet");

const settings = z.record(z.string(), z.unknown());

const step = z.looseObject({
  id: z.string().optional(),
  name: z.string().optional(),
  if: z.unknown().optional(),
  uses: z.string().optional(),
  run: z.string().optional(),
  with: settings.optional(),
  env: settings.optional(),
});
export type Step = z.output<typeof step>;

const job = z.looseObject({
  if: z.unknown().optional(),
  needs: z.string().optional(),
  uses: z.string().optional(),
  secrets: z.literal("inherit").optional(),
  with: settings.optional(),
  env: settings.optional(),
  concurrency: z.object({ group: z.string(), "cancel-in-progress": z.boolean() }).optional(),
  steps: z.array(step).optional(),
});
export type Job = z.output<typeof job>;

const workflow = z.looseObject({
  on: z.strictObject({
    pull_request: z.object({ types: z.array(z.string()) }).optional(),
    pull_request_target: z.object({ types: z.array(z.string()) }).optional(),
    push: z.object({ branches: z.array(z.string()) }).optional(),
    schedule: z.array(z.object({ cron: z.string() })).optional(),
    workflow_dispatch: z.null().optional(),
    workflow_call: z
      .object({ inputs: z.record(z.string(), z.looseObject({ default: z.unknown().optional() })) })
      .nullish(),
  }),
  jobs: z.record(z.string(), job),
});
export type Workflow = z.output<typeof workflow>;

export const workflows: ReadonlyMap<string, Workflow> = new Map(
  readdirSync(workflowFolder).map((file) => [
    file.replace(/\.yml$/, ""),
    workflow.parse(parse(readFileSync(join(workflowFolder, file), "utf8"))),
  ]),
);

export function workflowNamed(name: string): Workflow {
  const found = workflows.get(name);
  if (!found) throw new Error(`there is no workflow ${name}`);
  return found;
}

/** The script of a step, by the name of the workflow and a piece of its text. */
export function scriptWith(name: string, piece: string): string {
  const steps = Object.values(workflowNamed(name).jobs).flatMap((one) => one.steps ?? []);
  const found = steps.find(({ run }) => run?.includes(piece))?.run;
  if (found === undefined) throw new Error(`no step of ${name} has ${piece}`);
  return found;
}

const action = z.looseObject({
  inputs: z.record(z.string(), z.unknown()),
  runs: z.looseObject({ steps: z.array(z.looseObject({ run: z.string(), env: settings })) }),
});

export const readAction = () => action.parse(parse(readFileSync(join(actionFolder, "action.yml"), "utf8")));

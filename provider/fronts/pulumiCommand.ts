import { execFile } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { z } from "zod";
import { readStackName, type StackName } from "../shared/stackName";
import { readUrn } from "../shared/urn";
import { findEngine } from "./engineCommand";

const run = promisify(execFile);

/** Of one command; what takes longer does not hold the operation up. */
const timeout = 30_000;
const mostBytes = 512 * 1024 * 1024;

/** Runs a command of `pulumi`, and gives what it prints. */
export type Pulumi = (...args: string[]) => Promise<string>;

/** Where `pulumi` is not on the PATH, the engine that this process works for was started by its path. */
export const pulumiCommand: Pulumi = async (...args) => {
  try {
    return await runCommand("pulumi", args);
  } catch (error) {
    const executable = isMissing(error) ? (await findEngine())?.executable : undefined;
    if (executable === undefined) throw error;
    return runCommand(executable, args);
  }
};

async function runCommand(command: string, args: readonly string[]): Promise<string> {
  const { stdout } = await run(command, [...args, "--non-interactive"], { timeout, maxBuffer: mostBytes });
  return stdout;
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ENOENT";
}

/** The exported state of a stack by its full name. */
export async function exportStack(pulumi: Pulumi, name: string): Promise<string> {
  try {
    return await patiently(() => pulumi("stack", "export", "--stack", name));
  } catch (error) {
    const { project, stack } = readStackName(name);
    if (!isNameRefused(error) || project === undefined) throw error;
    const text = await patiently(() => pulumi("stack", "export", "--stack", stack));
    if (!isOf(text, { project, stack })) throw error;
    return text;
  }
}

/** Old states in files know stacks by their last name alone, whatever their project. */
function isNameRefused(error: unknown): boolean {
  return error instanceof Error && /stack name may only contain/.test(error.message);
}

const resources = z.object({
  deployment: z.object({ resources: z.array(z.object({ urn: z.string() })).nullish() }).nullish(),
});

function isOf(text: string, { project, stack }: Omit<StackName, "organization">): boolean {
  const urns = resources.parse(JSON.parse(text)).deployment?.resources?.map(({ urn }) => readUrn(urn)) ?? [];
  return urns.every((urn) => urn.project === project && urn.stack === stack);
}

function isTimedOut(error: unknown): boolean {
  return error instanceof Error && "killed" in error && error.killed === true;
}

/** Before the command is run again. */
const pauses = [250, 1000];

/** A backend of files writes the state in place: whoever reads at that moment finds half of it, or none. */
async function patiently(read: () => Promise<string>): Promise<string> {
  for (const pause of pauses) {
    try {
      const text = await read();
      JSON.parse(text);
      return text;
    } catch (error) {
      if (isMissing(error) || isNameRefused(error) || isTimedOut(error)) throw error;
      await sleep(pause);
    }
  }
  return read();
}

const stackList = z.array(z.object({ name: z.string(), current: z.boolean().optional() }));

/** The other stacks of the backend, of every project, each as `pulumi` takes it after `--stack`. */
export async function namesOfOtherStacks(pulumi: Pulumi, own: StackName): Promise<string[]> {
  const stacks = await listStacks(pulumi, "--all");
  return stacks.map(({ name }) => name).filter((name) => !isName(name, own));
}

/** Stacks of the backend by their full names: otherwise those of the project at hand would be listed by their last one. */
export async function listStacks(pulumi: Pulumi, ...which: string[]): Promise<z.infer<typeof stackList>> {
  return stackList.parse(JSON.parse(await pulumi("stack", "ls", ...which, "--fully-qualify-stack-names", "--json")));
}

/** Whether a name that was listed is that of this stack. Old states in files have neither organization nor project in it. */
function isName(name: string, own: StackName): boolean {
  const { stack, project, organization } = { ...own, ...readStackName(name) };
  return (
    stack === own.stack && project === own.project && (organization === own.organization || own.organization === "")
  );
}

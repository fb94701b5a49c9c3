import { execFile } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { z } from "zod";
import type { StackName, StateEntry, StateWitness, Values } from "../lifecycle";
import { hasSecret } from "../shared/secretValue";
import { resourceTypeOf } from "../shared/typeToken";
import { providerIn } from "../shared/urn";

const run = promisify(execFile);

/** Of one command; what takes longer does not hold the operation up. */
const timeout = 30_000;
const mostBytes = 512 * 1024 * 1024;
/** Stacks of a backend that are looked into before something is refused. */
const mostStacks = 50;

const deployment = z.object({
  deployment: z
    .object({
      resources: z
        .array(
          z.object({
            urn: z.string(),
            type: z.string(),
            id: z.string().optional(),
            importID: z.string().optional(),
            /** Read by the program, and not managed by the stack. */
            external: z.boolean().optional(),
            /** `<urn of the provider>::<id of the provider>` */
            provider: z.string().optional(),
            outputs: z.record(z.string(), z.unknown()).optional(),
          }),
        )
        .nullish(),
      pending_operations: z
        .array(
          z.object({
            type: z.string(),
            resource: z.object({ urn: z.string(), inputs: z.record(z.string(), z.unknown()).optional() }),
          }),
        )
        .nullish(),
    })
    .nullish(),
});

const stackList = z.array(z.object({ name: z.string() }));

/** The entries of an exported state that are ours, without what the stack only reads. */
export function readEntries(text: string): StateEntry[] {
  const resources = deployment.parse(JSON.parse(text)).deployment?.resources ?? [];
  return resources.flatMap(({ urn, type: token, id, importID, external, provider, outputs }) => {
    const type = resourceTypeOf(token);
    if (type === undefined || !id || external) return [];
    return [
      {
        urn,
        type,
        id,
        outputs: outputs ?? {},
        ...(importID && { importId: importID }),
        ...(provider !== undefined && { provider: providerIn(provider) }),
      },
    ];
  });
}

/** The inputs of the pending creates of a resource: first of the one under way, then of those that earlier runs have left. */
export function readPendingCreates(text: string, urn: string): Values[] {
  const pending = deployment.parse(JSON.parse(text)).deployment?.pending_operations ?? [];
  return pending
    .filter(({ type, resource }) => type === "creating" && resource.urn === urn)
    .map(({ resource: { inputs = {} } }) =>
      Object.fromEntries(Object.entries(inputs).filter(([, value]) => !hasSecret(value))),
    );
}

/** The state as `pulumi stack export` gives it: it works while an update holds the lock, and without the passphrase. */
export const exportedState: StateWitness = createExportedState(pulumiCommand);

/** What the command prints. */
export async function pulumiCommand(...args: string[]): Promise<string> {
  const { stdout } = await run("pulumi", [...args, "--non-interactive"], { timeout, maxBuffer: mostBytes });
  return stdout;
}

/** The same by any way of running the command. */
export function createExportedState(
  pulumi: (...args: string[]) => Promise<string>,
  environment: NodeJS.ProcessEnv = process.env,
): StateWitness {
  const exported = (stack: string) => patiently(() => pulumi("stack", "export", "--stack", stack));
  const latest = new Map<string, () => Promise<string>>();
  const latestOf = (stack: string): Promise<string> => {
    const known = latest.get(stack) ?? begunAfterAsking(() => exported(stack));
    latest.set(stack, known);
    return known();
  };
  const exports = new Map<string, Promise<StateEntry[] | undefined>>();
  let others: Promise<StateEntry[]> | undefined;
  const entriesOf = (stack: string): Promise<StateEntry[] | undefined> => {
    const known = exports.get(stack);
    if (known) return known;
    const asked = exported(stack)
      .then(readEntries)
      .catch(() => undefined);
    exports.set(stack, asked);
    return asked;
  };
  return {
    entries: (stack) => entriesOf(nameOf(stack)),
    elsewhere: (stack) => {
      others ??= elsewhere(pulumi, entriesOf, stack);
      return others;
    },
    interrupted: async (stack, urn, isUnderWay) => {
      try {
        const creates = readPendingCreates(await latestOf(nameOf(stack)), urn);
        return creates.slice(isUnderWay && isWrittenAtEachStep(environment) ? 1 : 0);
      } catch {
        return [];
      }
    },
  };
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
      if (error instanceof Error && "code" in error && error.code === "ENOENT") throw error;
      await sleep(pause);
    }
  }
  return read();
}

/** The engine writes each create down before it calls for it, unless it is told to write only when all is done. */
function isWrittenAtEachStep({ PULUMI_SKIP_CHECKPOINTS: skipped = "" }: NodeJS.ProcessEnv): boolean {
  return !/^(1|true)$/i.test(skipped);
}

/** Does work that must not have begun before it was asked for. All who ask while it is being done share the next time. */
function begunAfterAsking<Result>(work: () => Promise<Result>): () => Promise<Result> {
  let running: Promise<unknown> = Promise.resolve();
  let next: Promise<Result> | undefined;
  return () => {
    next ??= running.then(() => {
      next = undefined;
      const begun = work();
      running = begun.catch(() => undefined);
      return begun;
    });
    return next;
  };
}

function nameOf({ organization, project, stack }: StackName): string {
  return [organization, project, stack].filter(Boolean).join("/");
}

async function elsewhere(
  pulumi: (...args: string[]) => Promise<string>,
  entriesOf: (stack: string) => Promise<StateEntry[] | undefined>,
  own: StackName,
): Promise<StateEntry[]> {
  const names = await namesOfOtherStacks(pulumi, own).catch(() => []);
  const entries = await Promise.all(names.slice(0, mostStacks).map(entriesOf));
  return entries.flatMap((found) => found ?? []);
}

/** The other stacks of the backend, of every project, each as `pulumi` takes it after `--stack`. */
export async function namesOfOtherStacks(
  pulumi: (...args: string[]) => Promise<string>,
  own: StackName,
): Promise<string[]> {
  const listed = stackList.parse(JSON.parse(await pulumi("stack", "ls", "--all", "--json")));
  const ownNames = [nameOf(own), `${own.project}/${own.stack}`, own.stack];
  return listed.map(({ name }) => name).filter((name) => !ownNames.includes(name));
}

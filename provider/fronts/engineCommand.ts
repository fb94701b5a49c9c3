import { execFile } from "node:child_process";
import { readFile, readlink } from "node:fs/promises";
import { basename } from "node:path";
import { promisify } from "node:util";
import type { RunScope } from "../lifecycle";

/** A process of this machine. */
export interface RunningProcess {
  parent: number;
  /** Its command line. */
  words: readonly string[];
  /** The file that it runs, where that is known. */
  executable?: string | undefined;
  /** Whether the words were told as one line, so that some of them may be parts of one. */
  isSplit?: boolean;
}

/** Between a provider and its engine there may be the script that launches it. */
const furthest = 4;

/**
 * Whether the run that this process serves leaves resources of the stack as they are (`--target`, `--exclude`). The engine tells
 * providers nothing of that: it does not call them for what it leaves out, just as if the program no longer had it.
 */
export async function scopeOfRun(
  pid: number = process.ppid,
  find: (pid: number) => Promise<RunningProcess | undefined> = findProcess,
  env: NodeJS.ProcessEnv = process.env,
): Promise<RunScope> {
  return scopeOf(await findEngine(pid, find), env);
}

function scopeOf(engine: RunningProcess | undefined, env: NodeJS.ProcessEnv): RunScope {
  if (limitingOptions.some((name) => env[variableOf(name)])) return "partial";
  if (!engine) return "unknown";
  return engine.words.some(limitsRun) ? "partial" : "whole";
}

/** Whether that run is a destroy of all that the stack has. Where the command line leaves a doubt, it is not. */
export async function isDestroyOfAll(
  pid: number = process.ppid,
  find: (pid: number) => Promise<RunningProcess | undefined> = findProcess,
  env: NodeJS.ProcessEnv = process.env,
): Promise<boolean> {
  const engine = await findEngine(pid, find);
  if (!engine || scopeOf(engine, env) !== "whole") return false;
  return /^(destroy|down|dn)$/.test(commandOf(engine) ?? "");
}

/** Whether that run is the command `pulumi import`, and not a program with the option of that name. */
export async function isImportCommand(
  pid: number = process.ppid,
  find: (pid: number) => Promise<RunningProcess | undefined> = findProcess,
): Promise<boolean> {
  const engine = await findEngine(pid, find);
  return engine !== undefined && commandOf(engine) === "import";
}

/** Whether that run is a `pulumi refresh` that no preview comes before: the engine refreshes in a preview, too. */
export async function isRefreshAtOnce(
  pid: number = process.ppid,
  find: (pid: number) => Promise<RunningProcess | undefined> = findProcess,
  env: NodeJS.ProcessEnv = process.env,
): Promise<boolean> {
  const engine = await findEngine(pid, find);
  if (!engine || commandOf(engine) !== "refresh") return false;
  const isGiven = (name: string, form: RegExp) =>
    engine.words.some((word) => form.test(word)) || Boolean(env[variableOf(name)]);
  return (
    isGiven("skip-preview", /^(--skip-preview(=true)?|-[defjryQ]*f)$/) &&
    !isGiven("preview-only", /^--preview-only(=true)?$/)
  );
}

function commandOf({ words: [, ...words], isSplit }: RunningProcess): string | undefined {
  return isSplit ? words[0] : commandIn(words);
}

/** Options of every command that take no value. */
const plain =
  /^(-[ehQ]|--(emoji|help|disable-integrity-checking|fully-qualify-stack-names|logflow|logtostderr|non-interactive))$/;
/** The value of any other is the next word, unless it stands in the same one: `--cwd=DIR`, `-CDIR`. */
const alone = /^(-[^-=]|--[^=]+)$/;

/** The word that says what a `pulumi` is to do, as it finds that itself: options may stand before it. */
function commandIn([word, ...rest]: readonly string[]): string | undefined {
  if (word === undefined || !word.startsWith("-")) return word;
  return commandIn(alone.test(word) && !plain.test(word) ? rest.slice(1) : rest);
}

/** The `pulumi` that this process works for. */
export async function findEngine(
  pid: number = process.ppid,
  find: (pid: number) => Promise<RunningProcess | undefined> = findProcess,
): Promise<RunningProcess | undefined> {
  let found = await find(pid);
  for (let distance = 1; found && distance < furthest; distance++) {
    if (isEngine(found)) return found;
    found = await find(found.parent);
  }
  return found && isEngine(found) ? found : undefined;
}

/** How a process finds the command that it works for. */
export type FindEngine = () => Promise<Pick<RunningProcess, "words"> | undefined>;

/** The stack that the command which this process works for, or its environment, names; undefined where it is the selected one. */
export async function namedStack(engine: FindEngine, environment: NodeJS.ProcessEnv): Promise<string | undefined> {
  return stackIn((await engine())?.words ?? [], environment);
}

/** The same by a command line of `pulumi`. */
export function stackIn(words: readonly string[], { PULUMI_STACK }: NodeJS.ProcessEnv): string | undefined {
  for (const [index, word] of words.entries()) {
    const option = /^(?:--stack(?:=(.*))?|-s=?(.*))$/.exec(word);
    if (option) return option[1] || option[2] || words[index + 1];
  }
  return PULUMI_STACK || undefined;
}

/** Whether a command line of `pulumi`, or its environment, has a saved plan that the run is to follow. */
export function followsPlan(words: readonly string[], env: NodeJS.ProcessEnv): boolean {
  return words.some((word) => /^--plan(=|$)/.test(word)) || Boolean(env[variableOf("plan")]);
}

/** Whether a run deletes also what has `protect`. */
export function ignoresProtect(words: readonly string[], env: NodeJS.ProcessEnv): boolean {
  return words.some((word) => /^--ignore-protect(=true)?$/.test(word)) || Boolean(env[variableOf("ignore-protect")]);
}

function isEngine({ words: [command = ""] }: RunningProcess): boolean {
  return /^pulumi(\.exe)?$/.test(basename(command));
}

/** Those of `up`, `destroy`, `refresh` and `preview`. `--target-dependents` alone limits nothing. */
const limitingOptions = ["target", "target-replace", "exclude", "exclude-protected"];
/** `--target URN`, `--exclude=URN` */
const longForm = new RegExp(`^--(${limitingOptions.join("|")})(=|$)`);
/** `-t URN`, `-yt URN`, `-x URN`: before it there may be those that take no value. */
const shortForm = /^-[defjryQ]*[tx]/;

function limitsRun(word: string): boolean {
  return longForm.test(word) || shortForm.test(word);
}

/** Every option of the command can be given in the environment, too, which this process has inherited. */
function variableOf(option: string): string {
  return `PULUMI_OPTION_${option.replaceAll("-", "_").toUpperCase()}`;
}

async function findProcess(pid: number): Promise<RunningProcess | undefined> {
  return (await findInProc(pid)) ?? (await findByPs(pid));
}

async function findInProc(pid: number): Promise<RunningProcess | undefined> {
  try {
    const [stat, command, executable] = await Promise.all([
      readFile(`/proc/${pid}/stat`, "utf8"),
      readFile(`/proc/${pid}/cmdline`, "utf8"),
      readlink(`/proc/${pid}/exe`).catch(() => undefined),
    ]);
    // `4537 (pulumi) S 4500 …`; the name may hold anything.
    const parent = /.*\) \w (\d+)/s.exec(stat)?.[1];
    return { parent: Number(parent ?? 0), words: command.split("\0"), executable };
  } catch {
    return undefined;
  }
}

async function findByPs(pid: number): Promise<RunningProcess | undefined> {
  try {
    const { stdout } = await promisify(execFile)("ps", ["-o", "ppid=,command=", "-p", String(pid)], { timeout: 5000 });
    const [parent = "", ...words] = stdout.trim().split(/\s+/);
    return { parent: Number(parent), words, executable: words[0], isSplit: true };
  } catch {
    return undefined;
  }
}

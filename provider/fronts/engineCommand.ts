import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { basename } from "node:path";
import { promisify } from "node:util";
import type { RunScope } from "../lifecycle";

/** A process of this machine. */
export interface RunningProcess {
  parent: number;
  /** Its command line. */
  words: readonly string[];
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
  if (limitingOptions.some((name) => env[variableOf(name)])) return "partial";
  let next = pid;
  for (let distance = 0; distance < furthest; distance++) {
    const found = await find(next);
    if (!found) return "unknown";
    if (/^pulumi(\.exe)?$/.test(basename(found.words[0] ?? "")))
      return found.words.some(limitsRun) ? "partial" : "whole";
    next = found.parent;
  }
  return "unknown";
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
    const [stat, command] = await Promise.all([
      readFile(`/proc/${pid}/stat`, "utf8"),
      readFile(`/proc/${pid}/cmdline`, "utf8"),
    ]);
    // `4537 (pulumi) S 4500 …`; the name may hold anything.
    const parent = /.*\) \w (\d+)/s.exec(stat)?.[1];
    return { parent: Number(parent ?? 0), words: command.split("\0") };
  } catch {
    return undefined;
  }
}

async function findByPs(pid: number): Promise<RunningProcess | undefined> {
  try {
    const { stdout } = await promisify(execFile)("ps", ["-o", "ppid=,command=", "-p", String(pid)], { timeout: 5000 });
    const [parent = "", ...words] = stdout.trim().split(/\s+/);
    return { parent: Number(parent), words };
  } catch {
    return undefined;
  }
}

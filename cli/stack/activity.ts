import { readFileSync } from "node:fs";
import { hostname } from "node:os";
import { readStackName } from "../../provider/shared/stackName";
import { commandLine } from "../place";
import { listStacks } from "./chooseStacks";
import { PulumiError, runPulumi } from "./pulumi";
import type { Stack } from "./stack";

/** A lock as a run of `pulumi` leaves it on a state that is kept in files. */
export interface Lock {
  /** `user@host` */
  owner: string;
  pid: number;
  /** When the run began, RFC 3339. */
  since: string;
}

/** Whether a run is working on a stack. */
export type Activity =
  | { kind: "idle" }
  /** A run is in progress; or, unless it is certain, it may be over. */
  | { kind: "busy"; reason: string; isCertain: boolean }
  /** The runs that locked it are over: they were killed. */
  | { kind: "abandoned"; locks: Lock[] };

/**
 * Where a service keeps the states, it tells of updates in progress. Where they are kept in files, a run locks the
 * stack, which shows only to a command that wants the lock itself.
 */
export async function readActivity(stack: Stack): Promise<Activity> {
  const inProgress = await updateInProgress(stack);
  if (inProgress !== undefined) {
    return inProgress
      ? { kind: "busy", reason: `an update is in progress. ${ifItWasKilled()}`, isCertain: false }
      : { kind: "idle" };
  }
  return judgeLocks(await readLocks(stack), { host: hostname(), isRunning: isPulumi });
}

const ifItWasKilled = () =>
  `If it was killed, run \`${commandLine("pulumi cancel")}\` to release the stack, then run this again`;

/** Releases what killed runs have locked. Only for a stack whose activity is "abandoned": it takes every lock. */
export async function releaseLocks(stack: Stack): Promise<void> {
  await stack.pulumi("cancel", "--yes");
}

/** This machine, as far as it tells which runs are over. */
export interface Machine {
  host: string;
  isRunning(pid: number): boolean;
}

export function judgeLocks(locks: Lock[], machine: Machine): Activity {
  if (locks.length === 0) return { kind: "idle" };
  const elsewhere = locks.find(({ owner }) => !owner.endsWith(`@${machine.host}`));
  if (elsewhere) {
    const lockedBy = `the stack is locked by ${describeLock(elsewhere)}`;
    return {
      kind: "busy",
      reason: `${lockedBy}, on another machine, so it is unknown whether that run is over. ${ifItWasKilled()}`,
      isCertain: false,
    };
  }
  const running = locks.find(({ pid }) => machine.isRunning(pid));
  if (running) return { kind: "busy", reason: `an update is in progress: ${describeLock(running)}`, isCertain: true };
  return { kind: "abandoned", locks };
}

/** `ada@runner (pid 4537) since 2026-11-15T02:00:59Z` */
export function describeLock({ owner, pid, since }: Lock): string {
  return `${owner} (pid ${pid}) since ${since}`;
}

/** Undefined where nobody keeps track of that. */
async function updateInProgress(stack: Stack): Promise<boolean | undefined> {
  const { cwd, stack: named } = stack.place;
  const stacks = await listStacks(cwd);
  const own = named === undefined ? stacks.find(({ current }) => current) : findNamed(stacks, named);
  // What is asked below of a stack that is not there would make it.
  if (!own)
    throw new Error(named ? `there is no stack ${named} in this project` : "no stack is selected in this project");
  return own.updateInProgress;
}

/** The one of this name: as it is listed, or as far as both say the same. Without its organization it is that of the default one. */
export function findNamed<One extends { name: string }>(stacks: readonly One[], named: string): One | undefined {
  const { stack, organization } = readStackName(named);
  const alike = stacks.filter(({ name }) => readStackName(name).stack === stack);
  const ownerOf = ({ name }: One) => readStackName(name).organization;
  return (
    alike.find(({ name }) => name === named) ??
    alike.find((one) => organization !== undefined && ownerOf(one) === organization) ??
    alike.find((one) => organization === undefined || ownerOf(one) === undefined)
  );
}

/**
 * To make a stack that exists already is refused, and changes nothing; but before it is refused, the lock is asked for. No
 * other command that takes the lock is as harmless.
 */
async function readLocks(stack: Stack): Promise<Lock[]> {
  try {
    await runPulumi({ cwd: stack.place.cwd }, ["stack", "init", await stack.name(), "--no-select"]);
  } catch (error) {
    if (!(error instanceof PulumiError)) throw error;
    if (/already exists/.test(error.reason)) return [];
    const locks = locksIn(error.reason);
    if (locks.length > 0) return locks;
    throw new Error(whyNoLocks(error.reason), { cause: error });
  }
  throw new Error(`stack ${await stack.name()} was removed meanwhile`);
}

/** Why the lock could not be asked for, without the command that was used for it: nobody has tried to make a stack. */
export function whyNoLocks(reason: string): string {
  const why = reason.replace(/^could not create (stack|secrets manager for new stack): /, "");
  return `could not tell whether a run is working on the stack: ${why}`;
}

/** The locks that a refusal of `pulumi` names: `…: created by user@host (pid 4537) at 2026-11-15T02:00:59Z`. */
export function locksIn(text: string): Lock[] {
  return [...text.matchAll(/created by (\S.*?@\S+) \(pid (\d+)\) at (\S+)/g)].map(
    ([, owner = "", pid, since = ""]) => ({
      owner,
      pid: Number(pid),
      since,
    }),
  );
}

function isPulumi(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    // Not ours to signal, and so alive.
    if (!(error instanceof Error && "code" in error && error.code === "EPERM")) return false;
  }
  return !isOver(readStat(pid));
}

/** `4537 (pulumi) S …`: its name and how it fares, where the system tells. */
function readStat(pid: number): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/stat`, "utf8");
  } catch {
    return undefined;
  }
}

/** Killed and not yet buried by its parent, or the id has passed to another program since. */
export function isOver(stat: string | undefined): boolean {
  const [, name, state] = /^\d+ \((.*)\) (\w)/s.exec(stat ?? "") ?? [];
  return name !== undefined && (state === "Z" || state === "X" || !name.includes("pulumi"));
}

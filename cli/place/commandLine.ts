import { isAbsolute, relative } from "node:path";
import { inQuotes } from "../../provider/shared/shell";
import { readStackName } from "../../provider/shared/stackName";
import type { Place, StackChoice } from "./place";

/** Where this run of the command works, as its own command line says it: a process runs one command. */
let here: StackChoice | undefined;

/** Notes it for the commands that are written out. */
export function workOn(choice: StackChoice): void {
  here = choice;
}

/** Of `gpufleet`, those that take several stacks at once. */
const forSeveral = /^gpufleet (ls|cost|orphans|report)\b/;

/**
 * A command that people are to run, complete, so that a copy of it works on the stack that was looked at and not on the selected
 * one. Without a place it is for the stack that this run was given. No text names such a command in another way.
 */
export function commandLine(words: string, place?: Place): string {
  return `${words}${place ? placeOptions(place) : optionsHere(words)}`;
}

/**
 * The same for a stack by its name (`project/stack`, or with its organization before that), where this run is about several;
 * otherwise that is known.
 */
export function commandLineFor(words: string, name: string): string {
  if (!here || !isSeveral(here)) return commandLine(words);
  const { project, stack } = readStackName(name);
  return commandLine(words, { cwd: here.cwd, stack: project === undefined ? stack : name });
}

/** What a command needs to work on this stack from the folder that this process is in. */
export function placeOptions({ cwd, stack }: Place): string {
  return `${folderOption(cwd)}${stack === undefined ? "" : ` --stack ${quoteForShell(stack)}`}`;
}

function optionsHere(words: string): string {
  if (!here) return "";
  const { cwd, names, all } = here;
  if (!isSeveral(here)) return placeOptions({ cwd, stack: names[0] });
  if (!forSeveral.test(words)) return folderOption(cwd);
  return `${folderOption(cwd)}${all ? " --all-stacks" : names.map((name) => ` --stack ${quoteForShell(name)}`).join("")}`;
}

/** A name with a `*` may stand for several. */
function isSeveral({ names, all }: StackChoice): boolean {
  return all || names.length > 1 || names.some((name) => name.includes("*"));
}

function folderOption(cwd: string): string {
  const path = isAbsolute(cwd) ? relative(process.cwd(), cwd) : cwd;
  if (path === "" || path === ".") return "";
  return ` --cwd ${quoteForShell(path)}`;
}

/** One word for a POSIX shell, whatever is in it. */
export function quoteForShell(word: string): string {
  return /^[\w./:@%+=-]+$/.test(word) ? word : inQuotes(word);
}

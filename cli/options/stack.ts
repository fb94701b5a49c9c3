import { resolve } from "node:path";
import type { Command } from "commander";
import type { Place } from "../stack";

/** Options of every command that works on a stack, named as `pulumi` names them. */
export interface StackFlags {
  cwd: string;
  stack?: string;
}

export function withStackOptions(command: Command): Command {
  return command
    .option("-C, --cwd <folder>", "folder of the Pulumi project", ".")
    .option("-s, --stack <name>", "stack to work on (default: the selected stack)");
}

export function placeOf({ cwd, stack }: StackFlags): Place {
  return { cwd: resolve(cwd), stack };
}

/** `--json`, described alike everywhere. */
export function withJsonOption(command: Command): Command {
  return command.option("--json", "print JSON");
}

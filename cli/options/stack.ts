import { resolve } from "node:path";
import type { Command } from "commander";
import type { Place } from "../stack/pulumi";

/** Options of every command that works on a stack, named as `pulumi` names them. */
export interface StackFlags {
  cwd: string;
  stack?: string;
}

export function withStackOptions(command: Command): Command {
  return command
    .option("-C, --cwd <folder>", "the Pulumi project's folder", ".")
    .option("-s, --stack <name>", "the stack to work on (default: the selected one)");
}

export function placeOf({ cwd, stack }: StackFlags): Place {
  return { cwd: resolve(cwd), stack };
}

import { resolve } from "node:path";
import { type Command, Option } from "commander";
import { type Place, type StackChoice, workOn } from "../place";

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

/** The same for commands that can work on several stacks at once. */
export interface StacksFlags {
  cwd: string;
  stack: string[];
  allStacks?: boolean;
}

export function withStacksOptions(command: Command): Command {
  return command
    .option("-C, --cwd <folder>", "folder of the Pulumi project", ".")
    .addOption(
      new Option(
        "-s, --stack <name>",
        "stack to work on; may be given several times, and * in a name stands for any characters",
      )
        .argParser((name: string, before: string[]) => [...before, name])
        .default([], "the selected stack"),
    )
    .option("--all-stacks", "work on all stacks of the project");
}

export function stacksIn({ cwd, stack, allStacks }: StacksFlags): StackChoice {
  const choice = { cwd: resolve(cwd), names: stack, all: allStacks === true };
  workOn(choice);
  return choice;
}

export function placeOf({ cwd, stack }: StackFlags): Place {
  workOn({ cwd: resolve(cwd), names: stack === undefined ? [] : [stack], all: false });
  return { cwd: resolve(cwd), stack };
}

/** `--json`, described alike everywhere. */
export function withJsonOption(command: Command): Command {
  return command.option("--json", "print JSON");
}

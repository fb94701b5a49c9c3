import { Command } from "commander";
import { plainExitCodesHelp, withStackOptions } from "../../options";
import type { Flags } from "./run";

export function importCommand(): Command {
  const command = new Command("import")
    .description("write a program that adopts, unchanged, what runs in the account and is in no stack")
    .option("--id <id...>", "only these; where several have one id, with the type: StorageVolume:7")
    .option("--out <file>", "write the program to this file (default: standard output)")
    .option("--force", "with --out: overwrite the file, unless the stack has resources: it may be their program");
  return withStackOptions(command)
    .addHelpText(
      "after",
      `
Nothing is changed, neither on the service nor in the state: \`pulumi up\` with that program adopts what it names. What the state
of any stack of the backend has is never included. What another stack created, and no state of the backend has, is included only
with --id: that stack may be kept elsewhere.
${plainExitCodesHelp}`,
    )
    .action(async (flags: Flags) => (await import("./run")).run(flags));
}

import { Command } from "commander";
import { plainExitCodesHelp, withStacksOptions } from "../../options";
import type { Flags } from "./run";

export function reportCommand(): Command {
  const command = new Command("report")
    .description("write an HTML page: GPUs by region and model, each machine, its cost, planned changes")
    .requiredOption("--html <file>", "file to write")
    .option("--preview <file>", "output of `pulumi preview --json --show-sames`: shows its changes");
  return withStacksOptions(command)
    .addHelpText("after", `\nThe page needs no network.\n${plainExitCodesHelp}`)
    .action(async (flags: Flags) => (await import("./run")).run(flags));
}

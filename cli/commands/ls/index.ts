import { Command } from "commander";
import { plainExitCodesHelp, withJsonOption, withStacksOptions } from "../../options";
import type { Flags } from "./run";

export function lsCommand(): Command {
  const command = withJsonOption(
    new Command("ls").description(
      "list what a stack, or several, or the whole account runs: where, since when, until when, at what price, and how to log in",
    ),
  )
    .option("--account", "list everything that the account runs, with the stack that each belongs to")
    .option("--watch", "keep the list up to date until ^C")
    .option("--every <duration>", "with --watch: how often to look, at least 5s", "10s");
  return withStacksOptions(command)
    .addHelpText(
      "after",
      `
On a terminal, --watch redraws the list in place. Elsewhere it prints one block after the other; with --json, one
line each.
${plainExitCodesHelp}`,
    )
    .action(async (flags: Flags) => (await import("./run")).run(flags));
}

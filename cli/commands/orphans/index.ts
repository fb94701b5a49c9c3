import { Command } from "commander";
import { amountOf, defaultGraceMinutes, exitCodesHelp, withJsonOption, withStacksOptions } from "../../options";
import type { Flags } from "./run";

export function orphansCommand(): Command {
  const command = withJsonOption(
    new Command("orphans").description(
      "list what the account has and the state of a stack, or of several, does not, by stack and creator",
    ),
  )
    .option(
      "--delete <id...>",
      "delete these: only what this stack created, is in no state of the backend and is older than --grace-minutes",
    )
    .option("--yes", "with --delete: do it, instead of only showing what would be deleted")
    .option("--allow-data-loss", "with --delete: delete volumes, too, with their contents")
    .option(
      "--grace-minutes <minutes>",
      "minimum age for --delete: what another run is creating is listed before it is in the state",
      amountOf("a number of minutes"),
      defaultGraceMinutes,
    );
  return withStacksOptions(command)
    .addHelpText(
      "after",
      exitCodesHelp(
        "this stack has orphans; with --delete: some are left",
        "a list or an account could not be read. What the service has no list of is only named",
      ),
    )
    .action(async (flags: Flags) => (await import("./run")).run(flags));
}

import { Command, Option } from "commander";
import {
  amountOf,
  defaultGraceMinutes,
  exitCodesHelp,
  withChoices,
  withJsonOption,
  withStackOptions,
} from "../../options";
import type { Flags } from "./run";

export function watchCommand(): Command {
  const command = withJsonOption(
    new Command("watch").description(
      "report what needs attention: expired, orphaned, failed or missing machines, a low balance; and destroy what has expired",
    ),
  )
    .option("--every <duration>", "keep running and look this often, such as 10m (default: look once)")
    .option("--destroy-expired", "destroy what is past its expiresAt; it is not rented again until that changes")
    .option("--yes", "with --destroy-expired: do it, instead of only saying what would be destroyed")
    .option("--allow-data-loss", "with --destroy-expired: delete volumes that were created with it, too")
    .option(
      "--min-balance-hours <hours>",
      "report a balance that lasts for less than this at the current rate",
      amountOf("a number of hours"),
    )
    .option(
      "--grace-minutes <minutes>",
      "minimum age of an orphan: what another run is creating is listed before it is in the state",
      amountOf("a number of minutes"),
      defaultGraceMinutes,
    )
    .option("--webhook <url>", "post what is found to this URL; it is a secret (default: GPUFLEET_WEBHOOK_URL)")
    .addOption(
      withChoices(new Option("--webhook-format <format>", "format of what is posted"), ["json", "slack"]).default(
        "json",
      ),
    )
    .option("--always", "post and print every time, not only when something has changed")
    .option("--memory-file <file>", "where to remember what was posted (default: a file in ~/.local/state/gpufleet)");
  return withStackOptions(command)
    .addHelpText(
      "after",
      `
Nothing is destroyed without both --destroy-expired and --yes, and no volume without --allow-data-loss. An expired machine
that would take a volume along is kept and reported; the others are destroyed all the same.

The webhook gets a message when there is something to report, again when that changes, and once when it is over. It must use
https; plain http is allowed on loopback addresses only.
${exitCodesHelp("something was found that needs attention")}`,
    )
    .action(async (flags: Flags) => (await import("./run")).run(flags));
}

import { Command } from "commander";
import { exitCodesHelp, withJsonOption, withStackOptions } from "../../options";
import type { Flags } from "./run";

export function expiredCommand(): Command {
  const command = withJsonOption(
    new Command("expired").description("list what is past its expiresAt, with the cost since then, or destroy it"),
  )
    .option("--destroy", "destroy it; it is not rented again until its expiresAt changes")
    .option("--yes", "with --destroy: do it, instead of only showing what would be destroyed")
    .option("--allow-data-loss", "with --destroy: delete volumes that were created with it, too");
  return withStackOptions(command)
    .addHelpText(
      "after",
      `
Nothing is destroyed at its expiresAt unless this command runs: put \`gpufleet expired --destroy --yes\` on a schedule.
${exitCodesHelp("something is past its expiresAt and was not destroyed")}`,
    )
    .action(async (flags: Flags) => (await import("./run")).run(flags));
}

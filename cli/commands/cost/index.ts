import { Command, Option } from "commander";
import { plainExitCodesHelp, withJsonOption, withStacksOptions } from "../../options";
import type { Flags } from "./run";

export function costCommand(): Command {
  const command = new Command("cost").description(
    "show what a stack, or several, and the rest of the account run, the cost per hour and the cost so far",
  );
  return withStacksOptions(withJsonOption(command))
    .addOption(new Option("--prometheus", "print metrics in the text format of Prometheus").conflicts("json"))
    .addHelpText(
      "after",
      `
Cost so far = current price × age. Sums do not include resources whose price or age is unknown; their number is shown.
With --prometheus, what could not be read is counted by gpufleet_not_included and named on standard error.
${plainExitCodesHelp}`,
    )
    .action(async (flags: Flags) => (await import("./run")).run(flags));
}

import { Command, Option } from "commander";
import { plainExitCodesHelp, priceBook, withJsonOption, withStackOptions } from "../../options";
import type { Flags } from "./run";

export function pricesCommand(): Command {
  const command = new Command("prices").description(
    "show what is known of prices: from the service, the price book and the marketplace",
  );
  return withStackOptions(withJsonOption(command))
    .option(
      "--prices <json>",
      "further prices, in the form of gpufleet:prices; they win over those of the stack",
      priceBook,
    )
    .addOption(new Option("--book", "print a price book to start from, for gpufleet:prices").conflicts("json"))
    .addHelpText(
      "after",
      `
The service has no price list: its prices are those of what runs. A price book is for what it shows no price of.

  book=$(gpufleet prices --book) && pulumi config set gpufleet:prices "$book"

The book has what is known. What has no price yet is named on standard error.
${plainExitCodesHelp}`,
    )
    .action(async (flags: Flags) => (await import("./run")).run(flags));
}

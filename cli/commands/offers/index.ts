import { Command, Option } from "commander";
import { exitCodesHelp, positiveOf, whole, withJsonOption, withStackOptions } from "../../options";
import type { Flags } from "./run";

export function offersCommand(): Command {
  const command = withJsonOption(
    new Command("offers").description(
      "list marketplace machines that can be rented now, and rentals whose price is known",
    ),
  )
    .option("--gpu-model <text>", "part of the GPU model's name, such as H100")
    .option("--region <region>", "region of the machine")
    .option("--gpu-count <count>", "number of GPUs that you need", whole(1), 1)
    .option(
      "--max-price-per-hour <usd>",
      "maximum price of that many GPUs, in USD per hour",
      positiveOf("USD per hour: a number"),
    )
    .option("--min-gpu-ram-gb <gb>", "minimum memory per GPU, in GB", positiveOf("a number of GB"))
    .option("--needs-persistent-storage", "only machines with persistent storage")
    .option("--limit <count>", "list at most this many machines (default: 20, and all with --json)", whole(1))
    .addOption(new Option("--program", "print a program that rents the first one").conflicts("json"));
  return withStackOptions(command)
    .addHelpText(
      "after",
      `
The cheapest come first. The filters are those of \`select\` of a MarketplaceInstance, and mean the same there.
Outside a Pulumi project, GPUFLEET_BASE_URL says which service is asked.
${exitCodesHelp("no machine and no rental matches")}`,
    )
    .action(async (flags: Flags) => (await import("./run")).run(flags));
}

import { Command, InvalidArgumentError, Option } from "commander";
import type { Prices } from "../../../provider/shared/prices";
import { amountIn, amountOf, exitCodesHelp, priceBook, withChoices } from "../../options";
import type { Flags } from "./run";

export function commentCommand(): Command {
  return new Command("comment")
    .description("write a pull request comment from a preview: data loss, cost, changes")
    .requiredOption("--preview <file>", "output of `pulumi preview --json --show-sames`; - for standard input")
    .option("--errors <file>", "standard error of the same preview, for a comment where it has printed nothing else")
    .option("-s, --stack <name>", "stack of the preview, for the same case")
    .option("--events <file>", "output of `--event-log` of the same preview: the results of policy packs")
    .addOption(withChoices(new Option("--format <format>", "output format"), ["markdown", "json"]).default("markdown"))
    .option(
      "--max-cost-per-hour <usd>",
      "exit with 2 if the total cost may be more than this",
      amountOf("USD per hour: a number"),
    )
    .option("--allow-unknown-prices", "with --max-cost-per-hour: leave out resources whose price is unknown")
    .option("--forbid-data-loss", "exit with 2 if the contents of a volume would be lost")
    .option(
      "--price <name=usd>",
      "price per GPU and hour (h100=2.49) or per GB and hour (storage=0.0001) where no price is known; repeatable",
      price,
    )
    .option("--prices <json>", "prices where none is known, as JSON in the form of gpufleet:prices", priceBook)
    .option(
      "--post",
      "post the comment on the pull request of this pipeline, or update the earlier one (GitHub Actions, GitLab CI)",
    )
    .option(
      "-C, --cwd <folder>",
      "folder of the Pulumi project, for the settings of the stack and for unchanged resources",
      ".",
    )
    .addHelpText(
      "after",
      `
With GPUFLEET_API_KEY set, the comment shows the balance, and uses prices from the account and the marketplace. The key is
sent to GPUFLEET_BASE_URL or to the URL in the stack's configuration, never to a URL in the preview file.
${exitCodesHelp("a limit is exceeded, or cannot be checked because the preview failed")}`,
    )
    .action(async (flags: Flags) => (await import("./run")).run(flags));
}

function price(text: string, given: Prices = new Map()): Prices {
  const [, name = "", value = ""] = /^([^=]+)=(.+)$/.exec(text) ?? [];
  const usd = amountIn(value);
  if (name === "" || usd === undefined) throw new InvalidArgumentError("It must look like h100=2.49.");
  return new Map([...given, ...priceBook(JSON.stringify({ [name]: usd }))]);
}

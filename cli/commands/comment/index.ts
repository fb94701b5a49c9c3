import { Command, InvalidArgumentError, Option } from "commander";
import { exitCodes, exitCodesHelp } from "../../options/exitCodes";

interface Flags {
  preview: string;
  events?: string;
  format: "markdown" | "json";
  maxCostPerHour?: number;
  allowUnknownPrices?: boolean;
  forbidDataLoss?: boolean;
  price?: Map<string, number>;
  cwd: string;
  post?: boolean;
}

export function commentCommand(): Command {
  return new Command("comment")
    .description("turn a preview into a comment for a pull request: what is lost, what it costs, what changes")
    .requiredOption("--preview <file>", "what `pulumi preview --json --show-sames` wrote; - for standard input")
    .option("--events <file>", "what `--event-log` of the same preview wrote: it holds the verdicts of policy packs")
    .addOption(new Option("--format <format>", "how to write it").choices(["markdown", "json"]).default("markdown"))
    .option("--max-cost-per-hour <usd>", "exit with 2 if everything would cost more than this, or could", amount)
    .option("--allow-unknown-prices", "with --max-cost-per-hour: let prices pass that nobody knows")
    .option("--forbid-data-loss", "exit with 2 if a volume would lose its contents")
    .option(
      "--price <name=usd>",
      "USD per hour and GPU (h100=2.49), or per hour and GB (storage=0.0001), for what nothing that runs tells of; repeatable",
      price,
    )
    .option(
      "--post",
      "put it on the pull request of this pipeline, in place of the last one (GitHub Actions, GitLab CI)",
    )
    .option(
      "-C, --cwd <folder>",
      "the Pulumi project's folder, for the service's address and the rest of the state",
      ".",
    )
    .addHelpText(
      "after",
      `
The balance, prices of the account and the marketplace are asked for where GPUFLEET_API_KEY is set; the service is that of
GPUFLEET_BASE_URL or of the stack's configuration, never of the preview's file.
${exitCodesHelp("a limit given here is passed, or the preview failed and it cannot be told")}`,
    )
    .action(run);
}

async function run(flags: Flags): Promise<void> {
  const { composeComment } = await import("./compose");
  const { text, refused } = await composeComment(flags);
  process.stdout.write(text);
  if (flags.post) {
    const { postComment } = await import("./post");
    console.error(`gpufleet comment: ${await postComment(text, process.env)}`);
  }
  for (const reason of refused) console.error(`gpufleet comment: refused: ${reason}`);
  if (refused.length > 0) process.exitCode = exitCodes.found;
}

function amount(text: string): number {
  const value = Number(text);
  if (text.trim() !== "" && Number.isFinite(value) && value >= 0) return value;
  throw new InvalidArgumentError("It must be USD per hour: a number, 0 or more.");
}

function price(text: string, given: ReadonlyMap<string, number> = new Map()): Map<string, number> {
  const [, name = "", value = ""] = /^([^=]+)=(.+)$/.exec(text) ?? [];
  if (name === "" || !(Number(value) >= 0)) throw new InvalidArgumentError("It must look like h100=2.49.");
  return new Map(given).set(name.toLowerCase(), Number(value));
}

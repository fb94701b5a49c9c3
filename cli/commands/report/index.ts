import { Command } from "commander";
import { placeOf, type StackFlags, withStackOptions } from "../../options/stack";

interface Flags extends StackFlags {
  html: string;
  preview?: string;
}

export function reportCommand(): Command {
  const command = new Command("report")
    .description("one page to look at: the fleet by region and model, each machine, its cost, what would change")
    .requiredOption("--html <file>", "where to write the page")
    .option("--preview <file>", "what `pulumi preview --json --show-sames` wrote, to show what it would change");
  return withStackOptions(command)
    .addHelpText("after", "\nThe page needs no network.\n\nExit codes: 0 written; 1 it could not be done.")
    .action(run);
}

async function run(flags: Flags): Promise<void> {
  const [{ readSituation }, { writeReport }, { writeFileSync }] = await Promise.all([
    import("../../account/situation"),
    import("./write"),
    import("node:fs"),
  ]);
  const situation = await readSituation(placeOf(flags));
  try {
    const { usd } = await situation.runtime.client.getBalance();
    writeFileSync(flags.html, await writeReport(situation, { balance: usd, preview: flags.preview, now: Date.now() }));
    console.log(`Wrote ${flags.html}`);
  } finally {
    await situation.runtime.client.close();
  }
}

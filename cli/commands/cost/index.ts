import { Command } from "commander";
import { placeOf, type StackFlags, withStackOptions } from "../../options/stack";

export function costCommand(): Command {
  const command = new Command("cost")
    .description(
      "what runs now, in this stack and in the rest of the account: $/h, and what it has cost since it began",
    )
    .option("--json", "for machines");
  return withStackOptions(command)
    .addHelpText(
      "after",
      `
What it has cost is reckoned from the present price and the time since it was made. Prices that the service does not show
are unknown, and in no sum.

Exit codes: 0 done; 1 it could not be done.`,
    )
    .action(run);
}

async function run(flags: StackFlags & { json?: boolean }): Promise<void> {
  const [{ readSituation }, { reckon }, { showCost }, { paintFor }] = await Promise.all([
    import("../../account/situation"),
    import("../../account/summarizeCost"),
    import("./show"),
    import("../../terminal/style"),
  ]);
  const situation = await readSituation(placeOf(flags));
  try {
    const { usd } = await situation.runtime.client.getBalance();
    const report = reckon(situation, usd, Date.now());
    console.log(flags.json ? JSON.stringify(report, null, 2) : showCost(report, paintFor(process.stdout)));
  } finally {
    await situation.runtime.client.close();
  }
}

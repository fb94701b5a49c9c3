import { costNotes, readStacks, summarizeStacks } from "../../account";
import { exitCodes, type StacksFlags, stacksIn } from "../../options";
import { complain, paintFor, print, write } from "../../terminal";
import { costMetrics } from "./prometheus";
import { costJson, showCost } from "./show";

export interface Flags extends StacksFlags {
  json?: boolean;
  prometheus?: boolean;
}

export async function run(flags: Flags): Promise<void> {
  const { all, failed, close } = await readStacks(stacksIn(flags));
  try {
    const cost = await summarizeStacks(all);
    if (flags.prometheus) {
      write(costMetrics(cost));
      for (const note of costNotes(cost)) complain(note);
    } else print(flags.json ? costJson(cost) : showCost(cost, paintFor(process.stdout)));
    if (failed.length > 0) process.exitCode = exitCodes.error;
  } finally {
    await close();
  }
}

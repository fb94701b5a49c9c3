import { readSituations, summarizeCosts } from "../../account";
import { placeOf, type StackFlags } from "../../options";
import { paintFor } from "../../terminal";
import { showCost } from "./show";

export interface Flags extends StackFlags {
  json?: boolean;
}

export async function run(flags: Flags): Promise<void> {
  const found = await readSituations(placeOf(flags));
  try {
    const [{ runtime }] = found.situations;
    const cost = await summarizeCosts(found, runtime.client.serviceNow());
    console.log(flags.json ? JSON.stringify(cost, null, 2) : showCost(cost, paintFor(process.stdout)));
  } finally {
    await found.close();
  }
}

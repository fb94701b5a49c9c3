import { findBalance, readSituation, summarizeCost } from "../../account";
import { placeOf, type StackFlags } from "../../options";
import { paintFor } from "../../terminal";
import { showCost } from "./show";

export interface Flags extends StackFlags {
  json?: boolean;
}

export async function run(flags: Flags): Promise<void> {
  const situation = await readSituation(placeOf(flags));
  try {
    const balance = await findBalance(situation.runtime.client);
    const cost = summarizeCost(situation, balance, situation.runtime.client.serviceNow());
    console.log(flags.json ? JSON.stringify(cost, null, 2) : showCost(cost, paintFor(process.stdout)));
  } finally {
    await situation.runtime.client.close();
  }
}

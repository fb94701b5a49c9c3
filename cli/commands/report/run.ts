import { writeFileSync } from "node:fs";
import { readSituation } from "../../account";
import { placeOf, type StackFlags } from "../../options";
import { writeReport } from "./write";

export interface Flags extends StackFlags {
  html: string;
  preview?: string;
}

export async function run({ html, preview, ...flags }: Flags): Promise<void> {
  const situation = await readSituation(placeOf(flags));
  try {
    const { usd } = await situation.runtime.client.getBalance();
    writeFileSync(html, await writeReport(situation, { balance: usd, preview, now: Date.now() }));
    console.log(`Wrote ${html}`);
  } finally {
    await situation.runtime.client.close();
  }
}

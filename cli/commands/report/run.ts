import { writeFileSync } from "node:fs";
import { findBalance, readSituation } from "../../account";
import { placeOf, type StackFlags } from "../../options";
import { writeReport } from "./write";

export interface Flags extends StackFlags {
  html: string;
  preview?: string;
}

export async function run({ html, preview, ...flags }: Flags): Promise<void> {
  const situation = await readSituation(placeOf(flags));
  try {
    const found = await findBalance(situation.runtime.client);
    const now = situation.runtime.client.serviceNow();
    writeFileSync(html, await writeReport(situation, { ...found, preview, now }));
    console.log(`Wrote ${html}`);
  } finally {
    await situation.runtime.client.close();
  }
}

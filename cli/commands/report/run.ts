import { writeFileSync } from "node:fs";
import { readSituations, summarizeCosts } from "../../account";
import { placeOf, type StackFlags } from "../../options";
import { writeReport } from "./write";

export interface Flags extends StackFlags {
  html: string;
  preview?: string;
}

export async function run({ html, preview, ...flags }: Flags): Promise<void> {
  const found = await readSituations(placeOf(flags));
  try {
    const [{ runtime }] = found.situations;
    const now = runtime.client.serviceNow();
    const cost = await summarizeCosts(found, now);
    writeFileSync(html, await writeReport(found.situations, { cost, preview, now }));
    console.log(`Wrote ${html}`);
  } finally {
    await found.close();
  }
}

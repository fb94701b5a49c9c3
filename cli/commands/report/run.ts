import { writeFileSync } from "node:fs";
import { readStacks, summarizeStacks } from "../../account";
import { exitCodes, type StacksFlags, stacksIn } from "../../options";
import { print, withoutKeys } from "../../terminal";
import { writeReport } from "./write";

export interface Flags extends StacksFlags {
  html: string;
  preview?: string;
}

export async function run({ html, preview, ...flags }: Flags): Promise<void> {
  const { all, failed, close } = await readStacks(stacksIn(flags));
  try {
    const [{ situations }, ...others] = all;
    if (preview !== undefined && others.length + failed.length > 0) {
      throw new Error("--preview is of one stack, and the report is about several: leave it out, or name one stack");
    }
    const now = situations[0].runtime.client.serviceNow();
    const cost = await summarizeStacks(all);
    const everywhere = others.flatMap((other) => other.situations);
    writeFileSync(html, withoutKeys(await writeReport([...situations, ...everywhere], { cost, preview, now })));
    print(`Wrote ${html}`);
    if (failed.length > 0) process.exitCode = exitCodes.error;
  } finally {
    await close();
  }
}

import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ToolError } from "../../../tools/bootstrap/command";
import type { PlantedBug } from "./plantedBugs";

/** Where bugs are planted. */
const folders = ["provider", "sdk", "cli"];

/** A bug and the one place that it goes to. */
export interface Patch {
  /** Relative to the checkout. */
  file: string;
  before: string;
  after: string;
}

/** Finds the place by the text alone, so that sources can be moved freely. */
export function findPatch(checkout: string, { name, find, replace }: PlantedBug): Patch {
  const pattern = new RegExp(find.trim().split(/\s+/).map(escapeRegExp).join("\\s+"), "g");
  const places = sourcesIn(checkout).flatMap((file) => {
    const before = readFileSync(join(checkout, file), "utf8");
    return Array.from(before.matchAll(pattern), ({ index, 0: found }) => ({
      file,
      before,
      after: before.slice(0, index) + replace + before.slice(index + found.length),
    }));
  });
  const [only, ...others] = places;
  if (only && others.length === 0) return only;
  const problem = only
    ? `${places.length} places have its text: ${places.map(({ file }) => file).join(", ")}`
    : `no file of ${folders.join(", ")} has its text`;
  throw new ToolError(
    `The patch "${name}" does not apply: ${problem}.\n  ${find}\nCorrect its \`find\` in tests/faults/mutants/plantedBugs.ts.`,
  );
}

/** Does the work with the bug in place. */
export async function withPatch<Result>(checkout: string, patch: Patch, work: () => Promise<Result>): Promise<Result> {
  const file = join(checkout, patch.file);
  writeFileSync(file, patch.after);
  try {
    return await work();
  } finally {
    writeFileSync(file, patch.before);
  }
}

function sourcesIn(checkout: string): string[] {
  return folders.flatMap((folder) =>
    readdirSync(join(checkout, folder), { recursive: true, encoding: "utf8" })
      .filter((file) => file.endsWith(".ts"))
      .map((file) => join(folder, file)),
  );
}

function escapeRegExp(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|]/g, "\\$&");
}

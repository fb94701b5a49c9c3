/**
 * `npm run generate`: writes what follows from schemas, doc comments, examples and names of files. `--check` only says what is
 * out of date.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { ToolError } from "../bootstrap/command";
import { root } from "../bootstrap/paths";
import { writeIndexes } from "./indexes";

type GeneratedFile = [file: string, text: string];

export async function main(args: string[]): Promise<void> {
  const update = args.includes("--check") ? refuseOutdated : writeOutdated;
  update(writeIndexes());
  // Only now: it loads the resources by way of the indexes.
  const { generate } = await import("./everything");
  const { generated, problems } = generate();
  update(generated, problems);
}

function refuseOutdated(generated: readonly GeneratedFile[], problems: readonly string[] = []): void {
  const outdated = generated.filter(isOutdated).map(([file]) => file);
  const found = outdated.length > 0 ? [`Out of date: ${outdated.join(", ")}. Run \`npm run generate\`.`] : [];
  refuse([...found, ...problems]);
}

function writeOutdated(generated: readonly GeneratedFile[], problems: readonly string[] = []): void {
  for (const file of generated.filter(isOutdated)) write(file);
  refuse(problems);
}

function refuse(problems: readonly string[]): void {
  if (problems.length > 0) throw new ToolError(problems.join("\n"));
}

function isOutdated([file, text]: GeneratedFile): boolean {
  const target = join(root, file);
  return !existsSync(target) || readFileSync(target, "utf8") !== text;
}

function write([file, text]: GeneratedFile): void {
  mkdirSync(dirname(join(root, file)), { recursive: true });
  writeFileSync(join(root, file), text);
  process.stdout.write(`wrote ${file}\n`);
}

/** `npm run generate`: writes what follows from schemas and doc comments. `--check` only says what is out of date. */
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { handlers } from "../../provider";
import { ToolError } from "../bootstrap/command";
import { root } from "../bootstrap/paths";
import { writeArgs } from "./args";
import { writeFleetPage } from "./fleetPage";
import { writeFunctionsPage } from "./functionsPage";
import { writeOperationsPage } from "./operationsPage";
import { dashed, writeResourcePage } from "./resourcePage";
import { SdkDocs } from "./sdkDocs";

export async function main(args: string[]): Promise<void> {
  const outdated = [...generate()].filter(([file, text]) => !isCurrent(file, text));
  if (args.includes("--check")) {
    if (outdated.length === 0) return;
    throw new ToolError(`Out of date: ${outdated.map(([file]) => file).join(", ")}. Run \`npm run generate\`.`);
  }
  for (const [file, text] of outdated) {
    mkdirSync(dirname(join(root, file)), { recursive: true });
    writeFileSync(join(root, file), text);
    process.stdout.write(`wrote ${file}\n`);
  }
}

/** Every generated file and its text. */
function generate(): Map<string, string> {
  const sdk = new SdkDocs();
  const documented = [...handlers.values()].filter((handler) => handler.definition);
  return new Map([
    ["sdk/args.ts", format("sdk/args.ts", writeArgs(handlers))],
    ...documented.map((handler) => page(dashed(handler.type), writeResourcePage(handler, sdk))),
    page("gpu-fleet", writeFleetPage(sdk)),
    page("functions", writeFunctionsPage(sdk)),
    page("operations", writeOperationsPage()),
  ]);
}

function page(name: string, text: string): [string, string] {
  return [`docs/${name}.md`, text];
}

function format(file: string, text: string): string {
  const biome = join(root, "node_modules", ".bin", "biome");
  return execFileSync(biome, ["format", `--stdin-file-path=${file}`], { cwd: root, input: text, encoding: "utf8" });
}

function isCurrent(file: string, text: string): boolean {
  const target = join(root, file);
  return existsSync(target) && readFileSync(target, "utf8") === text;
}

/** Everything that is generated from schemas, doc comments and examples. */
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { handlers } from "../../provider";
import { ToolError } from "../bootstrap/command";
import { root } from "../bootstrap/paths";
import { writeArgs } from "./args";
import { listExamples, listExamplesInOtherLanguages, readExample, writeExample, writeExamplesTable } from "./examples";
import { writeFleetPage } from "./fleetPage";
import { writeFunctionsPage } from "./functionsPage";
import { withMarkedPart } from "./markedPart";
import { writeOperationsPage } from "./operationsPage";
import { writeProviderPage } from "./providerPage";
import { writeSchema } from "./pulumiSchema/schema";
import { dashed, writeResourcePage } from "./resourcePage";
import { writeResourcesTable } from "./resourcesTable";
import { SdkDocs } from "./sdkDocs";

type GeneratedFile = [file: string, text: string];

/**
 * Every generated file and its text. What one of them lacks does not keep the others from being written: the class of a new
 * resource needs its arguments, and its page the class.
 */
export function generate(): { generated: GeneratedFile[]; problems: string[] } {
  const generated: GeneratedFile[] = [];
  const problems = new Set<string>();
  for (const write of writers()) {
    try {
      generated.push(...write());
    } catch (error) {
      if (!(error instanceof ToolError)) throw error;
      problems.add(error.message);
    }
  }
  return { generated, problems: [...problems] };
}

function writers(): (() => GeneratedFile[])[] {
  const sdk = new SdkDocs();
  const documented = [...handlers.values()].filter((handler) => handler.definition);
  const typeOf = new Map(documented.map(({ type }) => [dashed(type), type]));
  const examples = listExamples();
  return [
    () => [["sdk/args.ts", format("sdk/args.ts", writeArgs(handlers))]],
    () => [["schema.json", format("schema.json", writeSchema(documented, sdk))]],
    ...documented.map((handler) => () => [page(dashed(handler.type), writeResourcePage(handler, sdk))]),
    () => [page("gpu-fleet", writeFleetPage(sdk))],
    () => [page("provider", writeProviderPage(sdk))],
    () => [page("functions", writeFunctionsPage(sdk))],
    () => [page("operations", writeOperationsPage())],
    () => [withMarkedPart("docs/index.md", "resources", writeResourcesTable(["GpuFleet", ...typeOf.values()], sdk))],
    ...examples.map((name) => () => writeExample(readExample(name), typeOf.get(name))),
    () => [
      withMarkedPart(
        "examples/README.md",
        "examples",
        writeExamplesTable([...examples.map(readExample), ...listExamplesInOtherLanguages()], [...typeOf.keys()]),
      ),
    ],
  ];
}

function page(name: string, text: string): GeneratedFile {
  return [`docs/${name}.md`, text];
}

function format(file: string, text: string): string {
  const biome = join(root, "node_modules", ".bin", "biome");
  return execFileSync(biome, ["format", `--stdin-file-path=${file}`], { cwd: root, input: text, encoding: "utf8" });
}

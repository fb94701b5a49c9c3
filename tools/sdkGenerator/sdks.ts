/**
 * `npm run sdks`: writes the SDKs for Python and Go into `sdks/`, with Pulumi's own generators, from schema.json. Where Pulumi is
 * current, `pulumi package add` does the same.
 */
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { run, ToolError } from "../bootstrap/command";
import { root } from "../bootstrap/paths";
import { getGoTool } from "../goTool/goTool";

const folder = join(root, "sdks");
const schema = join(root, "schema.json");

/** The generator writes no go.mod: it does not know where the module will be published. */
const goModule = `module pulumi-gpufleet/sdk/go

go 1.25.8

require github.com/pulumi/pulumi/sdk/v3 v3.259.0
`;

export async function main(): Promise<void> {
  process.stdout.write(`${await getSdks()}\n`);
}

/** The folder that they are in, written anew. */
export async function getSdks(): Promise<string> {
  rmSync(folder, { recursive: true, force: true });
  await callTool("generate", schema, folder);
  writeFileSync(join(folder, "go", "go.mod"), goModule);
  return folder;
}

/** Fails with what Pulumi's own checker says of a schema. */
export async function checkSchema(file = schema): Promise<void> {
  await callTool("check", file);
}

async function callTool(...args: string[]): Promise<void> {
  const name = "sdks";
  const tool = await getGoTool({ name, folder: __dirname, package: "." });
  const { code, stderr } = await run(join(tool, name), args, { output: "capture" });
  if (code !== 0) throw new ToolError(stderr.trim());
}

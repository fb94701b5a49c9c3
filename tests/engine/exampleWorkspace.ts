/** An example as people run it: its own Pulumi.yaml, its program in TypeScript, in a workspace of its own. */
import { readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { root } from "../../tools/bootstrap/paths";
import { Workspace } from "../../tools/workspace";

const folder = join(root, "examples");

/** The examples that are Pulumi projects. Those of the plugin, one per language, have a test of their own. */
export function listExamples(): string[] {
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && readdirSync(join(folder, entry.name)).includes("Pulumi.yaml"))
    .map((entry) => entry.name)
    .filter((name) => !name.startsWith("native-"))
    .sort();
}

/**
 * Copied, because Pulumi writes the stack's settings beside the program. Its types are not checked here: one run of the compiler
 * does that for all programs, in tests/docs.
 */
export async function createExampleWorkspace(
  name: string,
  options: { readonly env: Readonly<Record<string, string>>; readonly config?: Readonly<Record<string, string>> },
): Promise<Workspace> {
  const env = { ...options.env, PULUMI_NODEJS_TRANSPILE_ONLY: "true" };
  const workspace = await Workspace.create({ ...options, env, program: "", project: name });
  for (const file of readdirSync(join(folder, name))) {
    workspace.write(file, readFileSync(join(folder, name, file), "utf8"));
  }
  rmSync(join(workspace.folder, "index.js"));
  return workspace;
}

/**
 * `node tools/bootstrap/run.js tests/states/record.ts`: brings the program up with the real engine and the package as it is, and
 * keeps the state under its version. Run once for every release; what a release has recorded is never recorded again.
 */
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { packageVersion } from "../../provider/client";
import { ToolError } from "../../tools/bootstrap/command";
import { setUp } from "../../tools/bootstrap/setUp";
import { createEmulatedWorkspace } from "../engine/emulatedWorkspace";
import { program, project } from "./program";

export async function main(): Promise<void> {
  const { engine } = await setUp();
  process.env["GPUFLEET_ENGINE"] = engine;
  const file = join(__dirname, `${packageVersion()}.json`);
  if (existsSync(file)) throw new ToolError(`${file} exists already: a release is recorded once`);
  const { workspace, dispose } = await createEmulatedWorkspace({ program, project });
  try {
    await workspace.succeed("up", "--yes", "--skip-preview");
    writeFileSync(file, `${JSON.stringify(workspace.exportState(), undefined, 2)}\n`);
  } finally {
    await dispose();
  }
}

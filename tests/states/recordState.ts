import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { packageVersion } from "../../provider/client/version";
import { ToolError } from "../../tools/bootstrap/command";
import { createEmulatedWorkspace } from "../engine/emulatedWorkspace";
import { program, project } from "./program";

/** Brings the program up on an emulator and keeps the state that comes of it. */
export async function recordState(): Promise<void> {
  const file = join(__dirname, `${packageVersion()}.json`);
  if (existsSync(file)) throw new ToolError(`${file} is there already: a release is recorded once`);
  const { workspace, dispose } = await createEmulatedWorkspace({ program, project });
  try {
    await workspace.succeed("up", "--yes", "--skip-preview");
    writeFileSync(file, `${JSON.stringify(await workspace.exportState(), undefined, 2)}\n`);
  } finally {
    await dispose();
  }
}

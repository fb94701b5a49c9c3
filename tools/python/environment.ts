/** A virtual environment of Python with pinned packages. */
import { createHash } from "node:crypto";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { run, ToolError } from "../bootstrap/command";
import { local } from "../bootstrap/paths";
import { announce } from "../bootstrap/progress";

/**
 * The folder of its executables. It cannot be moved, so it is made in place, and a file that is written last says that it is
 * complete.
 */
export async function getPythonEnvironment(name: string, requirements: string): Promise<string> {
  const key = createHash("sha256").update(readFileSync(requirements)).digest("hex").slice(0, 12);
  const environment = join(local, `${name}-${key}`);
  const complete = join(environment, "complete");
  if (!existsSync(complete)) {
    announce("Python")(`installing ${name} into a virtual environment of its own (about 20 seconds)`);
    rmSync(environment, { recursive: true, force: true });
    await succeed("python3", ["-m", "venv", environment]);
    const pip = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--requirement", requirements];
    await succeed(join(environment, "bin", "python"), pip);
    writeFileSync(complete, "");
  }
  return join(environment, "bin");
}

async function succeed(command: string, args: readonly string[]): Promise<void> {
  const { code, stdout, stderr } = await run(command, args, { output: "capture" });
  if (code !== 0) throw new ToolError(`${command} ${args.join(" ")} failed:\n${(stderr || stdout).trim()}`);
}

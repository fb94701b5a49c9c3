/** Commands other than `pulumi`, in the folder and the environment of a workspace. */
import { spawn } from "node:child_process";
import { join } from "node:path";
import { root } from "../../tools/bootstrap/paths";
import type { Workspace } from "../../tools/workspace";

export interface Ended {
  code: number | null;
  stdout: string;
  stderr: string;
}

export function runCommand(
  { folder, env }: Workspace,
  command: string,
  args: readonly string[],
  more: NodeJS.ProcessEnv = {},
): Promise<Ended> {
  const child = spawn(command, args, { cwd: folder, env: { ...env, ...more } });
  const said = { stdout: "", stderr: "" };
  for (const stream of ["stdout", "stderr"] as const) {
    child[stream].setEncoding("utf8").on("data", (text: string) => {
      said[stream] += text;
    });
  }
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => resolve({ code, ...said }));
  });
}

/** `gpufleet` as it was built. */
export function runGpufleet(workspace: Workspace, ...args: string[]): Promise<Ended> {
  return runCommand(workspace, process.execPath, [join(root, "bin", "gpufleet"), ...args]);
}

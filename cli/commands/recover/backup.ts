import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { findProject, type State } from "../../stack";

/** Keeps a copy of the state in the project, out of git, and returns its path. Its secrets stay encrypted. */
export async function backUp(cwd: string, stackName: string, state: State, now: Date): Promise<string> {
  const project = await findProject(cwd);
  const folder = join(project ? dirname(project.file) : cwd, ".gpufleet", "recover");
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, ".gitignore"), "*\n");
  const name = `${stackName.replaceAll("/", ".")}-${now.toISOString().replaceAll(":", "-")}.json`;
  const path = join(folder, name);
  writeFileSync(path, JSON.stringify(state, null, 2), { mode: 0o600, flag: "wx" });
  return path;
}

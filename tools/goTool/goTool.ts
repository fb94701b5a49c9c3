/** Executables built from pinned Go modules and kept beside the engine: built once per machine and set of pins. */
import { createHash, randomBytes } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { run, ToolError } from "../bootstrap/command";
import { cacheRoot } from "../bootstrap/engine/cache";
import { findOnPath } from "../bootstrap/engine/executable";
import { announce } from "../bootstrap/progress";

export interface GoTool {
  /** The name of the executable. */
  name: string;
  /** The folder of its go.mod and go.sum, and of its source where it is ours. */
  folder: string;
  package: string;
  /** Adds what belongs beside the executable. */
  complete?(folder: string, go: (...args: string[]) => Promise<string>): Promise<void>;
}

/** The folder that holds the executable, built first if need be. */
export async function getGoTool(tool: GoTool, env = process.env): Promise<string> {
  const { name } = tool;
  const cache = join(dirname(cacheRoot(env)), "tools");
  const finished = join(cache, `${name}-${process.platform}-${process.arch}-${keyOf(tool)}`);
  if (existsSync(finished)) return finished;
  const [go] = findOnPath("go", env);
  if (!go) throw new ToolError(`${name} is built with Go, and there is no go on PATH. Install Go and try again.`);
  const unfinished = `${finished}.${process.pid}-${randomBytes(4).toString("hex")}`;
  mkdirSync(unfinished, { recursive: true });
  announce("Go")(`building ${name}, once per machine`);
  try {
    await build(tool, go, unfinished, env);
    renameSync(unfinished, finished);
  } catch (error) {
    // Somebody else may have been faster.
    if (!existsSync(finished)) throw error;
  } finally {
    rmSync(unfinished, { recursive: true, force: true });
  }
  return finished;
}

/** Of everything that it is built from. */
function keyOf({ folder, package: path }: GoTool): string {
  const hash = createHash("sha256").update(path);
  const sources = readdirSync(folder).filter((file) => /^go\.(mod|sum)$|\.go$/.test(file));
  for (const file of sources.sort()) hash.update(readFileSync(join(folder, file)));
  return hash.digest("hex").slice(0, 12);
}

async function build(tool: GoTool, go: string, target: string, env: NodeJS.ProcessEnv): Promise<void> {
  const call = async (...args: string[]) => {
    const { code, stdout, stderr } = await run(go, args, {
      cwd: tool.folder,
      // A go.work or GOFLAGS of the user's must not change what is built.
      env: { ...env, GOWORK: "off", GOFLAGS: "" },
      output: "capture",
    });
    if (code !== 0) throw new ToolError(`Building ${tool.name} failed:\n${stderr.trim()}`);
    return stdout.trim();
  };
  const flags = ["-mod=readonly", "-buildvcs=false", "-ldflags", "-s -w"];
  await call("build", ...flags, "-o", join(target, tool.name), tool.package);
  await tool.complete?.(target, call);
}

/** The checker of GitHub workflows, built from its pinned Go module and kept beside the engine. */
import { createHash, randomBytes } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, renameSync } from "node:fs";
import { dirname, join } from "node:path";
import { run, ToolError } from "../bootstrap/command";
import { cacheRoot } from "../bootstrap/engine/cache";
import { findOnPath } from "../bootstrap/engine/executable";

const PACKAGE = "github.com/rhysd/actionlint/cmd/actionlint";

/** `node tools/bootstrap/run.js tools/actionlint/actionlint.ts [FILE…]`: checks these workflows, or those of the checkout. */
export async function main(args: string[]): Promise<number> {
  return (await run(await getActionlint(), args)).code;
}

/** The path of the executable, built first if need be. */
export async function getActionlint(env = process.env): Promise<string> {
  const pins = ["go.mod", "go.sum"].map((file) => readFileSync(join(__dirname, file)));
  const key = createHash("sha256").update(Buffer.concat(pins)).digest("hex").slice(0, 12);
  const folder = join(dirname(cacheRoot(env)), "actionlint");
  const finished = join(folder, `actionlint-${process.platform}-${process.arch}-${key}`);
  if (existsSync(finished)) return finished;
  const [go] = findOnPath("go", env);
  if (!go) throw new ToolError("actionlint is built with Go, and there is no go on PATH. Install Go and try again.");
  mkdirSync(folder, { recursive: true });
  const unfinished = `${finished}.${process.pid}-${randomBytes(4).toString("hex")}`;
  const args = ["build", "-mod=readonly", "-buildvcs=false", "-ldflags", "-s -w", "-o", unfinished, PACKAGE];
  const { code, stderr } = await run(go, args, {
    cwd: __dirname,
    // A go.work or GOFLAGS of the user's must not change what is built.
    env: { ...env, GOWORK: "off", GOFLAGS: "" },
    output: "capture",
  });
  if (code !== 0) throw new ToolError(`Building actionlint failed:\n${stderr.trim()}`);
  renameSync(unfinished, finished);
  return finished;
}

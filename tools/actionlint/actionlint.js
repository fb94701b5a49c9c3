/** The checker of GitHub workflows, built from its pinned Go module and kept beside the engine. */
const { createHash, randomBytes } = require("node:crypto");
const fs = require("node:fs");
const path = require("node:path");
const { ToolError, run } = require("../bootstrap/command");
const { cacheRoot } = require("../bootstrap/engine/cache");
const { findOnPath } = require("../bootstrap/engine/executable");

const PACKAGE = "github.com/rhysd/actionlint/cmd/actionlint";

/** @returns {Promise<string>} the executable, built first if need be */
async function getActionlint(env = process.env) {
  const pins = ["go.mod", "go.sum"].map((file) => fs.readFileSync(path.join(__dirname, file)));
  const key = createHash("sha256").update(Buffer.concat(pins)).digest("hex").slice(0, 12);
  const folder = path.join(path.dirname(cacheRoot(env)), "actionlint");
  const finished = path.join(folder, `actionlint-${process.platform}-${process.arch}-${key}`);
  if (fs.existsSync(finished)) return finished;
  const [go] = findOnPath("go", env);
  if (!go) throw new ToolError("There is no Go to build actionlint with.");
  fs.mkdirSync(folder, { recursive: true });
  const unfinished = `${finished}.${process.pid}-${randomBytes(4).toString("hex")}`;
  const args = ["build", "-mod=readonly", "-buildvcs=false", "-ldflags", "-s -w", "-o", unfinished, PACKAGE];
  const { code, stderr } = await run(go, args, {
    cwd: __dirname,
    // A go.work or GOFLAGS of the user's must not change what is built.
    env: { ...env, GOWORK: "off", GOFLAGS: "" },
    output: "capture",
  });
  if (code !== 0) throw new ToolError(`Building actionlint failed:\n${stderr.trim()}`);
  fs.renameSync(unfinished, finished);
  return finished;
}

module.exports = { getActionlint };

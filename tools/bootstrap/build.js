/**
 * `npm run build`: TypeScript to dist/, and only when a source has changed. The compiler writes into a temporary
 * folder that then takes the place of dist/, with the hash of what it was built from inside: a failed or interrupted build
 * changes nothing.
 */
const { createHash } = require("node:crypto");
const fs = require("node:fs");
const path = require("node:path");
const { ToolError, main, run } = require("./command");
const { installDependencies } = require("./dependencies");
const { local, root } = require("./paths");
const { bundlePlugin, bundleProvider } = require("./bundles");
const { announce, formatDuration } = require("./progress");

const SOURCE_FOLDERS = ["provider", "sdk", "emulator", "cli", "plugin"];
const SETTINGS = ["tsconfig.json", "package-lock.json", "package.json", "schema.json", "tools/bootstrap/bundles.js"];
const STAMP = ".built-from";
const dist = path.join(root, "dist");

/** @param {{check?: boolean}} [options] without a check of types it builds whatever can be compiled */
async function build({ check = true } = {}) {
  const sources = listSources();
  const stamp = hashFiles([...SETTINGS, ...sources]);
  if (readStamp() === stamp) return;

  const say = announce("Build");
  say("compiling TypeScript");
  const started = Date.now();
  const unfinished = path.join(local, `build-unfinished-${process.pid}`);
  const replaced = path.join(local, `build-replaced-${process.pid}`);
  try {
    const compiler = path.join(root, "node_modules", "typescript", "bin", "tsc");
    const args = ["-p", "tsconfig.json", "--outDir", unfinished, ...(check ? [] : ["--noCheck"])];
    const { code, stdout } = await run(process.execPath, [compiler, ...args], { cwd: root, output: "capture" });
    if (code !== 0) throw new ToolError(`The build failed:\n${stdout.trim()}`);
    for (const file of sources.filter((source) => !/\.(ts|md)$/.test(source))) {
      fs.mkdirSync(path.dirname(path.join(unfinished, file)), { recursive: true });
      fs.copyFileSync(path.join(root, file), path.join(unfinished, file));
    }
    await bundleProvider(unfinished);
    await bundlePlugin(unfinished);
    fs.writeFileSync(path.join(unfinished, STAMP), stamp);
    if (fs.existsSync(dist)) fs.renameSync(dist, replaced);
    fs.renameSync(unfinished, dist);
  } finally {
    for (const folder of [unfinished, replaced]) fs.rmSync(folder, { recursive: true, force: true });
  }
  say(`done in ${formatDuration(Date.now() - started)}`);
}

/** Also what is not TypeScript: pages and data are copied as they are; notes for who works on the code are not. */
function listSources() {
  return SOURCE_FOLDERS.filter((folder) => fs.existsSync(path.join(root, folder)))
    .flatMap((folder) => fs.readdirSync(path.join(root, folder), { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(root, path.join(entry.parentPath, entry.name)))
    .sort();
}

/** @param {readonly string[]} files */
function hashFiles(files) {
  const hash = createHash("sha256");
  for (const file of files)
    hash
      .update(`${file}\0`)
      .update(fs.readFileSync(path.join(root, file)))
      .update("\0");
  return hash.digest("hex");
}

function readStamp() {
  try {
    return fs.readFileSync(path.join(dist, STAMP), "utf8");
  } catch {
    return undefined;
  }
}

if (require.main === module) {
  main(async () => {
    await installDependencies();
    await build({ check: !process.argv.includes("--no-check") });
  });
}

module.exports = { build };

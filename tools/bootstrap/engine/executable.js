/** Finding executables, and asking `pulumi` for its version. */
const fs = require("node:fs");
const os = require("node:os");
const path = require("node:path");
const { run } = require("../command");

/** @param {string} file */
function isExecutable(file) {
  try {
    fs.accessSync(file, fs.constants.X_OK);
    return fs.statSync(file).isFile();
  } catch {
    return false;
  }
}

/**
 * Every match in the order of PATH, first the one that a shell would run.
 * @param {string} name
 * @param {NodeJS.ProcessEnv} env
 */
function findOnPath(name, env) {
  return (env.PATH ?? "")
    .split(path.delimiter)
    .filter((folder) => path.isAbsolute(folder))
    .map((folder) => path.join(folder, name))
    .filter(isExecutable);
}

/**
 * @param {string} executable
 * @param {NodeJS.ProcessEnv} env
 * @returns {Promise<string | undefined>} like "3.259.0"; undefined when it does not run or does not say
 */
async function askVersion(executable, env) {
  // Even `pulumi version` writes logs into its home, and the user's own is not ours to touch.
  const home = fs.mkdtempSync(path.join(os.tmpdir(), "gpufleet-pulumi-version-"));
  try {
    const { code, stdout } = await run(executable, ["version"], {
      env: { ...env, PULUMI_HOME: home, PULUMI_SKIP_UPDATE_CHECK: "true" },
      output: "capture",
      timeoutMs: 20_000,
    });
    return code === 0 ? /^v?(\d+\.\d+\.\d+)/.exec(stdout.trim())?.[1] : undefined;
  } finally {
    fs.rmSync(home, { recursive: true, force: true });
  }
}

/**
 * @param {string} version
 * @param {string} minimum
 */
function isAtLeast(version, minimum) {
  const [ours = [], least = []] = [version, minimum].map((text) => text.split(".").map(Number));
  for (const [index, part] of least.entries()) {
    const difference = (ours[index] ?? 0) - part;
    if (difference !== 0) return difference > 0;
  }
  return true;
}

module.exports = { askVersion, findOnPath, isAtLeast, isExecutable };

/** The npm packages of package-lock.json, installed when they are missing or differ. */
const fs = require("node:fs");
const path = require("node:path");
const { ToolError, run } = require("./command");
const { root } = require("./paths");
const { announce } = require("./progress");

/** @typedef {{version?: string, integrity?: string, optional?: boolean, link?: boolean}} LockedPackage */

/**
 * @param {string} file
 * @returns {Record<string, LockedPackage> | undefined}
 */
function readPackages(file) {
  try {
    return JSON.parse(fs.readFileSync(file, "utf8")).packages;
  } catch {
    return undefined;
  }
}

/**
 * Compares the lock file with the record that npm keeps of what it has installed, which it writes last: so a half-finished
 * installation is noticed, and one that the user made by hand is not repeated.
 * @param {string} folder
 */
function dependenciesAreInstalled(folder) {
  const locked = readPackages(path.join(folder, "package-lock.json"));
  const installed = readPackages(path.join(folder, "node_modules", ".package-lock.json"));
  if (!locked || !installed) return false;
  for (const [location, wanted] of Object.entries(locked)) {
    if (location === "") continue;
    const present = installed[location];
    // Optional packages are for one platform each.
    if (!present && wanted.optional) continue;
    if (!present || present.version !== wanted.version || present.integrity !== wanted.integrity) return false;
    if (!fs.existsSync(path.join(folder, location))) return false;
  }
  return Object.keys(installed).every((location) => location in locked);
}

async function installDependencies() {
  if (dependenciesAreInstalled(root)) return;
  const say = announce("Dependencies");
  say("installing the npm packages of package-lock.json (about half a minute)");
  // No dependency needs its install script, and none is run: package.json says so to npm 11, the option to npm 10.
  const { code, stdout, stderr } = await run(
    "npm",
    ["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"],
    { cwd: root, output: "capture" },
  );
  if (code !== 0) throw new ToolError(`npm ci failed with exit code ${code}:\n${(stderr || stdout).trim()}`);
  say("installed");
}

module.exports = { dependenciesAreInstalled, installDependencies };

/** An engine that the user has installed: `pulumi` on PATH, with the other two beside it or on PATH. */
const { createHash } = require("node:crypto");
const fs = require("node:fs");
const path = require("node:path");
const { findCached, writeCached } = require("./cache");
const { askVersion, findOnPath, isAtLeast, isExecutable } = require("./executable");
const { findLauncher } = require("./launcher");
const { EXECUTABLES, LAUNCHER, MINIMUM_VERSION } = require("./pins");

/**
 * @param {NodeJS.ProcessEnv} env
 * @param {string} cache
 * @param {import("../progress").Say} say
 * @returns {Promise<string | undefined>} the folder that holds all three
 */
async function findInstalled(env, cache, say) {
  for (const pulumi of findOnPath("pulumi", env)) {
    const reason = await reasonAgainst(pulumi, env);
    if (reason) {
      say(`skipping ${pulumi}: ${reason}`);
      continue;
    }
    const files = EXECUTABLES.map((name) => findPart(name, pulumi, env));
    const missing = EXECUTABLES.filter((_, index) => files[index] === undefined);
    if (missing.length > 0) {
      say(`skipping ${pulumi}: no ${missing.join(" and no ")} beside it or on PATH`);
      continue;
    }
    return inOneFolder(
      files.filter((file) => file !== undefined),
      cache,
    );
  }
  return undefined;
}

/**
 * @param {string} pulumi
 * @param {NodeJS.ProcessEnv} env
 */
async function reasonAgainst(pulumi, env) {
  const version = await askVersion(pulumi, env);
  if (!version) return "`pulumi version` printed no version";
  if (!isAtLeast(version, MINIMUM_VERSION)) return `version ${version} is older than ${MINIMUM_VERSION}`;
  return undefined;
}

/**
 * @param {string} name
 * @param {string} pulumi
 * @param {NodeJS.ProcessEnv} env
 */
function findPart(name, pulumi, env) {
  if (name === "pulumi") return pulumi;
  // `pulumi` on PATH may be a link into the folder of a package manager that holds the rest.
  const beside = [path.dirname(pulumi), path.dirname(fs.realpathSync(pulumi))].map((folder) => path.join(folder, name));
  const found = beside.find(isExecutable) ?? findOnPath(name, env)[0];
  return found ?? (name === LAUNCHER ? findLauncher() : undefined);
}

/**
 * @param {readonly string[]} files
 * @param {string} cache
 */
async function inOneFolder(files, cache) {
  const folders = new Set(files.map((file) => path.dirname(file)));
  const [only, ...others] = folders;
  if (only && others.length === 0 && files.every(isExecutable)) return only;
  const key = `links-${createHash("sha256").update(files.join("\n")).digest("hex").slice(0, 12)}`;
  return (
    findCached(cache, key) ??
    writeCached(cache, key, async (folder) => {
      for (const file of files) {
        const target = path.join(folder, path.basename(file));
        if (isExecutable(file)) fs.symlinkSync(file, target);
        else {
          fs.copyFileSync(file, target);
          fs.chmodSync(target, 0o755);
        }
      }
    })
  );
}

module.exports = { findInstalled };

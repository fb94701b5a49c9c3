/** The folder that keeps engines between runs and checkouts. A folder appears in it whole or not at all. */
const { randomBytes } = require("node:crypto");
const fs = require("node:fs");
const os = require("node:os");
const path = require("node:path");
const { isExecutable } = require("./executable");
const { EXECUTABLES } = require("./pins");

const UNFINISHED = ".unfinished-";
const UNFINISHED_KEPT_MS = 24 * 60 * 60 * 1000;

/** @param {NodeJS.ProcessEnv} env */
function cacheRoot(env) {
  if (env.GPUFLEET_ENGINE_CACHE) return path.resolve(env.GPUFLEET_ENGINE_CACHE);
  const caches = env.XDG_CACHE_HOME || path.join(env.HOME || os.homedir(), ".cache");
  return path.join(caches, "pulumi-gpufleet", "engine");
}

/**
 * @param {string} cache
 * @param {string} key
 * @returns {string | undefined} the folder, if all three executables are in it
 */
function findCached(cache, key) {
  const folder = path.join(cache, key);
  return EXECUTABLES.every((name) => isExecutable(path.join(folder, name))) ? folder : undefined;
}

/**
 * Fills a temporary sibling and renames it when `fill` is through. Of several writers at once each fills its own; the first to
 * finish wins and the others use its folder.
 * @param {string} cache
 * @param {string} key
 * @param {(folder: string) => Promise<void>} fill
 * @returns {Promise<string>}
 */
async function writeCached(cache, key, fill) {
  fs.mkdirSync(cache, { recursive: true });
  removeAbandoned(cache);
  const unfinished = path.join(cache, `${UNFINISHED}${key}-${process.pid}-${randomBytes(4).toString("hex")}`);
  const finished = path.join(cache, key);
  fs.mkdirSync(unfinished);
  try {
    await fill(unfinished);
    const already = findCached(cache, key);
    if (already) return already;
    // What is there under this name lacks an executable: nobody can be using it.
    fs.rmSync(finished, { recursive: true, force: true });
    try {
      fs.renameSync(unfinished, finished);
    } catch (error) {
      const others = findCached(cache, key);
      if (!others) throw error;
      return others;
    }
    return finished;
  } finally {
    fs.rmSync(unfinished, { recursive: true, force: true });
  }
}

/**
 * Builds that were killed leave their folder behind. Age decides: a build takes minutes, and a process id means
 * nothing when the home folder is shared between machines.
 * @param {string} cache
 */
function removeAbandoned(cache) {
  for (const name of fs.readdirSync(cache)) {
    if (!name.startsWith(UNFINISHED)) continue;
    const folder = path.join(cache, name);
    const age = Date.now() - (fs.statSync(folder, { throwIfNoEntry: false })?.mtimeMs ?? Date.now());
    if (age > UNFINISHED_KEPT_MS) fs.rmSync(folder, { recursive: true, force: true });
  }
}

module.exports = { cacheRoot, findCached, writeCached };

/**
 * Gets a Pulumi engine in the cheapest way: the one that is installed, the one in the cache, the official release, a build from
 * source.
 */
const fs = require("node:fs");
const path = require("node:path");
const { ToolError } = require("../command");
const { installDependencies } = require("../dependencies");
const { announce, formatDuration } = require("../progress");
const { buildEngine } = require("./build");
const { cacheRoot, findCached, writeCached } = require("./cache");
const { askVersion, findOnPath } = require("./executable");
const { findInstalled } = require("./installed");
const { canDownloadRelease, installRelease } = require("./installer");
const { INSTALL_COMMAND, VERSION, cacheKey } = require("./pins");

/**
 * @typedef {object} EngineOptions
 * @property {NodeJS.ProcessEnv} [env] where PATH, the cache and the tools come from
 * @property {import("../progress").Say} [say]
 * @property {import("../progress").ProgressStream} [stream] where progress is drawn, if it is a terminal
 * @property {() => Promise<boolean>} [canDownload]
 */

/**
 * @param {EngineOptions} [options]
 * @returns {Promise<string>} the folder that holds the three executables
 */
async function getEngine({
  env = process.env,
  say = announce("Engine"),
  stream = process.stderr,
  canDownload = canDownloadRelease,
} = {}) {
  const cache = cacheRoot(env);
  const key = cacheKey();
  return (
    (await findInstalled(env, cache, say)) ??
    findCached(cache, key) ??
    (await makeEngine({ env, say, stream, canDownload }, cache, key))
  );
}

/**
 * @param {Required<EngineOptions>} options
 * @param {string} cache
 * @param {string} key
 */
async function makeEngine({ env, say, stream, canDownload }, cache, key) {
  const [go] = findOnPath("go", env);
  const downloadable = await canDownload();
  if (!go && !downloadable) {
    throw new ToolError(
      [
        "No Pulumi engine found: none is on PATH, its download host cannot be reached, and there is no Go to build one.",
        "Install Pulumi and try again:",
        `  ${INSTALL_COMMAND}`,
      ].join("\n"),
    );
  }
  // The launcher of dynamic providers comes from one of them.
  await installDependencies();
  const started = Date.now();
  const folder = await writeCached(cache, key, async (unfinished) => {
    const installed = downloadable && (await installRelease(unfinished, env, say));
    if (!installed) {
      if (!go) throw new ToolError(`Install Pulumi yourself and try again:\n  ${INSTALL_COMMAND}`);
      await buildEngine(go, unfinished, env, { say, stream });
    }
    await verify(unfinished, env);
  });
  say(`ready after ${formatDuration(Date.now() - started)}, cached in ${folder}`);
  return folder;
}

/**
 * @param {string} folder
 * @param {NodeJS.ProcessEnv} env
 */
async function verify(folder, env) {
  const pulumi = path.join(folder, "pulumi");
  const version = fs.existsSync(pulumi) ? await askVersion(pulumi, env) : undefined;
  if (version !== VERSION) {
    throw new ToolError(
      `The new Pulumi reports ${version ? `version ${version}` : "no version"} instead of ${VERSION}. Install Pulumi yourself and try again:\n  ${INSTALL_COMMAND}`,
    );
  }
}

module.exports = { getEngine };

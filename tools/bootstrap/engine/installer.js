/** The official way: the npm package `pulumi` downloads the release of its own version on first use. */
const fs = require("node:fs");
const path = require("node:path");
const { run } = require("../command");
const { withProgress } = require("../progress");
const { copyLauncher } = require("./launcher");
const { LAUNCHER, GO_MODULES, VERSION } = require("./pins");

const DOWNLOADS = "https://get.pulumi.com/install.sh";
const REACHABLE_WITHIN_MS = 2_000;
const INSTALLED_WITHIN_MS = 5 * 60_000;

/**
 * Whether the download host answers at all: where only package registries are reachable, the attempt would fail late or
 * hang.
 * @returns {Promise<boolean>}
 */
async function canDownloadRelease() {
  try {
    const answer = await fetch(DOWNLOADS, { method: "HEAD", signal: AbortSignal.timeout(REACHABLE_WITHIN_MS) });
    return answer.ok;
  } catch {
    return false;
  }
}

/**
 * @param {string} folder
 * @param {NodeJS.ProcessEnv} env
 * @param {import("../progress").Say} say
 * @returns {Promise<boolean>} whether the folder now holds the three executables
 */
async function installRelease(folder, env, say) {
  say(`downloading Pulumi ${VERSION} with its official installer`);
  const home = path.join(folder, "home");
  const { code, stderr } = await withProgress(
    say,
    () => "downloading",
    () =>
      run("npm", ["exec", "--yes", `--package=pulumi@${VERSION}`, "--", "pulumi", "version"], {
        // The installer keeps releases in PULUMI_HOME; the user's own is not ours to fill.
        env: { ...env, PULUMI_HOME: home, PULUMI_VERSION: VERSION, PULUMI_SKIP_UPDATE_CHECK: "true" },
        output: "capture",
        timeoutMs: INSTALLED_WITHIN_MS,
      }),
  );
  const release = path.join(home, "versions", VERSION, "bin");
  const parts = GO_MODULES.map((module) => module.executable);
  const complete = parts.every((name) => fs.existsSync(path.join(release, name)));
  if (code === 0 && complete) {
    for (const name of parts) fs.renameSync(path.join(release, name), path.join(folder, name));
    if (fs.existsSync(path.join(release, LAUNCHER)))
      fs.renameSync(path.join(release, LAUNCHER), path.join(folder, LAUNCHER));
    else copyLauncher(folder);
  } else {
    say(`the official installer did not succeed: ${stderr.trim().split("\n").at(-1) || `exit code ${code}`}`);
  }
  fs.rmSync(home, { recursive: true, force: true });
  return code === 0 && complete;
}

module.exports = { canDownloadRelease, installRelease };

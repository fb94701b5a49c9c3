/** Starting `gpufleet emulator` and learning where it listens. */
const { spawn } = require("node:child_process");
const fs = require("node:fs");
const path = require("node:path");
const { setTimeout: sleep } = require("node:timers/promises");
const { root } = require("./paths");

const STARTED_WITHIN_MS = 15_000;
const POLL_MS = 50;

/**
 * @param {readonly string[]} args
 * @param {string} logFile what it says goes here, and is read from here
 * @param {{detached: boolean}} options in a session of its own, Ctrl-C and a closed terminal leave it running
 * @returns {Promise<{pid: number, url: string} | undefined>} undefined when it ends at once, as on a port that is taken
 */
async function spawnEmulator(args, logFile, { detached }) {
  const log = fs.openSync(logFile, "w");
  const command = [path.join("bin", "gpufleet"), "emulator", ...args];
  const child = spawn(process.execPath, command, { cwd: root, detached, stdio: ["ignore", log, log] });
  fs.closeSync(log);
  child.unref();
  const deadline = Date.now() + STARTED_WITHIN_MS;
  while (child.exitCode === null && Date.now() < deadline) {
    const url = /listening on (http:\/\/\S+)/.exec(fs.readFileSync(logFile, "utf8"))?.[1];
    if (url && child.pid) return { pid: child.pid, url };
    await sleep(POLL_MS);
  }
  child.kill("SIGKILL");
  return undefined;
}

module.exports = { spawnEmulator };

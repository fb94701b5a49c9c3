/** The emulator in the background: one per checkout, its data kept between runs, on a fixed port unless that is taken. */
const fs = require("node:fs");
const path = require("node:path");
const { setTimeout: sleep } = require("node:timers/promises");
const { ToolError } = require("./command");
const { spawnEmulator } = require("./emulatorProcess");
const { local, root } = require("./paths");
const { announce } = require("./progress");

/** Below the ports that systems hand out by themselves, and of no well-known service. */
const DEFAULT_PORT = 4780;
const API_KEY = "emulator-key";
const recordFile = path.join(local, "emulator.json");
const logFile = path.join(local, "emulator.log");
const dataFolder = path.join(local, "emulator");
const STOPPED_WITHIN_MS = 5_000;
const POLL_MS = 50;

/**
 * @typedef {object} EmulatorRecord
 * @property {number} pid
 * @property {number} port
 * @property {string[]} [earlier] addresses at which it was before
 * @property {string} url
 * @property {string} build the build that it runs: another one is started anew
 * @property {string | undefined} startedAt as the process says it
 */

/** @returns {EmulatorRecord | undefined} the emulator that was last started here, whether or not it still runs */
function readRecord() {
  try {
    return JSON.parse(fs.readFileSync(recordFile, "utf8"));
  } catch {
    return undefined;
  }
}

/**
 * @typedef {{kind: string, id: number | string, label?: string, status: string, billing: boolean}} EmulatedObject
 */

/**
 * @param {string} url
 * @returns {Promise<EmulatedObject[] | undefined>} every object ever made; undefined where no emulator answers
 */
async function askState(url) {
  try {
    const answer = await fetch(`${url}/_emulator/state`, { signal: AbortSignal.timeout(2_000) });
    const objects = await answer.json();
    return Array.isArray(objects) ? objects : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Another checkout's emulator may be at the same address by now: only the process that was started here counts.
 * @param {EmulatorRecord | undefined} record
 */
async function isRunningHere(record) {
  if (!record) return false;
  const answer = await askProcess(record.url);
  return answer !== undefined && answer.pid === record.pid && answer.startedAt === record.startedAt;
}

/**
 * @param {string} url
 * @returns {Promise<{pid: number, startedAt: string} | undefined>}
 */
async function askProcess(url) {
  try {
    const answer = await fetch(`${url}/_emulator/process`, { signal: AbortSignal.timeout(2_000) });
    /** @type {unknown} */
    const body = await answer.json();
    if (typeof body !== "object" || body === null || !("pid" in body) || !("startedAt" in body)) return undefined;
    return { pid: Number(body.pid), startedAt: String(body.startedAt) };
  } catch {
    return undefined;
  }
}

/** @returns {number | undefined} the port that somebody asks for */
function chosenPort({ GPUFLEET_EMULATOR_PORT: text } = process.env) {
  if (!text) return undefined;
  const port = Number(text);
  if (Number.isInteger(port) && port >= 1 && port <= 65_535) return port;
  throw new ToolError(`GPUFLEET_EMULATOR_PORT must be a port, 1 to 65535, not "${text}".`);
}

/** @returns {Promise<{GPUFLEET_BASE_URL: string, GPUFLEET_API_KEY: string, GPUFLEET_MOVED_FROM?: string}>} how the provider reaches it */
async function startEmulator() {
  const build = fs.readFileSync(path.join(root, "dist", ".built-from"), "utf8");
  const last = readRecord();
  // Where it was, because states keep the address of their machines.
  const wanted = chosenPort() ?? last?.port ?? DEFAULT_PORT;
  if (last && (await isRunningHere(last))) {
    if (last.build === build && last.port === wanted) return reaching(last);
    await stopEmulator();
  }
  const launched = (await launch(wanted, build)) ?? (await launch(0, build));
  if (!launched) throw new ToolError(`The emulator did not start:\n${fs.readFileSync(logFile, "utf8").trim()}`);
  if (launched.port !== wanted) {
    announce("Emulator")(
      `port ${wanted} is taken: it gets port ${launched.port} (GPUFLEET_EMULATOR_PORT chooses another)`,
    );
  }
  const earlier = [...(last?.earlier ?? []), ...(last ? [last.url] : [])].filter((url) => url !== launched.url);
  const record = { ...launched, earlier };
  fs.writeFileSync(recordFile, JSON.stringify(record));
  return reaching(record);
}

/**
 * Where its port was taken, the same machines are at another address now: that is said, or the provider would refuse.
 * @param {EmulatorRecord} record
 */
function reaching({ url, earlier = [] }) {
  const movedFrom = [...new Set(earlier)].join(",");
  return { GPUFLEET_BASE_URL: url, GPUFLEET_API_KEY: API_KEY, ...(movedFrom && { GPUFLEET_MOVED_FROM: movedFrom }) };
}

/**
 * @param {number} port
 * @param {string} build
 * @returns {Promise<EmulatorRecord | undefined>} undefined when it ends at once
 */
async function launch(port, build) {
  fs.mkdirSync(dataFolder, { recursive: true });
  const args = ["--port", String(port), "--data", dataFolder];
  const started = await spawnEmulator(args, logFile, { detached: true });
  if (!started) return undefined;
  const { startedAt } = (await askProcess(started.url)) ?? {};
  return { ...started, startedAt, port: Number(new URL(started.url).port), build };
}

/** Its record stays, so that it comes back on the same port. */
async function stopEmulator() {
  const record = readRecord();
  // Without its answer the process id may by now be somebody else's.
  if (!record || !(await isRunningHere(record))) return;
  const deadline = Date.now() + STOPPED_WITHIN_MS;
  process.kill(record.pid, "SIGTERM");
  while (isRunning(record.pid)) {
    if (Date.now() > deadline) process.kill(record.pid, "SIGKILL");
    await sleep(POLL_MS);
  }
}

/** @param {number} pid */
function isRunning(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

module.exports = { askState, readRecord, startEmulator, stopEmulator };

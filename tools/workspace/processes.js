/** Processes of this machine as /proc shows them. On other systems than Linux there are none to be found. */
const fs = require("node:fs");

/**
 * The ids of those that have this in their environment. It is inherited, and so tells whose a process is that runs in a group
 * of its own, as providers do.
 * @param {string} variable like `NAME=value`
 */
function processesWith(variable) {
  const ids = process.platform === "linux" ? fs.readdirSync("/proc").map(Number).filter(Number.isInteger) : [];
  return ids.filter((id) => read(id, "environ").split("\0").includes(variable));
}

/**
 * Whether handlers run in it.
 * @param {number} id
 */
function isProvider(id) {
  return read(id, "cmdline").includes("dynamic-provider");
}

/**
 * The most memory that it has taken so far, in MB.
 * @param {number} id
 */
function peakMemory(id) {
  return Number(/VmHWM:\s+(\d+)/.exec(read(id, "status"))?.[1] ?? 0) / 1024;
}

/**
 * Nothing where it has ended.
 * @param {number} id
 * @param {"environ" | "cmdline" | "status"} what
 */
function read(id, what) {
  try {
    return fs.readFileSync(`/proc/${id}/${what}`, "utf8");
  } catch {
    return "";
  }
}

module.exports = { isProvider, peakMemory, processesWith };

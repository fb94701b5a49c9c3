/** The most memory that the provider process of a project takes while it is watched (Linux only: from /proc). */
const fs = require("node:fs");

const EVERY_MS = 100;

/** @param {string} folder the project whose provider process is watched */
function watchMemory(folder) {
  let peak = 0;
  let pid = 0;
  const timer = setInterval(() => {
    pid = isProviderOf(pid, folder) ? pid : find(folder);
    if (pid) peak = Math.max(peak, highWaterMark(pid));
  }, EVERY_MS);
  return {
    stop() {
      clearInterval(timer);
      return peak / 1024;
    },
  };
}

/** @param {string} folder */
function find(folder) {
  if (!fs.existsSync("/proc/self/status")) return 0;
  const pids = fs.readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  return Number(pids.find((candidate) => isProviderOf(Number(candidate), folder)) ?? 0);
}

/** @param {number} pid @param {string} folder */
function isProviderOf(pid, folder) {
  if (!pid) return false;
  try {
    return (
      fs.readFileSync(`/proc/${pid}/cmdline`, "utf8").includes("dynamic-provider") &&
      fs.readFileSync(`/proc/${pid}/environ`, "utf8").includes(folder)
    );
  } catch {
    return false;
  }
}

/** @param {number} pid kB */
function highWaterMark(pid) {
  try {
    return Number(/VmHWM:\s+(\d+)/.exec(fs.readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0);
  } catch {
    return 0;
  }
}

module.exports = { watchMemory };

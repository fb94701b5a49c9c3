/** The most memory that the provider process of a project takes while it is watched (Linux only: from /proc). */
import { existsSync, readdirSync, readFileSync } from "node:fs";

const everyMs = 100;

/** `folder` is the project whose provider process is watched; the answer is in MB. */
export function watchMemory(folder: string): { stop(): number } {
  let peak = 0;
  let pid = 0;
  const timer = setInterval(() => {
    pid = isProviderOf(pid, folder) ? pid : find(folder);
    if (pid) peak = Math.max(peak, highWaterMark(pid));
  }, everyMs);
  return {
    stop() {
      clearInterval(timer);
      return peak / 1024;
    },
  };
}

function find(folder: string): number {
  if (!existsSync("/proc/self/status")) return 0;
  const pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  return Number(pids.find((candidate) => isProviderOf(Number(candidate), folder)) ?? 0);
}

function isProviderOf(pid: number, folder: string): boolean {
  if (!pid) return false;
  try {
    return (
      readFileSync(`/proc/${pid}/cmdline`, "utf8").includes("dynamic-provider") &&
      readFileSync(`/proc/${pid}/environ`, "utf8").includes(folder)
    );
  } catch {
    return false;
  }
}

/** In kB. */
function highWaterMark(pid: number): number {
  try {
    return Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0);
  } catch {
    return 0;
  }
}

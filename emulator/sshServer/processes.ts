import { readdirSync, readFileSync } from "node:fs";

/** Set in every session; what is started there inherits it. */
const variable = "GPUFLEET_EMULATED_MACHINE";

/**
 * Ends whatever runs on the machines below this folder. A command without a terminal outlives its connection, and a machine
 * that has ended must not go on computing. Found by their environment, which only Linux shows; elsewhere they end by themselves.
 */
export function endProcessesOf(folder: string): void {
  for (const pid of processIds()) {
    if (pid === process.pid || !environmentOf(pid).some((entry) => isBelow(entry, folder))) continue;
    try {
      process.kill(pid, "SIGKILL");
    } catch {
      // It has ended meanwhile.
    }
  }
}

function isBelow(entry: string, folder: string): boolean {
  return entry === `${variable}=${folder}` || entry.startsWith(`${variable}=${folder}/`);
}

function processIds(): number[] {
  try {
    return readdirSync("/proc").map(Number).filter(Number.isInteger);
  } catch {
    return [];
  }
}

function environmentOf(pid: number): string[] {
  try {
    return readFileSync(`/proc/${pid}/environ`, "latin1").split("\0");
  } catch {
    return [];
  }
}

/** Processes of this machine as /proc shows them. On other systems than Linux none are found. */
import { readdirSync, readFileSync } from "node:fs";

/**
 * The ids of those that have this in their environment, like `NAME=value`. It is inherited, and so tells whose a process is
 * that runs in a group of its own, as providers do.
 */
export function processesWith(variable: string): number[] {
  const ids = process.platform === "linux" ? readdirSync("/proc").map(Number).filter(Number.isInteger) : [];
  return ids.filter((id) => read(id, "environ").split("\0").includes(variable));
}

/** Whether handlers run in it. */
export function isProvider(id: number): boolean {
  return /dynamic-provider|pulumi-resource-gpufleet/.test(read(id, "cmdline"));
}

/** The most memory that it has taken so far, in MB. */
export function peakMemory(id: number): number {
  return Number(/VmHWM:\s+(\d+)/.exec(read(id, "status"))?.[1] ?? 0) / 1024;
}

/** Empty where it has ended. */
function read(id: number, what: "environ" | "cmdline" | "status"): string {
  try {
    return readFileSync(`/proc/${id}/${what}`, "utf8");
  } catch {
    return "";
  }
}

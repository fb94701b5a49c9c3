import * as pulumi from "@pulumi/pulumi";
import { MockMonitor } from "@pulumi/pulumi/runtime/mocks";

/** Whether a unit test has set mocks (`pulumi.runtime.setMocks`), so that there is neither an engine nor a service. */
export function isMocked(): boolean {
  return pulumi.runtime.getMonitor() instanceof MockMonitor;
}

/** Whether the engine only asks what would be done. */
export function isPreview(): boolean {
  return pulumi.runtime.isDryRun() && !isMocked();
}

/** The organization of the stack. Mocks have none unless they are given one. */
export function organization(): string {
  try {
    return pulumi.getOrganization();
  } catch (error) {
    if (isMocked()) return "organization";
    throw error;
  }
}

/**
 * An id as a number. The ids of mocks are often words, such as "train-id"; such a word always gives the same number, so that
 * tests can compare them.
 */
export function numberOf(id: string): number {
  const number = Number(id);
  return Number.isNaN(number) && isMocked() ? numberOfWord(id) : number;
}

/** FNV-1a, 32 bits, and never 0. */
function numberOfWord(word: string): number {
  let hash = 0x811c9dc5;
  for (const byte of Buffer.from(word)) hash = Math.imul(hash ^ byte, 0x01000193);
  return hash >>> 0 || 1;
}

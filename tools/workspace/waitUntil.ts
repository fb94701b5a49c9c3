import { setTimeout as sleep } from "node:timers/promises";

const POLL_MS = 20;

/** For what another process does in its own time: fails with what was awaited when that does not come. */
export async function waitUntil(what: string, holds: () => boolean | Promise<boolean>, seconds = 60): Promise<void> {
  const deadline = Date.now() + seconds * 1000;
  while (!(await holds())) {
    if (Date.now() > deadline) throw new Error(`waited ${seconds} s for this in vain: ${what}`);
    await sleep(POLL_MS);
  }
}

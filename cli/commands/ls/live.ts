import type { Clock } from "../../../provider/client";
import { retryBackoff, withoutJitter } from "../../../provider/shared/backoff";
import { showDuration } from "../../../provider/shared/duration";
import { messageOf } from "../../../provider/shared/messageOf";
import type { Paint } from "../../terminal";
import type { Inventory } from "./inventory";
import { showInventory } from "./show";

/** What is shown at a time: the last list that could be had, and why there is no newer one. */
export interface Frame {
  inventory: Inventory;
  /** When it was looked, by the clock of this machine. */
  at: Date;
  failure?: { reason: string; at: Date; nextMs: number } | undefined;
}

interface Live {
  look: () => Promise<Inventory>;
  show: (frame: Frame) => void;
  everyMs: number;
  clock: Clock;
  until: AbortSignal;
}

/** The longest pause after looks that failed: each one doubles it. */
const longestPauseMs = 300_000;

function pauseAfter(failures: number, everyMs: number): number {
  return Math.max(everyMs, retryBackoff(failures + 1, everyMs, longestPauseMs, withoutJitter));
}

/** Looks again and again until the signal, also in the middle of a look. The first look must work. */
export async function keepUpToDate({ look, show, everyMs, clock, until }: Live): Promise<void> {
  const stopped = new Promise<undefined>((resolve) => {
    until.addEventListener("abort", () => resolve(undefined), { once: true });
  });
  let frame: Frame | undefined;
  let failures = 0;
  while (!until.aborted) {
    const looked = look().then(
      (inventory) => ({ kind: "seen" as const, inventory }),
      (error: unknown) => ({ kind: "failed" as const, error }),
    );
    const found = await Promise.race([looked, stopped]);
    if (!found) return;
    const at = new Date(clock.now());
    if (found.kind === "seen") {
      failures = 0;
      frame = { inventory: found.inventory, at };
    } else if (frame) {
      failures++;
      frame = { ...frame, failure: { reason: messageOf(found.error), at, nextMs: pauseAfter(failures, everyMs) } };
    } else throw found.error;
    show(frame);
    await clock.sleep(pauseAfter(failures, everyMs), until).catch(() => undefined);
  }
}

export function showFrame({ inventory, at, failure }: Frame, everyMs: number, paint: Paint): string {
  const heading = failure
    ? paint(
        "red",
        `${timeOf(failure.at)}  Could not update: ${failure.reason.replace(/\.$/, "")}. Next try in ${showDuration(failure.nextMs)}. Below is what ran at ${timeOf(at)}:`,
      )
    : paint("dim", `${timeOf(at)}  every ${showDuration(everyMs)}, ^C stops`);
  return [heading, showInventory(inventory, paint)].join("\n");
}

function timeOf(date: Date): string {
  return date.toLocaleTimeString("en-GB");
}

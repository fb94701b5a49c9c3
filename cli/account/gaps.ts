import type { Snapshot } from "../../provider/lifecycle";

/** A part of the account that could not be read: the rest is shown without it. */
export interface Gap {
  /** "marketplace instances", "bare-metal rental 1042", "balance" */
  what: string;
  reason: string;
}

/** Items of a list that could not be read. */
export function gapsIn({ unreadable }: Snapshot<unknown>, noun: string): Gap[] {
  return unreadable.map(({ id, reason }) => ({ what: id === undefined ? `a ${noun}` : `${noun} ${id}`, reason }));
}

/** What the gaps mean for what is shown. */
export function gapNotes(gaps: readonly Gap[]): string[] {
  return gaps.map(({ what, reason }) => `Not included, because it could not be read: ${what}: ${reason}`);
}

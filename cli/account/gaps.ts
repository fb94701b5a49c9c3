import type { Snapshot } from "../../provider/lifecycle";
import { namesOfUnreadable } from "../../provider/shared/namesOfUnreadable";
import { nounOf, pluralOf } from "../stack";

/** A part of the account that could not be read: the rest is shown without it. */
export interface Gap {
  /** "marketplace instances", "bare-metal rental 1042", "balance" */
  what: string;
  reason: string;
}

/** Items of a list that could not be read. */
export function gapsIn({ unreadable }: Snapshot<unknown>, noun: string): Gap[] {
  return unreadable.map((item) => {
    const [name] = namesOfUnreadable(item);
    return { what: name === undefined ? `a ${noun}` : `${noun} ${name}`, reason: item.reason };
  });
}

/** What the gaps mean for what is shown, which may have what the state last knew instead. */
export function gapNotes(gaps: readonly Gap[], lastKnown: readonly { type: string; id: string }[] = []): string[] {
  const lists = new Set(lastKnown.map(({ type }) => pluralOf(type)));
  const records = new Set(lastKnown.map(({ type, id }) => `${nounOf(type)} ${id}`));
  const whether = (what: string) => {
    if (records.has(what)) return "Included as the state last knew it";
    return lists.has(what) ? "Not included, except as the state last knew them" : "Not included";
  };
  return gaps.map(({ what, reason }) => `${whether(what)}, because it could not be read: ${what}: ${reason}`);
}

/** "nothing", as far as could be read. */
export function nothingWith({ gaps, notListed }: { gaps: readonly Gap[]; notListed: readonly string[] }): string {
  const isPartial = gaps.some(({ what }) => what !== balanceGap) || notListed.length > 0;
  return isPartial ? "nothing that could be read" : "nothing";
}

/** What a gap calls the balance, which hides nothing that runs. */
export const balanceGap = "balance";

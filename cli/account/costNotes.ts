import { notListedNotes } from "../money";
import { leftOutNotes } from "../stack";
import { gapNotes } from "./gaps";
import { type CostSummary, lastKnownIn, missingNotes } from "./summarizeCost";

/** What the sums may lack, in words. */
export function costNotes(summary: CostSummary): string[] {
  const { notListed, unreadable, missing, leftOut = [] } = summary;
  return [
    ...notListedNotes(notListed),
    ...gapNotes(unreadable, lastKnownIn(summary)),
    ...missingNotes(missing),
    ...leftOutNotes(leftOut),
  ];
}

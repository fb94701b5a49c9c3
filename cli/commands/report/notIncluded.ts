import { type CostSummary, gapNotes, lastKnownIn, missingNotes } from "../../account";
import { notListedNotes } from "../../money";
import { leftOutNotes } from "../../stack";
import { type Html, html } from "./html";

/** What may run and is in no figure. */
export function notIncluded(cost: CostSummary): Html {
  const notes = notesOn(cost);
  if (notes.length === 0) return html``;
  return html`<div class="card alert wait" role="note"><ul>${notes.map((note) => html`<li>${note}</li>`)}</ul></div>`;
}

/** "Nothing", as far as that is known. */
export function nothingIn(cost: CostSummary): string {
  return notesOn(cost).length === 0 ? "Nothing" : "Nothing that could be read";
}

function notesOn(cost: CostSummary): string[] {
  const { notListed, unreadable, missing, leftOut = [] } = cost;
  return [
    ...notListedNotes(notListed),
    ...gapNotes(unreadable, lastKnownIn(cost)),
    ...missingNotes(missing),
    ...leftOutNotes(leftOut),
  ];
}

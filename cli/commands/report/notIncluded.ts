import { type CostSummary, costNotes } from "../../account";
import { type Html, html } from "./html";

/** What may run and is in no figure. */
export function notIncluded(cost: CostSummary): Html {
  const notes = costNotes(cost);
  if (notes.length === 0) return html``;
  return html`<div class="card alert wait" role="note"><ul>${notes.map((note) => html`<li>${note}</li>`)}</ul></div>`;
}

/** "Nothing", as far as that is known. */
export function nothingIn(cost: CostSummary): string {
  return costNotes(cost).length === 0 ? "Nothing" : "Nothing that could be read";
}

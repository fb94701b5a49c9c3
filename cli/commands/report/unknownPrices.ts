import { count } from "../../../provider/shared/count";
import type { CostRow, CostSummary } from "../../account";
import { commandLine } from "../../place";
import { type Html, html } from "./html";

const mostNames = 8;

/** What no sum includes, before any sum: nobody should take the page's figures for all there is. */
export function unknownPrices({ stack, elsewhere, total }: CostSummary): Html {
  if (total.unknown === 0) return html``;
  const unpriced = [...stack.resources, ...elsewhere.resources].filter(({ costPerHour }) => costPerHour === null);
  const verb = unpriced.length === 1 ? "has" : "have";
  return html`<div class="card alert unpriced" role="note"><h2>${count(unpriced.length, "resource")} ${verb} no known price</h2>
<p>${namesOf(unpriced)}. ${unpriced.length === 1 ? "It is billed, and" : "They are billed, and"} no sum on this page includes ${unpriced.length === 1 ? "it" : "them"}. <code>${commandLine("gpufleet prices --book")}</code> prints a price book to fill in.</p></div>`;
}

function namesOf(rows: readonly CostRow[]): string {
  const names = rows.slice(0, mostNames).map(({ name, size }) => `${name} (${size})`);
  const rest = rows.length - names.length;
  return `${names.join(", ")}${rest > 0 ? ` and ${rest.toLocaleString("en-US")} more` : ""}`;
}

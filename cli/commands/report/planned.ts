import { signedUsd, sizeOf, usdPerHour } from "../../money";
import {
  type BilledChange,
  changedProperties,
  countsOf,
  inPlainText,
  kindOf,
  priceOf,
  type Summary,
  type Warning,
} from "../../preview";
import { type Html, html } from "./html";

/** What a preview would change, the worst first. */
export function plannedSection(summary: Summary | undefined): Html {
  if (!summary) {
    return html`<div class="card"><p class="empty">No preview was given. <code>gpufleet report --preview FILE</code> shows what <code>pulumi preview --json --show-sames</code> would change.</p></div>`;
  }
  const { problems, changes, delta, after } = summary;
  if (problems.length > 0) {
    const items = problems.map(({ resource, message }) => html`<li>${resource ? `${resource}: ` : ""}${message}</li>`);
    return html`<div class="card alert"><h3>The preview failed</h3><ul>${items}</ul></div>`;
  }
  if (changes.length === 0) return html`<div class="card"><p class="empty">Nothing.</p></div>`;
  const unknown = delta.unknown > 0 ? ` and ${delta.unknown} of unknown price` : "";
  return html`${alerts(summary.warnings)}<div class="card"><table class="changes">
<thead><tr><th>What</th><th>Change</th><th class="number">Cost</th></tr></thead>
<tbody>${changes.map(changeRow)}</tbody>
</table></div>
<p class="soft below">${countsOf(changes)}: ${signedUsd(delta.perHour)}/h${unknown}, to ${usdPerHour(after.perHour)} in all.</p>`;
}

const titles: Readonly<Record<Warning["is"], string>> = {
  "data-loss": "This destroys data",
  "replaced-machine": "This replaces running machines",
  "ended-machine": "This ends machines",
  "left-billing": "This leaves behind what goes on billing",
};

function alerts(warnings: readonly Warning[]): Html[] {
  return [...new Set(warnings.map(({ is }) => is))].map((is) => {
    const items = warnings
      .filter((warning) => warning.is === is)
      .map((warning) => html`<li>${warning.say(inPlainText)}</li>`);
    return html`<div class="card alert ${is === "data-loss" ? "" : "wait"}"><h3>${titles[is]}</h3><ul>${items}</ul></div>`;
  });
}

function changeRow(change: BilledChange): Html {
  const { op, name, type, billedBefore, billedAfter } = change;
  const billed = billedBefore[0] ?? billedAfter[0];
  const properties = changedProperties(change).map(({ property, before, after }) =>
    after === undefined ? property : `${property}: ${before} → ${after}`,
  );
  const details = properties.length > 0 ? properties.join(", ") : billed ? sizeOf(billed) : "";
  return html`<tr>
<td><div class="name">${name}</div><div class="soft">${kindOf(change) ?? type}</div></td>
<td><span class="op">${op}</span><div>${details}</div></td>
<td class="number">${priceOf(change) ?? ""}</td>
</tr>`;
}

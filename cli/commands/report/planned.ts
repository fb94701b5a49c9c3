import { count } from "../../../provider/shared/count";
import { sizeOf, sumInWords } from "../../money";
import {
  type BilledChange,
  changedProperties,
  costSentence,
  countsOf,
  inPlainText,
  kindOf,
  priceOf,
  type Summary,
  type Warning,
  warningTitles,
} from "../../preview";
import { folded } from "./fold";
import { type Html, html } from "./html";

/** The changes of a preview, the worst first. */
export function plannedSection(summary: Summary): Html {
  return html`<section><h2>Planned changes</h2>
${plannedChanges(summary)}</section>`;
}

function plannedChanges(summary: Summary): Html {
  const { problems, changes } = summary;
  if (problems.length > 0) {
    const items = problems.map(({ resource, message }) => html`<li>${resource ? `${resource}: ` : ""}${message}</li>`);
    return html`<div class="card alert"><h3>The preview failed</h3><ul>${items}</ul></div>`;
  }
  if (changes.length === 0) return html`<p class="card nothing">No changes.</p>`;
  return html`${alerts(summary.warnings)}<div class="card">${folded(changes, changeTable)}</div>
<p class="soft below">${countsOf(changes)}. ${costSentence(summary, inPlainText)}${totalOf(summary)}.</p>`;
}

function totalOf({ after, notShown }: Summary): string {
  if (after.known === 0) return "";
  const extent =
    notShown > 0 ? `without ${count(notShown, "unchanged resource")} that the preview does not show` : "in total";
  return `, ${sumInWords(after)} ${extent}`;
}

function changeTable(changes: readonly BilledChange[]): Html {
  return html`<table class="changes">
<thead><tr><th>Resource</th><th>Change</th><th class="number">Cost</th></tr></thead>
<tbody>${changes.map(changeRow)}</tbody>
</table>`;
}

function alerts(warnings: readonly Warning[]): Html[] {
  return [...new Set(warnings.map(({ kind }) => kind))].map((kind) => {
    const items = warnings
      .filter((warning) => warning.kind === kind)
      .map((warning) => html`<li>${warning.say(inPlainText)}</li>`);
    return html`<div class="card alert ${kind === "data-loss" ? "" : "wait"}"><h3>${warningTitles[kind]}</h3><ul>${items}</ul></div>`;
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

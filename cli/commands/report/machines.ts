import type { Phase } from "../../../provider/lifecycle";
import { showPerHour, showUsd } from "../../../provider/shared/money";
import type { CostRow } from "../../account";
import { ageCell } from "../../money";
import { phaseIn } from "../../stack";
import { type Html, html } from "./html";

const tones: Readonly<Partial<Record<Phase, "good" | "wait" | "bad">>> = {
  ready: "good",
  pending: "wait",
  ending: "wait",
  failed: "bad",
};

/** Each resource with its status and its cost. */
export function machineRows(rows: readonly CostRow[], nothing: string): Html {
  if (rows.length === 0) return html`<div class="card"><p class="empty">${nothing}</p></div>`;
  return html`<div class="card"><table class="machines">
<thead><tr><th>Resource</th><th>Status</th><th class="number">Age</th><th class="number">Cost</th></tr></thead>
<tbody>${rows.map(machineRow)}</tbody>
</table></div>`;
}

function machineRow(row: CostRow): Html {
  const { name, type, kind, size, region, status, costPerHour, estimated, spent } = row;
  const about = estimated ? "≈ " : "";
  const facts = [kind, size, region].filter((fact) => fact !== null).join(" · ");
  const tone = tones[phaseIn(type, status ?? "")] ?? "soft";
  return html`<tr>
<td><div class="name">${name}</div><div class="soft">${facts}</div></td>
<td><span class="status ${tone}">${status ?? "unknown"}</span></td>
<td class="number soft">${ageCell(row)}</td>
<td class="number">${costPerHour === null ? "price unknown" : about + showPerHour(costPerHour)}<div class="soft">${spent === null ? "" : `${showUsd(spent)} so far`}</div></td>
</tr>`;
}

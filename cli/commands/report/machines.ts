import { showDuration } from "../../../provider/lifecycle";
import type { CostRow } from "../../account";
import { usd, usdPerHour } from "../../money";
import { type Html, html } from "./html";

const tones: Readonly<Record<string, "good" | "wait" | "bad">> = {
  Running: "good",
  running: "good",
  active: "good",
  online: "good",
  node_ready: "good",
  Pending: "wait",
  inactive: "wait",
  creating: "wait",
  starting: "wait",
  Terminating: "wait",
  Failed: "bad",
  failed: "bad",
  error: "bad",
};

/** Each thing with its state and what it has cost. */
export function machineRows(rows: readonly CostRow[], nothing: string): Html {
  if (rows.length === 0) return html`<div class="card"><p class="empty">${nothing}</p></div>`;
  return html`<div class="card"><table class="machines">
<thead><tr><th>What</th><th>Status</th><th class="number">Since</th><th class="number">Cost</th></tr></thead>
<tbody>${rows.map(machineRow)}</tbody>
</table></div>`;
}

function machineRow({ name, kind, size, region, status, ageSeconds, costPerHour, accrued }: CostRow): Html {
  const facts = [kind, size, region].filter((fact) => fact !== null).join(" · ");
  const age = ageSeconds === null ? "–" : showDuration(ageSeconds * 1000);
  return html`<tr>
<td><div class="name">${name}</div><div class="soft">${facts}</div></td>
<td><span class="status ${tones[status ?? ""] ?? "soft"}">${status ?? "unknown"}</span></td>
<td class="number soft">${age}</td>
<td class="number">${costPerHour === null ? "price unknown" : usdPerHour(costPerHour)}<div class="soft">${accrued === null ? "" : `${usd(accrued)} so far`}</div></td>
</tr>`;
}

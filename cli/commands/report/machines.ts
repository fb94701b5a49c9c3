import type { Phase } from "../../../provider/lifecycle";
import { count } from "../../../provider/shared/count";
import { showPerHour, showUsd } from "../../../provider/shared/money";
import type { CostGroup, CostRow } from "../../account";
import { about, ageCell, statusWithRemarks, sumCell } from "../../money";
import { phaseIn } from "../../stack";
import { folded } from "./fold";
import { type Html, html } from "./html";

type Tone = "bad" | "wait" | "soft" | "good";
const tones: Readonly<Partial<Record<Phase, Tone>>> = {
  ready: "good",
  pending: "wait",
  ending: "wait",
  failed: "bad",
};

const urgentFirst: readonly Tone[] = ["bad", "wait", "soft", "good"];

function toneOf({ type, status }: CostRow): Tone {
  return tones[phaseIn(type, status ?? "")] ?? "soft";
}

/** Each resource with its status and its cost, what has failed or is not ready first; nothing where there is none. */
export function machineSection(heading: string, group: CostGroup): Html {
  if (group.resources.length === 0) return html``;
  const urgency = (row: CostRow) => urgentFirst.indexOf(toneOf(row));
  const rows = [...group.resources].sort((one, other) => urgency(one) - urgency(other));
  return html`<section><h2>${heading} <span class="soft">${summaryOf(group)}</span></h2>
<div class="card">${folded(rows, machineTable)}</div></section>`;
}

/** "200 resources · 3 Failed · $3,984.00/h" */
function summaryOf(group: CostGroup): string {
  const { resources } = group;
  const notReady = new Map<string, number>();
  for (const row of resources) {
    const status = row.status ?? "status unknown";
    if (toneOf(row) !== "good") notReady.set(status, (notReady.get(status) ?? 0) + 1);
  }
  const parts = [...notReady].map(([status, amount]) => `${amount.toLocaleString("en-US")} ${status}`);
  return [count(resources.length, "resource"), ...parts, sumCell(group)].join(" · ");
}

function machineTable(rows: readonly CostRow[]): Html {
  return html`<table class="machines">
<thead><tr><th>Resource</th><th>Status</th><th class="number">Age</th><th class="number">Cost</th></tr></thead>
<tbody>${rows.map(machineRow)}</tbody>
</table>`;
}

function machineRow(row: CostRow): Html {
  const { name, kind, size, region, status, costPerHour, spent } = row;
  const facts = [kind, size, region].filter((fact) => fact !== null).join(" · ");
  return html`<tr>
<td><div class="name">${name}</div><div class="soft">${facts}</div></td>
<td><span class="status ${toneOf(row)}">${statusWithRemarks(status, row) ?? "unknown"}</span></td>
<td class="number soft">${ageCell(row)}</td>
<td class="number">${costPerHour === null ? html`<span class="wait">price unknown</span>` : about(row) + showPerHour(costPerHour)}${spent === null ? html`` : html`<div class="soft">${about(row)}${showUsd(spent)} so far</div>`}</td>
</tr>`;
}

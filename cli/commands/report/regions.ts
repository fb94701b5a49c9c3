import { showPerHour } from "../../../provider/shared/money";
import { about, type RegionRow, showGpus } from "../../money";
import { type Html, html } from "./html";

/** GPUs by region and model as bars. */
export function regionBars(regions: readonly RegionRow[]): Html {
  const most = Math.max(...regions.map(({ gpus }) => gpus), 1);
  const bars = regions.map(
    (row) => html`<li>
<div class="row"><span><span class="name">${row.model}</span> <span class="soft">${row.region}</span></span>
<span class="number">${showGpus(row)} <span class="soft">${priceOf(row)}</span></span></div>
<div class="track"><div class="fill" style="width: ${Math.max(1, Math.round((row.gpus / most) * 100))}%"></div></div>
</li>`,
  );
  return html`<section><h2>By region and model</h2>
<div class="card"><ul class="bars">${bars}</ul></div></section>`;
}

function priceOf(row: RegionRow): string {
  const { perHour, known, unknown } = row;
  if (known === 0) return "price unknown";
  return `${about(row)}${showPerHour(perHour)}${unknown > 0 ? ` + ${unknown} unknown` : ""}`;
}

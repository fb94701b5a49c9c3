import { type RegionRow, showGpus, sumCell } from "../../money";
import { type Html, html } from "./html";

/** GPUs by region and model as bars. */
export function regionBars(regions: readonly RegionRow[]): Html {
  const most = Math.max(...regions.map(({ gpus }) => gpus), 1);
  const bars = regions.map(
    (row) => html`<li>
<div class="row"><span><span class="name">${row.model}</span> <span class="soft">${row.region}</span></span>
<span class="number">${showGpus(row)} <span class="soft">${sumCell(row)}</span></span></div>
<div class="track"><div class="fill" style="width: ${Math.max(1, Math.round((row.gpus / most) * 100))}%"></div></div>
</li>`,
  );
  return html`<section><h2>By region and model</h2>
<div class="card"><ul class="bars">${bars}</ul></div></section>`;
}

import { showPerHour } from "../../../provider/lifecycle";
import type { PlaceRow } from "../../money";
import { count } from "../../terminal";
import { type Html, html } from "./html";

/** GPUs by region and model as bars. */
export function placeBars(places: readonly PlaceRow[]): Html {
  if (places.length === 0) return html`<div class="card"><p class="empty">No GPUs.</p></div>`;
  const most = Math.max(...places.map(({ gpus }) => gpus), 1);
  const bars = places.map(
    (place) => html`<li>
<div class="row"><span><span class="name">${place.model}</span> <span class="soft">${place.region}</span></span>
<span class="number">${count(place.gpus, "GPU")} <span class="soft">${priceOf(place)}</span></span></div>
<div class="track"><div class="fill" style="width: ${Math.max(1, Math.round((place.gpus / most) * 100))}%"></div></div>
</li>`,
  );
  return html`<div class="card"><ul class="bars">${bars}</ul></div>`;
}

function priceOf({ perHour, known, unknown }: PlaceRow): string {
  if (known === 0) return "price unknown";
  return `${showPerHour(perHour)}${unknown > 0 ? ` + ${unknown} unknown` : ""}`;
}

import type { CostReport } from "../../account";
import { hoursPerDay, hoursPerMonth, type PlaceRow, usd } from "../../money";
import type { Summary } from "../../preview";
import { Html, html } from "./html";
import { machineRows } from "./machines";
import { placeBars } from "./places";
import { plannedSection } from "./planned";
import { style } from "./style";

export interface ReportPage {
  cost: CostReport;
  places: readonly PlaceRow[];
  /** What the preview would change; undefined where none was given. */
  planned: Summary | undefined;
  now: number;
}

/** The page's own style and nothing else: no script, no font, no picture from anywhere. */
const policy = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'";

/** One self-contained page. */
export function page({ cost, places, planned, now }: ReportPage): string {
  const { stack, elsewhere, notListed } = cost;
  const time = new Date(now).toISOString();
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<title>${stack.name}: GPU fleet</title>
<link rel="icon" href="data:,">
<style>${new Html(style)}</style>
</head>
<body>
<main>
<header>
<h1>${stack.name}</h1>
<p class="soft">GPU fleet on <time datetime="${time}">${time.slice(0, 16).replace("T", " ")} UTC</time></p>
</header>
${figures(cost, places)}
<h2>By region and model</h2>
${placeBars(places)}
<h2>In this stack</h2>
${machineRows(stack.things, "Nothing runs in this stack.")}
<h2>What a preview would change</h2>
${plannedSection(planned)}
<h2>Elsewhere in the account</h2>
${machineRows(elsewhere.things, "Nothing else runs in the account.")}
<footer class="soft">${notListed.map((kind) => html`<p>The service does not list ${kind}: there may be more than these.</p>`)}
<p>What it has cost is reckoned from the present price and the time since it was made. Unknown prices are in no sum.</p></footer>
</main>
</body>
</html>
`.text;
}

function figures({ stack, total, balance, hoursLeft }: CostReport, places: readonly PlaceRow[]) {
  const gpus = places.reduce((sum, place) => sum + place.gpus, 0);
  const unknown =
    stack.unknown > 0 ? `and ${stack.unknown} of unknown price` : `${usd(stack.perHour * hoursPerDay)} a day`;
  const lasts =
    hoursLeft === null
      ? "nothing draws on it"
      : `${total.unknown > 0 ? "at most " : ""}${hoursLeft.toLocaleString("en-US")} h at ${usd(total.perHour)}/h`;
  return html`<dl class="figures">
<div><dt>GPUs</dt><dd>${gpus.toLocaleString("en-US")}<small>${stack.things.length} things that bill</small></dd></div>
<div><dt>Per hour</dt><dd>${usd(stack.perHour)}<small>${unknown}</small></dd></div>
<div><dt>Since they began</dt><dd>${usd(stack.accrued)}<small>${usd(stack.perHour * hoursPerMonth)} a month at this rate</small></dd></div>
<div><dt>Balance</dt><dd>${usd(balance)}<small>${lasts}</small></dd></div>
</dl>`;
}

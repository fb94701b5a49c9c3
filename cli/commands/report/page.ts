import { showUsd } from "../../../provider/shared/money";
import { type AccountBalance, type CostSummary, gapNotes, missingNotes, type StackCost } from "../../account";
import { hoursPerDay, hoursPerMonth, notListedNotes, type RegionRow } from "../../money";
import type { Summary } from "../../preview";
import { leftOutNotes } from "../../stack";
import { count } from "../../terminal";
import { Html, html } from "./html";
import { machineRows } from "./machines";
import { plannedSection } from "./planned";
import { regionBars } from "./regions";
import { style } from "./style";

export interface ReportPage {
  cost: CostSummary;
  regions: readonly RegionRow[];
  /** The changes of a preview; undefined where none was given. */
  planned: Summary | undefined;
  now: number;
}

/** The page's own style and nothing else: no script, no font, no picture from anywhere. */
const policy = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'";

/** One self-contained page. */
export function page({ cost, regions, planned, now }: ReportPage): string {
  const { stack, stacks, elsewhere, notListed, unreadable, missing, leftOut = [] } = cost;
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
${figures(cost, regions)}
<h2>By region and model</h2>
${regionBars(regions)}
${stacks ? stacks.map((one) => stackSection(`In ${one.name}`, one)) : stackSection("In this stack", stack)}
${
  stacks
    ? html``
    : html`<h2>Planned changes</h2>
${plannedSection(planned)}`
}
<h2>Elsewhere in the account</h2>
${machineRows(elsewhere.resources, "Nothing else runs in the account.")}
<footer class="soft">${[...notListedNotes(notListed), ...gapNotes(unreadable), ...missingNotes(missing), ...leftOutNotes(leftOut)].map((note) => html`<p>${note}</p>`)}
<p>Cost so far = current price × age. Sums do not include unknown prices.</p></footer>
</main>
</body>
</html>
`.text;
}

function stackSection(heading: string, { resources }: StackCost): Html {
  return html`<h2>${heading}</h2>
${machineRows(resources, "Nothing runs in this stack.")}`;
}

function figures({ stack, total, balance, hoursLeft, accounts }: CostSummary, regions: readonly RegionRow[]) {
  const gpus = regions.reduce((sum, row) => sum + row.gpus, 0);
  const unknown =
    stack.unknown > 0 ? `and ${stack.unknown} at an unknown price` : `${showUsd(stack.perHour * hoursPerDay)} a day`;
  const lasts =
    hoursLeft === null
      ? balance === null
        ? "could not be read"
        : "nothing is billed"
      : `${total.unknown > 0 ? "at most " : ""}${hoursLeft.toLocaleString("en-US")} h at ${showUsd(total.perHour)}/h`;
  return html`<dl class="figures">
<div><dt>GPUs</dt><dd>${gpus.toLocaleString("en-US")}<small>${count(stack.resources.length, "billable resource")}</small></dd></div>
<div><dt>Per hour</dt><dd>${showUsd(stack.perHour)}<small>${unknown}</small></dd></div>
<div><dt>Spent so far</dt><dd>${showUsd(stack.spent)}<small>${showUsd(stack.perHour * hoursPerMonth)} a month at this rate</small></dd></div>
${accounts ? accounts.map(balanceFigure) : html`<div><dt>Balance</dt><dd>${balance === null ? "unknown" : showUsd(balance)}<small>${lasts}</small></dd></div>`}
</dl>`;
}

/** One of several accounts. */
function balanceFigure({ account, balance, hoursLeft }: AccountBalance) {
  const lasts = hoursLeft === null ? "" : `, ${hoursLeft.toLocaleString("en-US")} h`;
  return html`<div><dt>Balance</dt><dd>${balance === null ? "unknown" : showUsd(balance)}<small>${account ?? "account of the configuration"}${lasts}</small></dd></div>`;
}

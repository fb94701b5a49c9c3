import { showTime } from "../../../provider/shared/timestamp";
import type { CostSummary } from "../../account";
import type { RegionRow } from "../../money";
import type { Summary } from "../../preview";
import { figures } from "./figures";
import { Html, html } from "./html";
import { machineSection } from "./machines";
import { nothingIn, notIncluded } from "./notIncluded";
import { plannedSection } from "./planned";
import { regionBars } from "./regions";
import { style } from "./style";
import { unknownPrices } from "./unknownPrices";

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
  const { stack } = cost;
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
<p class="soft">GPU fleet on <time datetime="${time}">${showTime(now)}</time></p>
</header>
${unknownPrices(cost)}
${figures(cost, regions)}
${notIncluded(cost)}
${planned ? plannedSection(planned) : html``}
${regions.length > 0 ? regionBars(regions) : html``}
${sections(cost)}
${cost.total.known > 0 ? html`<footer class="soft"><p>Cost so far = current price × age.${cost.total.estimated ? " Prices with ≈ are from the price book." : ""}</p></footer>` : html``}
</main>
</body>
</html>
`.text;
}

/** What runs where, without a section that has nothing in it. */
function sections(cost: CostSummary): Html[] {
  const { stack, stacks, elsewhere, accounts } = cost;
  const nothing = nothingIn(cost);
  const parts = stacks
    ? stacks.map((one) => ({ heading: `In ${one.name}`, idle: `${nothing} runs in ${one.name}.`, group: one }))
    : [{ heading: "In this stack", idle: `${nothing} runs in this stack.`, group: stack }];
  const whole = accounts ? "accounts" : "account";
  if (stack.resources.length + elsewhere.resources.length === 0) {
    return [
      html`<p class="card nothing">${nothing} runs in ${stacks ? "these stacks" : "this stack"}, and nothing else in the ${whole}.</p>`,
    ];
  }
  const idle = parts.filter(({ group }) => group.resources.length === 0);
  return [
    ...parts.map(({ heading, group }) => machineSection(heading, group)),
    ...(idle.length > 0 ? [html`<p class="soft below">${idle.map((one) => one.idle).join(" ")}</p>`] : []),
    machineSection(`Elsewhere in the ${whole}`, elsewhere),
  ];
}

import { count } from "../../../provider/shared/count";
import { showUsd } from "../../../provider/shared/money";
import type { AccountBalance, CostGroup, CostSum, CostSummary } from "../../account";
import { accountName } from "../../account";
import { about, atUnknownPrice, hoursPerDay, hoursPerMonth, type RegionRow } from "../../money";
import { type Html, html } from "./html";
import { nothingIn } from "./notIncluded";

/** The figures at the top: what runs, what it costs, and how long the balance lasts. */
export function figures(cost: CostSummary, regions: readonly RegionRow[]): Html {
  const { stack, total, accounts, balance, hoursLeft } = cost;
  const balances = accounts ?? [{ account: null, balance, hoursLeft }];
  return html`<dl class="figures">
${stack.resources.length > 0 ? stackFigures(stack, regions) : html``}${balances.map((one) => balanceFigure(one, { total, nothing: nothingIn(cost), isOneOfSeveral: accounts !== undefined }))}
</dl>`;
}

function stackFigures(stack: CostGroup, regions: readonly RegionRow[]): Html {
  const gpus = regions.reduce((sum, row) => sum + row.gpus, 0);
  const least = regions.some(({ uncounted }) => uncounted) ? "at least " : "";
  const spread = new Set(regions.map(({ region }) => region)).size;
  const resources = count(stack.resources.length, "billable resource");
  return html`${
    gpus > 0
      ? figure(
          gpus === 1 ? "GPU" : "GPUs",
          `${least}${gpus.toLocaleString("en-US")}`,
          `${resources}${spread > 1 ? ` in ${count(spread, "region")}` : ""}`,
        )
      : figure(
          "Billable",
          stack.resources.length.toLocaleString("en-US"),
          stack.resources.length === 1 ? "resource" : "resources",
        )
  }
${moneyFigure("Per hour", stack.perHour, `${about(stack)}${showUsd(stack.perHour * hoursPerDay)} a day`, stack)}
${moneyFigure("Spent so far", stack.spent, besideSpent(stack), stack)}`;
}

function besideSpent(stack: CostGroup): string {
  const ageless = stack.spentUnknown - stack.unknown;
  if (ageless > 0) return `without ${ageless} of unknown age`;
  return `${about(stack)}${showUsd(stack.perHour * hoursPerMonth)} a month at this rate`;
}

/** A sum of prices. Where none is known it is unknown, not zero; where some are not, that is said beside it. */
function moneyFigure(title: string, usd: number | null, aside: string, sum: CostSum): Html {
  const { known, unknown } = sum;
  if (known === 0 && unknown > 0) return figure(title, "unknown", "no price is known", "unknown");
  if (usd === null) return figure(title, "unknown", "no age is known", "unknown");
  const amount = `${about(sum)}${showUsd(usd)}`;
  if (unknown > 0) return figure(title, amount, `plus ${atUnknownPrice(sum)}`, "partly");
  return figure(title, amount, aside);
}

interface Beside {
  total: CostSum;
  /** "Nothing", as far as that is known. */
  nothing: string;
  isOneOfSeveral: boolean;
}

function balanceFigure(
  { account, balance, hoursLeft }: AccountBalance,
  { total, nothing, isOneOfSeveral }: Beside,
): Html {
  const whose = accountName(account);
  if (balance === null)
    return figure("Balance", "unknown", isOneOfSeveral ? `${whose}: could not be read` : "could not be read");
  return figure(
    "Balance",
    showUsd(balance),
    isOneOfSeveral ? [whose, ...lasting(hoursLeft, total)].join(", ") : lastingAll(hoursLeft, total, nothing),
  );
}

function lasting(hoursLeft: number | null, { unknown }: CostSum): string[] {
  if (hoursLeft === null) return [];
  return [`lasts ${unknown > 0 ? "at most " : ""}${hoursLeft.toLocaleString("en-US")} h`];
}

function lastingAll(hoursLeft: number | null, total: CostSum, nothing: string): string {
  const [lasts] = lasting(hoursLeft, total);
  if (lasts !== undefined) return `${lasts} at ${about(total)}${showUsd(total.perHour)}/h`;
  if (total.unknown > 0) return "how long it lasts is unknown";
  return total.known > 0 ? "what runs is free of charge" : `${nothing.toLowerCase()} is billed`;
}

function figure(title: string, value: string, aside: string, tone = ""): Html {
  return html`<div class="${tone}"><dt>${title}</dt><dd>${value}<small>${aside}</small></dd></div>
`;
}

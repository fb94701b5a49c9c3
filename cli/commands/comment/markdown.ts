import { roundUsd } from "../../../provider/lifecycle";
import { hoursPerDay, type Sum, usd, usdPerHour } from "../../money";
import type { Balance, Summary, Warning } from "../../preview";
import { changeLines } from "./changeLines";
import { chartOf } from "./chart";
import { code, inMarkdown } from "./escape";
import { fitTogether, type Part } from "./fit";
import { markerOf } from "./marker";
import { costTable, gpuTable } from "./moneyTables";
import { policyLines } from "./policyLines";
import type { Verdict } from "./verdicts";

/** The comment for a pull request, the most urgent first. */
export function writeMarkdown(summary: Summary, verdicts: readonly Verdict[]): string {
  return fitTogether([
    { lines: [markerOf(summary), `### GPU fleet: ${code(`${summary.project}/${summary.stack}`)}`] },
    problemLines(summary),
    ...warningLines(summary.warnings),
    costTable(summary),
    gpuTable(summary),
    chart(summary),
    changeLines(summary),
    policyLines(summary, verdicts),
    balanceLine(summary),
  ]);
}

/** Where GPUs come or go, their places are worth a look. */
function chart({ problems, gpus, places }: Summary): Part {
  const helps = problems.length === 0 && gpus.some(({ before, after }) => before !== after);
  return { lines: helps ? chartOf(places) : [] };
}

const longestProblem = 600;

function problemLines({ problems }: Summary): Part {
  if (problems.length === 0) return { lines: [] };
  return {
    lines: ["> [!CAUTION]", "> **The preview failed.** What follows is only as far as it got.", ">"],
    items: problems.map(
      ({ resource, message }) => `> - ${resource ? `${code(resource)}: ` : ""}${code(message, longestProblem)}`,
    ),
    more: (count) => `> - … and ${count} more`,
    worth: 3,
  };
}

/** What ends without data of its own is listed again among the changes. */
const mostEnded = 10;

function warningLines(warnings: readonly Warning[]): Part[] {
  const alert = (
    kind: "CAUTION" | "WARNING",
    title: string,
    is: Warning["is"],
    rest: Pick<Part, "worth" | "most">,
  ): Part => {
    const items = warnings.filter((warning) => warning.is === is).map((warning) => `> - ${warning.say(inMarkdown)}`);
    if (items.length === 0) return { lines: [] };
    return {
      lines: [`> [!${kind}]`, `> **${title}**`, ">"],
      items,
      more: (count) => `> - … and ${count} more`,
      ...rest,
    };
  };
  return [
    alert("CAUTION", "This destroys data", "data-loss", { worth: 5 }),
    alert("WARNING", "This replaces running machines", "replaced-machine", { worth: 4 }),
    alert("WARNING", "This ends machines", "ended-machine", { worth: 2, most: mostEnded }),
    alert("WARNING", "This leaves behind what goes on billing", "left-billing", { worth: 4 }),
  ];
}

function balanceLine({ balance, delta }: Summary): Part {
  return { lines: balance ? [`**Balance** ${usd(balance.usd)}: ${lasting(balance, delta)}`] : [] };
}

/** By what the whole account runs, since it all comes out of the same balance. */
function lasting({ usd: left, running }: Balance, delta: Sum): string {
  const perHour = roundUsd(running.perHour + delta.perHour);
  const unknown = running.unknown + delta.unknown;
  if (perHour <= 0) return unknown > 0 ? "how long it lasts is not known" : "nothing draws on it";
  const hours = Math.max(0, left / perHour);
  const lasts = `${Math.floor(hours).toLocaleString("en-US")} h (${days(hours)})`;
  const rate = `${usdPerHour(perHour)} for the whole account after this change`;
  return unknown > 0
    ? `lasts at most ${lasts}, at ${rate} and what is not known besides`
    : `lasts ${lasts}, at ${rate}`;
}

function days(hours: number): string {
  const days = hours / hoursPerDay;
  return days >= 10 ? `${Math.floor(days).toLocaleString("en-US")} days` : `${days.toFixed(1)} days`;
}

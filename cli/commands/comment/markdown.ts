import { roundUsd, showPerHour, showUsd } from "../../../provider/shared/money";
import { hoursPerDay, type Sum } from "../../money";
import { type Balance, type Summary, type Warning, type WarningKind, warningTitles } from "../../preview";
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

/** Shown where GPUs are added or removed. */
function chart({ problems, gpus, regions }: Summary): Part {
  const helps = problems.length === 0 && gpus.some(({ before, after }) => before !== after);
  return { lines: helps ? chartOf(regions) : [] };
}

const longestProblem = 600;

function problemLines({ problems }: Summary): Part {
  if (problems.length === 0) return { lines: [] };
  return {
    lines: ["> [!CAUTION]", "> **The preview failed.** The rest of this comment is incomplete.", ">"],
    items: problems.map(
      ({ resource, message }) => `> - ${resource ? `${code(resource)}: ` : ""}${code(message, longestProblem)}`,
    ),
    more: (count) => `> - … and ${count} more`,
    worth: 3,
  };
}

/** Where room is short, the lower go first. Terminated machines are listed again among the changes. */
const alerts: Readonly<Record<WarningKind, Pick<Part, "worth" | "most"> & { alert: "CAUTION" | "WARNING" }>> = {
  "data-loss": { alert: "CAUTION", worth: 5 },
  "replaced-machine": { alert: "WARNING", worth: 4 },
  "terminated-machine": { alert: "WARNING", worth: 2, most: 10 },
  "still-billing": { alert: "WARNING", worth: 4 },
};

function warningLines(warnings: readonly Warning[]): Part[] {
  const kinds = [...new Set(warnings.map(({ kind }) => kind))];
  return kinds.map((kind) => {
    const { alert, worth, most } = alerts[kind];
    return {
      lines: [`> [!${alert}]`, `> **${warningTitles[kind]}**`, ">"],
      items: warnings.filter((one) => one.kind === kind).map((warning) => `> - ${warning.say(inMarkdown)}`),
      more: (count) => `> - … and ${count} more`,
      worth,
      most,
    };
  });
}

function balanceLine({ balance, delta }: Summary): Part {
  return { lines: balance ? [`**Balance** ${showUsd(balance.usd)}: ${lasting(balance, delta)}`] : [] };
}

/** Everything that the account runs is paid from the same balance. */
function lasting({ usd: left, running }: Balance, delta: Sum): string {
  const perHour = roundUsd(running.perHour + delta.perHour);
  const unknown = running.unknown + delta.unknown;
  if (perHour <= 0) return unknown > 0 ? "how long it lasts is unknown" : "nothing is billed";
  const hours = Math.max(0, left / perHour);
  const lasts = `${Math.floor(hours).toLocaleString("en-US")} h (${days(hours)})`;
  const rate = `${showPerHour(perHour)} for the whole account after this change`;
  return unknown > 0 ? `lasts at most ${lasts} at ${rate}, plus unknown prices` : `lasts ${lasts} at ${rate}`;
}

function days(hours: number): string {
  const days = hours / hoursPerDay;
  return days >= 10 ? `${Math.floor(days).toLocaleString("en-US")} days` : `${days.toFixed(1)} days`;
}

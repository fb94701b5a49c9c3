import { roundUsd, showPerHour, showUsd } from "../../../provider/shared/money";
import { showTime } from "../../../provider/shared/timestamp";
import { about, hoursPerDay } from "../../money";
import { type Balance, costSentence, type Summary } from "../../preview";
import { dataLossLines, machineLines, problemLines } from "./alerts";
import { otherChanges } from "./changeTable";
import { costTable } from "./costTable";
import { code, inMarkdown } from "./escape";
import { fitTogether, type Part } from "./fit";
import { fleetLines } from "./fleetLines";
import { headlineOf } from "./headline";
import { markerOf } from "./marker";
import type { Pipeline } from "./pipeline";
import { policyLines } from "./policyLines";
import type { Verdict } from "./verdicts";

/** The comment for a pull request: the verdict, and then the most urgent first. */
export function writeMarkdown(summary: Summary, verdicts: readonly Verdict[], pipeline?: Pipeline): string {
  const { mark, say, saysCost } = headlineOf(summary, verdicts);
  const cost = saysCost || summary.problems.length > 0 ? [] : ["", `${costSentence(summary, inMarkdown)}.`];
  return fitTogether([
    {
      lines: [
        markerOf(summary),
        `### ${mark ? `${mark} ` : ""}${say(inMarkdown)}`,
        "",
        originLine(summary, pipeline),
        ...cost,
      ],
    },
    problemLines(summary),
    dataLossLines(summary),
    machineLines(summary),
    policyLines(summary, verdicts),
    costTable(summary),
    balanceLines(summary),
    ...fleetLines(summary),
    otherChanges(summary),
  ]);
}

/** What the comment is about, and which run wrote it. */
function originLine({ project, stack }: Summary, pipeline: Pipeline | undefined): string {
  const { commit, commitUrl, runUrl, at } = pipeline ?? {};
  const short = commit === undefined ? undefined : code(commit.slice(0, 7));
  const parts = [
    `GPU fleet ${code(`${project}/${stack}`)}`,
    ...(short ? [commitUrl ? `commit [${short}](${commitUrl})` : `commit ${short}`] : []),
    ...(runUrl ? [`[run](${runUrl})`] : []),
    ...(at ? [showTime(at)] : []),
  ];
  return `<sub>${parts.join(" · ")}</sub>`;
}

function balanceLines({ balances }: Summary): Part {
  const lines = balances.map((balance) => {
    const whose = balance.account === undefined ? "" : ` of ${code(balance.account)}`;
    return `**Balance**${whose} ${showUsd(balance.usd)}: ${lasting(balance)}`;
  });
  return { lines: lines.length > 1 ? lines.map((line) => `- ${line}`) : lines };
}

/** Everything that the account runs is paid from the same balance. */
function lasting({ usd: left, running, delta }: Balance): string {
  const perHour = roundUsd(running.perHour + delta.perHour);
  const unknown = running.unknown + delta.unknown;
  if (perHour <= 0) return unknown > 0 ? "how long it lasts is unknown" : "nothing is billed";
  const hours = Math.max(0, left / perHour);
  const lasts = `${Math.floor(hours).toLocaleString("en-US")} h (${days(hours)})`;
  const rate = `${about({ estimated: running.estimated || delta.estimated })}${showPerHour(perHour)} for the whole account after this change`;
  return unknown > 0 ? `lasts at most ${lasts} at ${rate}, plus unknown prices` : `lasts ${lasts} at ${rate}`;
}

function days(hours: number): string {
  const days = hours / hoursPerDay;
  return days >= 10 ? `${Math.floor(days).toLocaleString("en-US")} days` : `${days.toFixed(1)} days`;
}

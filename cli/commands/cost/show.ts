import { showDuration } from "../../../provider/lifecycle";
import type { CostGroup, CostReport, CostRow, CostSum } from "../../account";
import { hoursPerDay, usd, usdPerHour } from "../../money";
import { type Paint, table } from "../../terminal";

const columns = [
  { title: "NAME" },
  { title: "KIND" },
  { title: "SIZE" },
  { title: "REGION" },
  { title: "STATUS" },
  { title: "AGE", right: true },
  { title: "$/H", right: true },
  { title: "SO FAR", right: true },
];

/** The report for a terminal. */
export function showCost(report: CostReport, paint: Paint): string {
  const { stack, elsewhere, total, balance, hoursLeft, notListed } = report;
  const lines = [
    ...groupLines(`Stack ${stack.name}`, stack, paint),
    "",
    ...groupLines("Elsewhere in the account", elsewhere, paint),
    "",
    `${paint("bold", "Total")}    ${sumText(total)}`,
    `${paint("bold", "Balance")}  ${usd(balance)}${lasting(hoursLeft, total)}`,
    ...notListed.map((kind) => paint("yellow", `The service does not list ${kind}: there may be more than these.`)),
  ];
  return lines.join("\n");
}

function groupLines(title: string, group: CostGroup, paint: Paint): string[] {
  if (group.things.length === 0) return [paint("bold", title), "  nothing"];
  return [
    `${paint("bold", title)}  ${sumText(group)}`,
    ...table(columns, group.things.map(cells), paint).map((line) => `  ${line}`),
  ];
}

function cells({ name, kind, size, region, status, ageSeconds, costPerHour, accrued }: CostRow): string[] {
  return [
    name,
    kind,
    size,
    region ?? "–",
    status ?? "–",
    ageSeconds === null ? "–" : showDuration(ageSeconds * 1000),
    costPerHour === null ? "unknown" : usd(costPerHour),
    accrued === null ? "unknown" : usd(accrued),
  ];
}

function sumText({ perHour, accrued, unknown }: CostSum): string {
  if (unknown > 0 && perHour === 0) return `${unknown} of unknown price`;
  const rest = unknown > 0 ? `, and ${unknown} of unknown price` : "";
  return `${usdPerHour(perHour)}, ${usd(perHour * hoursPerDay)} a day, ${usd(accrued)} so far${rest}`;
}

function lasting(hoursLeft: number | null, { unknown }: CostSum): string {
  if (hoursLeft === null) return "";
  return `, lasts ${unknown > 0 ? "at most " : ""}${hoursLeft.toLocaleString("en-US")} h at this rate`;
}

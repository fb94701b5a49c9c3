import { showDuration } from "../../../provider/shared/duration";
import { type Expired, expiredRow } from "../../expired";
import { factCells, factColumns, unknownTerms, usdCell } from "../../money";
import { type Paint, table } from "../../terminal";

const columns = [
  { title: "NAME" },
  ...factColumns,
  { title: "OVERDUE", right: true },
  { title: "$/H", right: true },
  { title: "COST SINCE", right: true },
];

export function showExpired(expired: readonly Expired[], paint: Paint, { isCertain }: { isCertain: boolean }): string {
  if (expired.length === 0) {
    return isCertain
      ? paint("green", "Nothing has expired.")
      : paint("yellow", "Nothing has expired by the clock of this machine; a service could not be asked for the time.");
  }
  const rows = expired.map(cells);
  return [paint("red", `Expired: ${expired.length}`), ...table(columns, rows, paint)].join("\n");
}

function cells(one: Expired): string[] {
  const row = expiredRow(one);
  const overdue = showDuration(row.overdueSeconds * 1000);
  const rest = row.costPerHour === null ? [] : unknownTerms(row);
  const amounts = [row.costPerHour, row.costSince].map((amount) => [usdCell(amount, row), ...rest].join(" + "));
  return [row.name, ...factCells(row), overdue, ...amounts];
}

export function expiredJson(expired: readonly Expired[]): string {
  return JSON.stringify({ expired: expired.map(expiredRow) }, null, 2);
}

import { showDuration } from "../../../provider/shared/duration";
import { type Expired, expiredRow } from "../../expired";
import { factCells, factColumns, usdCell } from "../../money";
import { type Paint, table } from "../../terminal";

const columns = [
  { title: "NAME" },
  ...factColumns,
  { title: "OVERDUE", right: true },
  { title: "$/H", right: true },
  { title: "COST SINCE", right: true },
];

export function showExpired(expired: readonly Expired[], paint: Paint): string {
  if (expired.length === 0) return paint("green", "Nothing has expired.");
  const rows = expired.map(cells);
  return [paint("red", `Expired: ${expired.length}`), ...table(columns, rows, paint)].join("\n");
}

function cells(one: Expired): string[] {
  const row = expiredRow(one);
  const overdue = showDuration(row.overdueSeconds * 1000);
  return [row.name, ...factCells(row), overdue, usdCell(row.costPerHour, row), usdCell(row.costSince, row)];
}

export function expiredJson(expired: readonly Expired[]): string {
  return JSON.stringify({ expired: expired.map(expiredRow) }, null, 2);
}

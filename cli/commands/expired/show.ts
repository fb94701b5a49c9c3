import { showDuration } from "../../../provider/shared/duration";
import { readTimestamp } from "../../../provider/shared/timestamp";
import { accruedSinceExpiry, factCells, factColumns, rowOf, usdCell } from "../../money";
import { type Paint, table } from "../../terminal";
import type { Expired } from "./find";

const columns = [
  { title: "NAME" },
  ...factColumns,
  { title: "OVERDUE", right: true },
  { title: "$/H", right: true },
  { title: "COST SINCE", right: true },
];

export function showExpired(expired: readonly Expired[], now: number, paint: Paint): string {
  if (expired.length === 0) return paint("green", "Nothing has expired.");
  const rows = expired.map((one) => cells(one, now));
  return [paint("red", `Expired: ${expired.length}`), ...table(columns, rows, paint)].join("\n");
}

function cells(one: Expired, now: number): string[] {
  const row = expiredRow(one, now);
  const overdue = showDuration(row.overdueSeconds * 1000);
  return [row.name, ...factCells(row), overdue, usdCell(row.costPerHour), usdCell(row.costSince)];
}

function expiredRow(one: Expired, now: number) {
  const overdue = now - (readTimestamp(one.expiresAtTime) ?? now);
  return {
    ...rowOf(one, now),
    urn: one.urn,
    expiresAt: one.expiresAtTime,
    overdueSeconds: Math.round(overdue / 1000),
    costSince: accruedSinceExpiry(one, now) ?? null,
  };
}

export function expiredJson(expired: readonly Expired[], now: number): string {
  return JSON.stringify({ expired: expired.map((one) => expiredRow(one, now)) }, null, 2);
}

import { showDuration } from "../../../provider/lifecycle";
import { readTimestamp } from "../../../provider/service";
import { accruedSinceExpiry, sizeOf, usd } from "../../money";
import { type Paint, table } from "../../terminal";
import type { Expired } from "./find";

const columns = [
  { title: "NAME" },
  { title: "KIND" },
  { title: "SIZE" },
  { title: "REGION" },
  { title: "STATUS" },
  { title: "OVERDUE", right: true },
  { title: "$/H", right: true },
  { title: "COST SINCE", right: true },
];

export function showExpired(expired: readonly Expired[], now: number, paint: Paint): string {
  if (expired.length === 0) return paint("green", "Nothing is past its expiresAt.");
  const title = `Past ${expired.length === 1 ? "its" : "their"} expiresAt: ${expired.length}`;
  return [
    paint("red", title),
    ...table(
      columns,
      expired.map((one) => cells(one, now)),
      paint,
    ).map((line) => `  ${line}`),
  ].join("\n");
}

function cells(one: Expired, now: number): string[] {
  const since = accruedSinceExpiry(one, now);
  return [
    one.name,
    one.kind,
    sizeOf(one),
    one.region ?? "–",
    one.status ?? "–",
    showDuration(overdue(one, now)),
    one.costPerHour === undefined ? "unknown" : usd(one.costPerHour),
    since === undefined ? "unknown" : usd(since),
  ];
}

function overdue({ expiresAtTime }: Expired, now: number): number {
  return now - (readTimestamp(expiresAtTime) ?? now);
}

export function expiredJson(expired: readonly Expired[], now: number): string {
  const rows = expired.map((one) => ({
    name: one.name,
    kind: one.kind,
    urn: one.urn,
    size: sizeOf(one),
    region: one.region ?? null,
    status: one.status ?? null,
    expiresAt: one.expiresAtTime,
    overdueSeconds: Math.round(overdue(one, now) / 1000),
    costPerHour: one.costPerHour ?? null,
    costSince: accruedSinceExpiry(one, now) ?? null,
  }));
  return JSON.stringify({ expired: rows }, null, 2);
}

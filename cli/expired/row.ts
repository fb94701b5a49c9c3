import { readTimestamp } from "../../provider/shared/timestamp";
import { type BillableRow, rowOf, spentSinceExpiry } from "../money";
import type { Expired } from "./find";

/** What has expired, as the commands print it in JSON. */
export interface ExpiredRow extends BillableRow {
  urn: string;
  expiresAt: string;
  overdueSeconds: number;
  /** USD since then; null where the price is unknown. */
  costSince: number | null;
}

export function expiredRow(one: Expired): ExpiredRow {
  const overdue = one.at - (readTimestamp(one.expiresAtTime) ?? one.at);
  return {
    ...rowOf(one, one.at),
    urn: one.urn,
    expiresAt: one.expiresAtTime,
    overdueSeconds: Math.round(overdue / 1000),
    costSince: spentSinceExpiry(one, one.at) ?? null,
  };
}

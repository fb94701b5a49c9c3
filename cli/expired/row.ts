import { readTimestamp } from "../../provider/shared/timestamp";
import { type BillableRow, rowOf, spentSinceExpiry, sumOf } from "../money";
import type { Expired } from "./find";

/** What has expired, as the commands print it in JSON. Its cost has the volumes that would be deleted with it. */
export interface ExpiredRow extends BillableRow {
  urn: string;
  expiresAt: string;
  overdueSeconds: number;
  /** USD since then; null where no price is known. */
  costSince: number | null;
  /** How many prices are unknown, and not included. */
  unknown: number;
}

export function expiredRow(one: Expired): ExpiredRow {
  const overdue = one.at - (readTimestamp(one.expiresAtTime) ?? one.at);
  const { perHour, known, unknown, estimated } = sumOf([one, ...one.volumes]);
  const together = { ...one, seenAt: one.at, estimated, costPerHour: known > 0 ? perHour : undefined };
  return {
    ...rowOf(together),
    urn: one.urn,
    expiresAt: one.expiresAtTime,
    overdueSeconds: Math.round(overdue / 1000),
    costSince: spentSinceExpiry(together) ?? null,
    unknown,
  };
}

import { roundUsd } from "../../provider/shared/money";
import { readTimestamp } from "../../provider/shared/timestamp";
import type { Billable } from "./billable";

const hour = 3_600_000;

/** Cost so far = current price × age; undefined where one of them is unknown. */
export function spentAt({ costPerHour, createdAt }: Billable, now: number): number | undefined {
  return costSince(costPerHour, readTimestamp(createdAt), now);
}

/** The cost since its expiry; undefined where price or expiry is unknown. */
export function spentSinceExpiry({ costPerHour, expiresAtTime }: Billable, now: number): number | undefined {
  return costSince(costPerHour, readTimestamp(expiresAtTime), now);
}

function costSince(costPerHour: number | undefined, from: number | undefined, now: number): number | undefined {
  return costPerHour === undefined || from === undefined
    ? undefined
    : roundUsd((Math.max(0, now - from) / hour) * costPerHour);
}

/** Seconds since it was created; null where that is unknown. */
export function ageAt({ createdAt }: Billable, now: number): number | null {
  const created = readTimestamp(createdAt);
  return created === undefined ? null : Math.max(0, Math.round((now - created) / 1000));
}

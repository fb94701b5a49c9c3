import { roundUsd } from "../../provider/lifecycle";
import { readTimestamp } from "../../provider/service";
import type { Billable } from "./billable";

const hour = 3_600_000;

/** What it has cost since it was made, at its present price; undefined where price or time is not known. */
export function accruedAt({ costPerHour, createdAt }: Billable, now: number): number | undefined {
  return costSince(costPerHour, readTimestamp(createdAt), now);
}

/** What it has cost since it should have ended; undefined where that time has not come. */
export function accruedSinceExpiry({ costPerHour, expiresAtTime }: Billable, now: number): number | undefined {
  return costSince(costPerHour, readTimestamp(expiresAtTime), now);
}

function costSince(costPerHour: number | undefined, from: number | undefined, now: number): number | undefined {
  return costPerHour === undefined || from === undefined
    ? undefined
    : roundUsd((Math.max(0, now - from) / hour) * costPerHour);
}

/** Seconds since it was made; null where that is not known. */
export function ageAt({ createdAt }: Billable, now: number): number | null {
  const made = readTimestamp(createdAt);
  return made === undefined ? null : Math.max(0, Math.round((now - made) / 1000));
}

import { roundUsd } from "../../provider/shared/money";
import { readTimestamp } from "../../provider/shared/timestamp";
import type { Billable } from "./billable";

const hour = 3_600_000;

/** Cost so far = current price × age; undefined where one of them is unknown. */
export function spentOn({ costPerHour, createdAt, seenAt }: Billable): number | undefined {
  return costSince(costPerHour, readTimestamp(createdAt), seenAt);
}

/** The cost since its expiry; undefined where price or expiry is unknown. */
export function spentSinceExpiry({ costPerHour, expiresAtTime, seenAt }: Billable): number | undefined {
  return costSince(costPerHour, readTimestamp(expiresAtTime), seenAt);
}

function costSince(costPerHour: number | undefined, from: number | undefined, to: number | undefined) {
  return costPerHour === undefined || from === undefined || to === undefined
    ? undefined
    : roundUsd((Math.max(0, to - from) / hour) * costPerHour);
}

/** Seconds since it was created; null where that is unknown. */
export function ageOf({ createdAt, seenAt }: Billable): number | null {
  const created = readTimestamp(createdAt);
  return created === undefined || seenAt === undefined ? null : Math.max(0, Math.round((seenAt - created) / 1000));
}

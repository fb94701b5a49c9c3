import { isDeepStrictEqual } from "node:util";
import { readDuration } from "../../shared/duration";
import { readTimestamp, showTime } from "../../shared/timestamp";
import type { Values } from "./values";

/**
 * What is past its `expiresAt` and has ended stays in the state in this form, so that the next `up` does not rent it again: without
 * an entry nothing would tell it from what was never rented.
 */
const expiredKey = "__expired";
/** The status that people see of it. */
export const expiredStatus = "Expired";

/** Outputs of a machine that runs. */
const ofRunning = ["costPerHour", "ssh", "sshCommand", "attachedStorage"];
/** Marks of what is not in order with it. */
const unsettled = ["__unfinished"];

/** Whether a state is of something that has expired and ended. */
export function isExpired(state: Values): boolean {
  return state[expiredKey] === true;
}

/** The state of something that has ended after its time. */
export function asExpired(state: Values): Values {
  const lasting = Object.entries(state).filter(([key]) => !ofRunning.includes(key) && !unsettled.includes(key));
  return { ...Object.fromEntries(lasting), status: expiredStatus, [expiredKey]: true };
}

/** The same state before that: the machine is there after all. */
export function notExpired(state: Values): Values {
  const { [expiredKey]: _, ...rest } = state;
  return rest;
}

/** Whether it has such a time at all. */
export function hasExpiry({ expiresAtTime }: Values): boolean {
  return readTimestamp(expiresAtTime) !== undefined;
}

/**
 * Whether the time of something has come, by the service's clock, which durations are counted by. A time that a person has named must have
 * come by our clock, too: either may be wrong, and what runs too long can be ended later.
 */
export function isPastExpiry({ expiresAt, expiresAtTime }: Values, now: number, ownNow = now): boolean {
  const time = readTimestamp(expiresAtTime);
  const latest = readDuration(expiresAt) === undefined ? Math.min(now, ownNow) : now;
  return time !== undefined && time <= latest;
}

/** Whether an input names a time that has passed, and not a duration. */
export function isPastTime(expiresAt: unknown, now: number): boolean {
  return readDuration(expiresAt) === undefined && isPastExpiry({ expiresAtTime: expiresAt }, now);
}

/** Whether the program says the same of it as before: then it stays ended. */
export function isSameExpiry(before: Values, after: Values): boolean {
  return isDeepStrictEqual(before["expiresAt"] ?? undefined, after["expiresAt"] ?? undefined);
}

/** `2026-11-15 18:00 UTC` */
export function showExpiry({ expiresAtTime }: Values): string {
  const time = readTimestamp(expiresAtTime);
  return time === undefined ? "some time" : showTime(time);
}

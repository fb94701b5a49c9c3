import { readDuration } from "../../shared/duration";
import { gatesOf } from "../../shared/fleetNames";
import { hasTimeZone, readTimestamp } from "../../shared/timestamp";
import { readOrigin } from "../../shared/urn";
import { ifUnavailable, listOf, recordIdOf } from "../context";
import type { OperationContext, ResourceDefinition } from "../definition";
import {
  type CheckFailure,
  isBeyondRepair,
  isExpired,
  isLive,
  isPastExpiry,
  isPastTime,
  isSameExpiry,
  originKey,
  phaseOf,
  type Runtime,
  readFleetFacts,
  showExpiry,
  type Values,
  type View,
  whyElsewhere,
  whyForeign,
} from "../model";
import { findAgain } from "../waiting";
import type { Diff } from "./diff";

/**
 * What has expired is not rented again until its `expiresAt` changes. Its entry stays in the state after its end (`asExpired`), and
 * this is what each operation makes of such an entry.
 */

/** Refuses to rent what would have to end at once. */
export function refusePastExpiry({ clock }: Runtime, { expiresAt, adoptId }: Values): CheckFailure[] {
  if (adoptId !== undefined || !isPastTime(expiresAt, clock.now())) return [];
  const told = (passed: string) =>
    `expiresAt has passed${passed}, so nothing is rented: set a later time, or a duration such as "8h", or leave it out`;
  return [{ property: "expiresAt", reason: told(` (${expiresAt})`), withoutValue: told("") }];
}

const mostYears = 100;
const mostMs = mostYears * 365.25 * 24 * 3_600_000;

/**
 * Refuses an expiry that can be read, but not as it was meant. What the state has stays as it is: to have it corrected would rent again
 * what has expired.
 */
export function refuseVagueExpiry({ expiresAt: before }: Values, { expiresAt }: Values): CheckFailure[] {
  if (typeof expiresAt !== "string" || expiresAt === before) return [];
  const span = readDuration(expiresAt);
  if (span !== undefined && span > mostMs)
    return refusal(expiresAt, `at most ${mostYears} years as a duration`, "Leave it out if it never expires");
  if (span !== undefined || readTimestamp(expiresAt) === undefined || hasTimeZone(expiresAt)) return [];
  return refusal(
    expiresAt,
    'a time with its time zone, such as "2026-12-24T18:00:00Z" (UTC) or "2026-12-24T18:00:00+01:00"',
  );
}

function refusal(expiresAt: string, rule: string, advice?: string): CheckFailure[] {
  const told = (not: string) => `expiresAt must be ${rule}${not}${advice === undefined ? "" : `. ${advice}`}`;
  return [{ property: "expiresAt", reason: told(`, not ${JSON.stringify(expiresAt)}`), withoutValue: told("") }];
}

/**
 * What is to be done about something whose time has come and which does not run any more; undefined where that is not so. It
 * stays as it is, whatever else the program says of it, until its expiry changes.
 */
export function diffExpired(
  { kind, type }: ResourceDefinition,
  runtime: Runtime,
  { id, urn, state, inputs }: { id: string; urn: string; state: Values; inputs: Values },
): Diff | undefined {
  const isOver = isExpired(state);
  const phase = phaseOf(String(state["status"] ?? ""), kind.statuses);
  const isBroken = isBeyondRepair(phase) && isPastExpiry(state, latestTime(runtime), runtime.clock.now());
  if (!isOver && !isBroken) return undefined;
  if (!isSameExpiry(state, inputs)) return isOver ? { changes: true, replaces: ["expiresAt"], updates: [] } : undefined;
  if (isOver) noteExpired(runtime, type, id, state);
  if (runtime.memory.isInProgram(urn)) sayExpired(runtime, urn, state, inputs);
  return { changes: false, replaces: [], updates: [] };
}

/** Notes that a state has this one as expired and ended. */
export function noteExpired({ memory }: Runtime, type: string, id: string, state: Values): void {
  memory.noteExpired(type, id, readOrigin(state[originKey]).urn);
}

/** A comparison asks nobody: the service's time where it has answered in this run, which a refresh sees to, else ours. */
function latestTime({ client, clock, isConfigured }: Runtime): number {
  return isConfigured ? client.serviceNow() : clock.now();
}

function sayExpired({ engine, memory }: Runtime, urn: string, state: Values, inputs: Values): void {
  const gate = readFleetFacts(inputs) ? gatesOf(urn)?.ready : undefined;
  // Of a fleet its gate tells, once for all members.
  if (gate !== undefined && isExpired(state)) memory.noteExpiredMember(gate, showExpiry(state));
  else engine.info(urn, expiryNote(state));
}

function expiryNote(state: Values): string {
  const expired = `expired at ${showExpiry(state)}`;
  return isExpired(state)
    ? `${expired} and has ended. It is not rented again until its expiresAt changes`
    : `${expired}, and its status is ${state["status"]}. It is not replaced; \`gpufleet expired --destroy\` terminates what is left of it`;
}

/** Says of a fleet what its members had to say. */
export function sayExpiredMembers({ engine, memory }: Runtime, { gate, row }: { gate: string; row: string }): void {
  const times = memory.takeExpiredMembers(gate);
  if (times.length === 0) return;
  const [first = ""] = [...times].sort();
  const since = times.every((time) => time === first) ? `at ${first}` : `from ${first} on`;
  const what = times.length === 1 ? "1 member has ended" : `${times.length} members have ended`;
  engine.info(row, `${what}, expired ${since}. They are not rented again until expiresAt changes`);
}

/**
 * The record of something that counts as expired, if it runs after all: then it must not be forgotten. A service that cannot be
 * asked, or that is another one, shows nothing; but before the entry goes, lists must have been had, and lack it.
 */
export async function findAlive(context: OperationContext<Values>, id: string): Promise<View | undefined> {
  const { definition, inputs, runtime } = context;
  if (!runtime.isConfigured || whyElsewhere(inputs, runtime.service, definition.kind.base)) return undefined;
  const sought = { id: recordIdOf(context, id), label: inputs["label"] };
  const record = context.isDelete
    ? await findAgain(context, listOf(context), sought).catch(ifUnavailable)
    : await glimpse(context, sought);
  if (!record || !isLive(record)) return undefined;
  return whyForeign(inputs, runtime.service, definition.noun, record) === undefined ? record : undefined;
}

/** What any list shows of it. What is to stay an entry needs no more. */
async function glimpse(
  context: OperationContext<Values>,
  { id, label }: { id: string; label: unknown },
): Promise<View | undefined> {
  const snapshot = await listOf(context)
    .latest()
    .catch(() => undefined);
  return snapshot?.isUnreadable(id) ? undefined : snapshot?.find(id, label);
}

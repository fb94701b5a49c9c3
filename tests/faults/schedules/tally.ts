import type { Hit } from "../simulation/command";
import type { Session } from "../simulation/session";

/** What came of many schedules. Plain data, so that processes can send it to one another. */
export interface Tally {
  schedules: number;
  requests: number;
  failures: string[];
  /** How often each fault met each situation: fault → `replace: list` → count. */
  hits: Record<string, Record<string, number>>;
  /** The longest that each operation of each type took, in virtual seconds. */
  longest: Record<string, number>;
}

export function emptyTally(): Tally {
  return { schedules: 0, requests: 0, failures: [], hits: {}, longest: {} };
}

export function addSession(tally: Tally, { commands, hits, timed }: Session): void {
  tally.schedules += 1;
  tally.requests += commands.reduce((sum, { requests }) => sum + requests.length, 0);
  for (const hit of hits) count(tally, hit.fault, situationOf(hit), 1);
  for (const { operation, type, milliseconds } of timed) {
    noteDuration(tally, `${operation} of ${type}`, Math.round(milliseconds / 100) / 10);
  }
}

export function merge(total: Tally, part: Tally): void {
  total.schedules += part.schedules;
  total.requests += part.requests;
  total.failures.push(...part.failures);
  for (const [fault, situations] of Object.entries(part.hits)) {
    for (const [situation, times] of Object.entries(situations)) count(total, fault, situation, times);
  }
  for (const [operation, seconds] of Object.entries(part.longest)) noteDuration(total, operation, seconds);
}

/** What was done to the stack when the fault came, and what was asked of the service for that. */
function situationOf({ during, purpose }: Hit): string {
  return `${during}: ${purpose}`;
}

function count(tally: Tally, fault: string, situation: string, times: number): void {
  const row = tally.hits[fault] ?? {};
  row[situation] = (row[situation] ?? 0) + times;
  tally.hits[fault] = row;
}

function noteDuration(tally: Tally, operation: string, seconds: number): void {
  tally.longest[operation] = Math.max(tally.longest[operation] ?? 0, seconds);
}

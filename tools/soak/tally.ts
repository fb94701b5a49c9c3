import type { Session } from "../../tests/faults/session";

/** What came of many schedules. Plain data, so that processes can send it to one another. */
export interface Tally {
  schedules: number;
  requests: number;
  failures: string[];
  /** How often each fault met each kind of request: fault → request → count. */
  hits: Record<string, Record<string, number>>;
  /** The longest that each operation of each type took, in virtual seconds. */
  worst: Record<string, number>;
  seconds: number;
}

export function emptyTally(): Tally {
  return { schedules: 0, requests: 0, failures: [], hits: {}, worst: {}, seconds: 0 };
}

export function note(tally: Tally, { commands, hits, timed }: Session): void {
  tally.schedules += 1;
  tally.requests += commands.reduce((sum, { requests }) => sum + requests, 0);
  for (const { fault, request } of hits) count(tally, fault, request, 1);
  for (const { operation, type, milliseconds } of timed) {
    worse(tally, `${operation} of ${type}`, Math.round(milliseconds / 100) / 10);
  }
}

export function merge(total: Tally, part: Tally): void {
  total.schedules += part.schedules;
  total.requests += part.requests;
  total.failures.push(...part.failures);
  for (const [fault, requests] of Object.entries(part.hits)) {
    for (const [request, times] of Object.entries(requests)) count(total, fault, request, times);
  }
  for (const [operation, seconds] of Object.entries(part.worst)) worse(total, operation, seconds);
}

function count(tally: Tally, fault: string, request: string, times: number): void {
  const row = tally.hits[fault] ?? {};
  row[request] = (row[request] ?? 0) + times;
  tally.hits[fault] = row;
}

function worse(tally: Tally, operation: string, seconds: number): void {
  tally.worst[operation] = Math.max(tally.worst[operation] ?? 0, seconds);
}

import { paths } from "../../lifecycle/rig";
import type { Hit } from "../simulation/command";
import type { Session } from "../simulation/session";

/** What came of many schedules. Plain data, so that processes can send it to one another. */
export interface Tally {
  schedules: number;
  requests: number;
  failures: string[];
  /** How often each fault met each state of affairs: fault → `replace: list` → count. */
  hits: Record<string, Record<string, number>>;
  /** The longest that each operation of each type took, in virtual seconds. */
  worst: Record<string, number>;
}

export function emptyTally(): Tally {
  return { schedules: 0, requests: 0, failures: [], hits: {}, worst: {} };
}

export function note(tally: Tally, { commands, hits, timed }: Session): void {
  tally.schedules += 1;
  tally.requests += commands.reduce((sum, { requests }) => sum + requests, 0);
  for (const hit of hits) count(tally, hit.fault, stateOf(hit), 1);
  for (const { operation, type, milliseconds } of timed) {
    worse(tally, `${operation} of ${type}`, Math.round(milliseconds / 100) / 10);
  }
}

export function merge(total: Tally, part: Tally): void {
  total.schedules += part.schedules;
  total.requests += part.requests;
  total.failures.push(...part.failures);
  for (const [fault, states] of Object.entries(part.hits)) {
    for (const [state, times] of Object.entries(states)) count(total, fault, state, times);
  }
  for (const [operation, seconds] of Object.entries(part.worst)) worse(total, operation, seconds);
}

const creates = [paths.bareMetal, paths.vm, paths.volumes, paths.createInstance];

/** What the stack was at when the fault came: what was done to it, and what was asked of the service for that. */
function stateOf({ doing, request }: Hit): string {
  const [method, path = ""] = request.split(" ");
  const asked = () => {
    if (path.endsWith("/openapi.json")) return "description";
    if (method === "GET" || path === paths.machines) return "list";
    if (creates.includes(path)) return "create";
    return path === paths.attach ? "attach" : "end";
  };
  return `${doing}: ${asked()}`;
}

function count(tally: Tally, fault: string, state: string, times: number): void {
  const row = tally.hits[fault] ?? {};
  row[state] = (row[state] ?? 0) + times;
  tally.hits[fault] = row;
}

function worse(tally: Tally, operation: string, seconds: number): void {
  tally.worst[operation] = Math.max(tally.worst[operation] ?? 0, seconds);
}

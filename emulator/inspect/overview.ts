import { balanceAt, isBilling, roundUsd, spentUntil } from "../nouns";
import type { World } from "../state";
import { formatTimestamp } from "../timestamp";
import type { FaultLine } from "./faultChoices";
import { objectsOf } from "./objects";
import type { RequestLog } from "./requestLog";
import { rowOf } from "./row";

export type Overview = ReturnType<typeof overviewOf>;

const mostRows = 500;
const mostRequests = 100;

/** What the page shows: everything that is billed now, the most expensive first, the latest requests, and what waits for them. */
export function overviewOf(world: World, log: RequestLog, faults: FaultLine[]) {
  const at = world.clock.now();
  const billing = [...objectsOf(world, at)].filter(({ life }) => isBilling(life, at));
  const rows = billing.map((object) => rowOf(object, at));
  rows.sort((a, b) => b.costPerHour - a.costPerHour || a.createdAt.localeCompare(b.createdAt));
  return {
    now: formatTimestamp(at),
    balances: [...new Set(world.settings.accounts.values())].map((account) => ({
      account,
      usd: roundUsd(balanceAt(world, at, account)),
    })),
    spent: roundUsd(spentUntil(world, at)),
    costPerHour: roundUsd(rows.reduce((sum, { costPerHour }) => sum + costPerHour, 0)),
    total: rows.length,
    rows: rows.slice(0, mostRows),
    requests: {
      total: log.read().total,
      latest: log.latest(mostRequests).map((request) => ({ ...request, at: formatTimestamp(request.at) })),
    },
    faults,
  };
}

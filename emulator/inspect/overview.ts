import { balanceAt, costUntil, isBilling, perHourAt, roundUsd, spentUntil } from "../nouns";
import type { World } from "../state";
import { formatTimestamp } from "../timestamp";
import { objectsOf } from "./objects";

export type Overview = ReturnType<typeof overviewOf>;

const mostRows = 500;

/** What the page shows: everything that is billed now, the most expensive first. */
export function overviewOf(world: World) {
  const at = world.clock.now();
  const billing = [...objectsOf(world, at)].filter(({ life }) => isBilling(life, at));
  const rows = billing.map(({ kind, id, label, status, region, what, life, price }) => ({
    kind,
    id,
    label,
    status,
    region,
    what,
    costPerHour: perHourAt(price, at),
    costSoFar: roundUsd(costUntil(price, life, at)),
    createdAt: formatTimestamp(life.createdAt),
  }));
  rows.sort((a, b) => b.costPerHour - a.costPerHour || a.createdAt.localeCompare(b.createdAt));
  return {
    now: formatTimestamp(at),
    balance: roundUsd(balanceAt(world, at)),
    spent: roundUsd(spentUntil(world, at)),
    costPerHour: roundUsd(rows.reduce((sum, { costPerHour }) => sum + costPerHour, 0)),
    total: rows.length,
    rows: rows.slice(0, mostRows),
  };
}

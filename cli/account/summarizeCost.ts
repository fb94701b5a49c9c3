import { roundUsd } from "../../provider/lifecycle";
import { accruedAt, ageAt, type Billable, compare, sizeOf, sumOf } from "../money";
import type { Situation } from "./situation";

/** What runs and what it costs, in USD. */
export interface CostReport {
  stack: { name: string } & CostGroup;
  /** What the account runs besides. */
  elsewhere: CostGroup;
  total: CostSum;
  balance: number;
  /** Hours that the balance lasts at the known prices; null where nothing draws on it. */
  hoursLeft: number | null;
  /** Kinds that the service does not list: there may be more of them. */
  notListed: string[];
}

export interface CostGroup extends CostSum {
  things: CostRow[];
}

export interface CostSum {
  perHour: number;
  accrued: number;
  /** Prices that are not known, and in no sum. */
  unknown: number;
}

export interface CostRow {
  name: string;
  kind: string;
  id: string;
  size: string;
  region: string | null;
  status: string | null;
  createdAt: string | null;
  ageSeconds: number | null;
  costPerHour: number | null;
  accrued: number | null;
}

export function summarizeCost(situation: Situation, balance: number, now: number): CostReport {
  const { name, own, unseen, others, notListed } = situation;
  // What is in the state and of a kind that nothing lists is believed to run.
  const stack = group([...own, ...unseen.filter(({ kind }) => isUnlisted(kind, notListed))], now);
  const elsewhere = group(others, now);
  const total = {
    perHour: roundUsd(stack.perHour + elsewhere.perHour),
    accrued: roundUsd(stack.accrued + elsewhere.accrued),
    unknown: stack.unknown + elsewhere.unknown,
  };
  return {
    stack: { name, ...stack },
    elsewhere,
    total,
    balance,
    hoursLeft: total.perHour > 0 ? Math.floor(Math.max(0, balance) / total.perHour) : null,
    notListed,
  };
}

function isUnlisted(kind: string, notListed: readonly string[]): boolean {
  return kind === "virtual machine" && notListed.includes("virtual-machine rentals");
}

function group(billables: readonly (Billable & { id: string })[], now: number): CostGroup {
  const things = billables.map((billable) => rowOf(billable, now));
  const { perHour, unknown } = sumOf(billables);
  return {
    perHour,
    accrued: roundUsd(things.reduce((sum, { accrued }) => sum + (accrued ?? 0), 0)),
    unknown,
    things: things.sort(
      (one, other) =>
        (other.costPerHour ?? -1) - (one.costPerHour ?? -1) ||
        compare(one.kind, other.kind) ||
        compare(one.name, other.name) ||
        compare(one.id, other.id),
    ),
  };
}

function rowOf(billable: Billable & { id: string }, now: number): CostRow {
  const { name, kind, id, region, status, createdAt, costPerHour } = billable;
  return {
    name,
    kind,
    id,
    size: sizeOf(billable),
    region: region ?? null,
    status: status ?? null,
    createdAt: createdAt ?? null,
    ageSeconds: ageAt(billable, now),
    costPerHour: costPerHour ?? null,
    accrued: accruedAt(billable, now) ?? null,
  };
}

import { roundUsd } from "../../provider/shared/money";
import { type Billable, sumOf } from "../money";
import type { BilledChange } from "./billedChange";

/**
 * What a change does to the cost, as far as that can be said. An unknown price is not zero, so there is a figure only where every
 * price is known, or where what is unknown can only make the change cheaper than the figure.
 */
export type CostChange =
  | { kind: "none" }
  | { kind: "known"; perHour: number; estimated: boolean }
  /** Prices are unknown only of what ends: it costs at most this much more, or saves at least this much. */
  | { kind: "at-most"; perHour: number; estimated: boolean; unknown: number }
  /** Prices of what is new are unknown: so many of so many. */
  | { kind: "unknown"; unknown: number; of: number };

export function costChangeOf(changes: readonly BilledChange[]): CostChange {
  const differing = changes.filter(isDifferent);
  const billedBefore = differing.flatMap((change) => change.billedBefore);
  const billedAfter = differing.flatMap((change) => change.billedAfter);
  if (billedBefore.length + billedAfter.length === 0) return { kind: "none" };
  const [before, after] = withoutEquals(billedBefore, billedAfter);
  const [ending, starting] = [sumOf(before), sumOf(after)];
  if (starting.unknown > 0) return { kind: "unknown", unknown: starting.unknown, of: after.length };
  const perHour = roundUsd(starting.perHour - ending.perHour);
  const estimated = ending.estimated || starting.estimated;
  if (ending.unknown > 0) return { kind: "at-most", perHour, estimated, unknown: ending.unknown };
  return { kind: "known", perHour, estimated };
}

/** Whether it starts or stops something, so that what it costs is part of the change. */
export function isDifferent({ op }: BilledChange): boolean {
  return op !== "same" && op !== "update";
}

/** Without those of an unknown price that end while an equal one starts: whatever their price is, it stays. */
function withoutEquals(before: readonly Billable[], after: readonly Billable[]): [Billable[], Billable[]] {
  const ending = new Map<string, number>();
  for (const billable of before.filter(isUnpriced)) {
    ending.set(likenessOf(billable), (ending.get(likenessOf(billable)) ?? 0) + 1);
  }
  const paired = new Map<string, number>();
  const starting = after.filter((billable) => {
    const key = likenessOf(billable);
    const isPaired = isUnpriced(billable) && (paired.get(key) ?? 0) < (ending.get(key) ?? 0);
    if (isPaired) paired.set(key, (paired.get(key) ?? 0) + 1);
    return !isPaired;
  });
  const rest = before.filter((billable) => {
    const left = isUnpriced(billable) ? (paired.get(likenessOf(billable)) ?? 0) : 0;
    if (left > 0) paired.set(likenessOf(billable), left - 1);
    return left === 0;
  });
  return [rest, starting];
}

function isUnpriced({ costPerHour }: Billable): boolean {
  return costPerHour === undefined;
}

/** What must be equal for the price to be equal. */
function likenessOf({ type, gpus, sizeInGb, region, terms, select }: Billable): string {
  return JSON.stringify([type, gpus, sizeInGb, region, terms, select].map((fact) => fact ?? null));
}

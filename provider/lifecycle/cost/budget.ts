import { OperationUnavailableError } from "../../client";
import { readLabel } from "../../shared/label";
import { roundUsd, showPerHour } from "../../shared/money";
import { readTimestamp } from "../../shared/timestamp";
import type { Operation, OperationContext } from "../definition";
import { isLive, RefusedError, type SharedList, type View } from "../model";

interface Limited {
  maxCostPerHour?: number | undefined;
}

/** Refuses what would cost too much, before anything is spent. Where no price is known yet, nothing is refused. */
export async function refuseOverBudget(
  context: OperationContext<Limited>,
  expected: number | undefined,
): Promise<void> {
  if (expected === undefined) return;
  const { maxCostPerHour } = context.inputs;
  if (maxCostPerHour !== undefined && expected > maxCostPerHour) {
    throw new RefusedError(
      `refused, and nothing was spent: it would cost ${showPerHour(expected)}, more than its maxCostPerHour of ${showPerHour(maxCostPerHour)}. Raise the limit or ask for less.`,
    );
  }
  const limit = context.runtime.settings.maxCostPerHour;
  if (limit === undefined) return;
  const lists = await listAll(context);
  // Nothing is awaited from here to the pledge: creates that run side by side must see each other's.
  const running = stackCost(context, lists);
  const together = roundUsd(running + expected);
  if (together > limit) {
    throw new RefusedError(
      `refused, and nothing was spent: this stack runs ${showPerHour(running)}, and ${showPerHour(expected)} more would make ${showPerHour(together)}, past gpufleet:maxCostPerHour of ${showPerHour(limit)}. Raise the limit or end something first.`,
    );
  }
  context.runtime.pledges.add(context.urn, expected);
}

/** Whether any limit applies, so that the price must be known before the create is done. */
export function hasLimit(context: OperationContext<Limited>): boolean {
  return context.inputs.maxCostPerHour !== undefined || context.runtime.settings.maxCostPerHour !== undefined;
}

/** Why this must be ended at once, or undefined when it is within the limits. */
export async function whyOverBudget(context: OperationContext<Limited>, view: View): Promise<string | undefined> {
  const { costPerHour } = view;
  if (costPerHour === undefined) return undefined;
  const { maxCostPerHour } = context.inputs;
  if (maxCostPerHour !== undefined && costPerHour > maxCostPerHour) {
    return `it costs ${showPerHour(costPerHour)}, more than its maxCostPerHour of ${showPerHour(maxCostPerHour)}`;
  }
  const limit = context.runtime.settings.maxCostPerHour;
  if (limit === undefined) return undefined;
  const earlier = stackCost(context, await listAll(context), view);
  const together = roundUsd(earlier + costPerHour);
  return together > limit
    ? `this stack already ran ${showPerHour(earlier)}, and its ${showPerHour(costPerHour)} made ${showPerHour(together)}, past gpufleet:maxCostPerHour of ${showPerHour(limit)}`
    : undefined;
}

/** What this stack runs by its mark. With `than`, only what was there before it: of two made at once, the later one yields. */
function stackCost(context: Operation, listed: readonly View[], than?: View): number {
  const ids = new Set<string>();
  let sum = 0;
  for (const view of listed) {
    if (readLabel(view.label)?.stack !== context.marks.stack || !isLive(view)) continue;
    ids.add(view.id);
    if (than === undefined || isBefore(view, than)) sum += view.costPerHour ?? 0;
  }
  return than === undefined ? sum + context.runtime.pledges.sumWithout(ids, context.urn) : sum;
}

/** Everything that the account runs. */
async function listAll({ runtime: { kinds, lists } }: Operation): Promise<View[]> {
  return (await Promise.all(kinds.map((kind) => viewsOf(lists.of(kind))))).flat();
}

async function viewsOf(list: SharedList<unknown>): Promise<View[]> {
  try {
    return (await list.latest()).views();
  } catch (error) {
    if (error instanceof OperationUnavailableError) return [];
    throw error;
  }
}

function isBefore(view: View, other: View): boolean {
  const [left, right] = [readTimestamp(view.createdAt) ?? 0, readTimestamp(other.createdAt) ?? 0];
  return left === right ? Number(view.id) < Number(other.id) : left < right;
}

import { OperationUnavailableError } from "../../client";
import { readTimestamp } from "../../service";
import { readLabel } from "../../shared/label";
import { roundUsd, showPerHour } from "../../shared/money";
import type { Work } from "../model/context";
import { RefusedError } from "../model/errors";
import { isLive, type View } from "../model/view";

/** What is about to be rented, by URN: creates that run side by side must not each spend the same room of the budget. */
export class Pledges {
  private readonly byUrn = new Map<string, { costPerHour: number; id?: string }>();

  add(urn: string, costPerHour: number): void {
    this.byUrn.set(urn, { costPerHour });
  }

  /** From here on it is counted by its record, once a list shows it. */
  fulfil(urn: string, id: string): void {
    const pledge = this.byUrn.get(urn);
    if (pledge) pledge.id = id;
  }

  drop(urn: string): void {
    this.byUrn.delete(urn);
  }

  sumWithout(ids: ReadonlySet<string>, urn: string): number {
    let sum = 0;
    for (const [owner, pledge] of this.byUrn) {
      if (owner !== urn && (pledge.id === undefined || !ids.has(pledge.id))) sum += pledge.costPerHour;
    }
    return sum;
  }
}

interface Limited {
  maxCostPerHour?: number | undefined;
}

/** Refuses what would cost too much, before anything is spent. Where no price is known yet, nothing is refused. */
export async function refuseTooDear(work: Work<Limited>, expected: number | undefined): Promise<void> {
  if (expected === undefined) return;
  const { maxCostPerHour } = work.inputs;
  if (maxCostPerHour !== undefined && expected > maxCostPerHour) {
    throw new RefusedError(
      `refused, and nothing was spent: it would cost ${showPerHour(expected)}, more than its maxCostPerHour of ${showPerHour(maxCostPerHour)}. Raise the limit or ask for less.`,
    );
  }
  const limit = work.runtime.settings.maxCostPerHour;
  if (limit === undefined) return;
  const lists = await listAll(work);
  // Nothing is awaited from here to the pledge: creates that run side by side must see each other's.
  const running = stackCost(work, lists);
  const together = roundUsd(running + expected);
  if (together > limit) {
    throw new RefusedError(
      `refused, and nothing was spent: this stack runs ${showPerHour(running)}, and ${showPerHour(expected)} more would make ${showPerHour(together)}, past gpufleet:maxCostPerHour of ${showPerHour(limit)}. Raise the limit or end something first.`,
    );
  }
  work.runtime.pledges.add(work.urn, expected);
}

/** Whether any limit applies, so that the price must be known before the create is done. */
export function hasLimit(work: Work<Limited>): boolean {
  return work.inputs.maxCostPerHour !== undefined || work.runtime.settings.maxCostPerHour !== undefined;
}

/** Why this must be ended at once, or undefined when it is within the limits. */
export async function whyTooDear(work: Work<Limited>, view: View): Promise<string | undefined> {
  const { costPerHour } = view;
  if (costPerHour === undefined) return undefined;
  const { maxCostPerHour } = work.inputs;
  if (maxCostPerHour !== undefined && costPerHour > maxCostPerHour) {
    return `it costs ${showPerHour(costPerHour)}, more than its maxCostPerHour of ${showPerHour(maxCostPerHour)}`;
  }
  const limit = work.runtime.settings.maxCostPerHour;
  if (limit === undefined) return undefined;
  const earlier = stackCost(work, await listAll(work), view);
  const together = roundUsd(earlier + costPerHour);
  return together > limit
    ? `this stack already ran ${showPerHour(earlier)}, and its ${showPerHour(costPerHour)} made ${showPerHour(together)}, past gpufleet:maxCostPerHour of ${showPerHour(limit)}`
    : undefined;
}

/** What this stack runs by its mark. With `than`, only what was there before it: of two made at once, the later one yields. */
function stackCost(work: Work<unknown>, listed: readonly View[], than?: View): number {
  const ids = new Set<string>();
  let sum = 0;
  for (const view of listed) {
    if (readLabel(view.label)?.stack !== work.marks.stack || !isLive(view)) continue;
    ids.add(view.id);
    if (than === undefined || isBefore(view, than)) sum += view.costPerHour ?? 0;
  }
  return than === undefined ? sum + work.runtime.pledges.sumWithout(ids, work.urn) : sum;
}

/** Everything that the account runs. */
async function listAll({ runtime: { kinds, lists } }: Work<unknown>): Promise<View[]> {
  return (await Promise.all(kinds.map((kind) => viewsOf(lists.of(kind))))).flat();
}

async function viewsOf(list: { any(): Promise<{ views(): View[] }> }): Promise<View[]> {
  try {
    return (await list.any()).views();
  } catch (error) {
    if (error instanceof OperationUnavailableError) return [];
    throw error;
  }
}

function isBefore(view: View, other: View): boolean {
  const [left, right] = [readTimestamp(view.createdAt) ?? 0, readTimestamp(other.createdAt) ?? 0];
  return left === right ? Number(view.id) < Number(other.id) : left < right;
}

import { byNumber } from "../../shared/byNumber";
import { resourceMark } from "../../shared/label";
import { roundUsd, showPerHour } from "../../shared/money";
import { nameOf } from "../../shared/urn";
import { listOf } from "../context";
import type { OperationContext } from "../definition";
import { isLive, type Snapshot, type View } from "../model";

/**
 * Why a member at this price puts its fleet over budget, or undefined when it does not. Members that are not listed yet are
 * taken to cost the same: so a fleet that is over budget as a whole is refused as a whole, not when its limit is used up.
 */
export async function whyFleetOverBudget(
  context: OperationContext,
  costPerHour: number | undefined,
): Promise<string | undefined> {
  const { fleet } = context;
  if (!fleet || costPerHour === undefined) return undefined;
  const snapshot = await listOf(context).latest();
  const costs = otherMembers(context.urn, fleet.count).map((urn) => {
    const [live] = liveOf(context, snapshot, urn);
    return live?.costPerHour ?? costPerHour;
  });
  const total = roundUsd(costs.reduce((sum, cost) => sum + cost, costPerHour));
  if (total <= fleet.maxCostPerHour) return undefined;
  return `the fleet of ${fleet.count} would cost ${showPerHour(total)}, more than its maxCostPerHour of ${showPerHour(fleet.maxCostPerHour)}`;
}

/** The machines that run for a resource of this stack. */
function liveOf({ marks }: OperationContext, snapshot: Snapshot<unknown>, urn: string): View[] {
  return snapshot.withMarks({ stack: marks.stack, resource: resourceMark(urn) }).filter(isLive);
}

/** What runs for the fleet of a member, itself included: by the name of each, old ones that are to be replaced among them. */
export function runningMembers(
  context: OperationContext,
  snapshot: Snapshot<unknown>,
  count: number,
): { name: string; view: View }[] {
  const urns = [context.urn, ...otherMembers(context.urn, count)];
  const found = urns.flatMap((urn) => liveOf(context, snapshot, urn).map((view) => ({ name: nameOf(urn), view })));
  return found.sort((one, other) => byNumber(one.name, other.name));
}

/** The URNs of the others. Members are named `<fleet>-<index>`, so one URN gives them all. */
function otherMembers(urn: string, count: number): string[] {
  const stem = urn.replace(/\d+$/, "");
  return Array.from({ length: count }, (_, index) => `${stem}${index}`).filter((other) => other !== urn);
}

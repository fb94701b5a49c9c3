import { marksOfMembers, readMember } from "../../shared/fleetNames";
import { readLabel, resourceMark } from "../../shared/label";
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

/** A machine that runs for a member of a fleet. */
export interface RunningMember {
  name: string;
  /** The place of the member in its fleet. */
  index: number;
  view: View;
}

/** What runs for the fleet of a member: old ones that are to be replaced among them, and those that a smaller count has no place for. */
export function runningMembers({ marks, type, urn }: OperationContext, snapshot: Snapshot<unknown>): RunningMember[] {
  const own = readMember(nameOf(urn));
  const live = snapshot.views().filter((view) => isLive(view) && readLabel(view.label)?.stack === marks.stack);
  if (!own || live.length === 0) return [];
  const names = marksOfMembers(urn, type, own.fleet);
  const found = live.flatMap((view): RunningMember[] => {
    const name = names.get(readLabel(view.label)?.resource ?? "");
    const member = name === undefined ? undefined : readMember(name);
    return name === undefined || !member ? [] : [{ name, index: member.index, view }];
  });
  return found.sort((one, other) => one.index - other.index);
}

/** The URNs of the others. Members are named `<fleet>-<index>`, so one URN gives them all. */
function otherMembers(urn: string, count: number): string[] {
  const stem = urn.replace(/\d+$/, "");
  return Array.from({ length: count }, (_, index) => `${stem}${index}`).filter((other) => other !== urn);
}

import { z } from "zod";
import { resourceMark } from "../../shared/label";
import { roundUsd, showPerHour } from "../../shared/money";
import type { Work } from "../model/context";
import type { SharedList } from "../model/sharedList";
import { isLive } from "../model/view";

/** The hidden input that a fleet with a limit gives its members. Hidden, so that another count or limit changes none of them. */
export const fleetKey = "__fleet";

const fleetLimit = z.object({ count: z.int().positive(), maxCostPerHour: z.number().positive() });

/** What the whole fleet of a member may cost, and how many members it is to have. */
export type FleetLimit = z.output<typeof fleetLimit>;

export function readFleetLimit(value: unknown): FleetLimit | undefined {
  return fleetLimit.safeParse(value).data;
}

/**
 * Why a member at this price makes its fleet too dear, or undefined when it does not. Members that are not listed yet are
 * taken to cost the same: so a fleet that is too dear as a whole is refused as a whole, not when its limit is used up.
 */
export async function whyFleetTooDear<Item>(
  work: Work<unknown>,
  list: SharedList<Item>,
  costPerHour: number | undefined,
): Promise<string | undefined> {
  const { fleet } = work;
  if (!fleet || costPerHour === undefined) return undefined;
  const snapshot = await list.any();
  const costs = otherMembers(work.urn, fleet.count).map((urn) => {
    const marks = { stack: work.marks.stack, resource: resourceMark(urn) };
    const [live] = snapshot.withMarks(marks).filter(isLive);
    return live?.costPerHour ?? costPerHour;
  });
  const total = roundUsd(costs.reduce((sum, cost) => sum + cost, costPerHour));
  if (total <= fleet.maxCostPerHour) return undefined;
  return `the fleet of ${fleet.count} would cost ${showPerHour(total)}, more than its maxCostPerHour of ${showPerHour(fleet.maxCostPerHour)}`;
}

/** The URNs of the others. Members are named `<fleet>-<index>`, so one URN gives them all. */
function otherMembers(urn: string, count: number): string[] {
  const stem = urn.replace(/\d+$/, "");
  return Array.from({ length: count }, (_, index) => `${stem}${index}`).filter((other) => other !== urn);
}

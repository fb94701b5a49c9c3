import {
  isLive,
  isShown,
  knownSum,
  type Operation,
  RefusedError,
  WaitFailedError,
  whyLateOverBudget,
} from "../../lifecycle";
import { memberUrn } from "../../shared/fleetNames";
import { messageOf } from "../../shared/messageOf";
import { isOver, raiseTheLimit, showPerHour } from "../../shared/money";
import { costsOf, type Member } from "./members";

export interface FleetCost {
  /** The type of its members. */
  type: string;
  maxCostPerHour: number | undefined;
  /** What the shared volume adds; undefined where that is unknown. */
  volume: number | undefined;
  members: readonly Member[];
  /** Those of them that came with this operation. */
  fresh: readonly Member[];
  /** Whether the prices of all have shown only since an earlier run has created them. */
  isLate: boolean;
}

/** The last look at what a fleet costs: for its own limit, and for that of its stack. */
export async function keepWithinLimits(
  operation: Operation,
  cost: FleetCost,
  end: (member: Member) => Promise<void>,
): Promise<void> {
  await keepWithinLimit(operation, cost, end);
  const late = lateAmong(operation, cost, cost.fresh);
  const reason = await whyLateOverBudget(operation, late);
  const members = late.map(({ member }) => member);
  if (reason !== undefined) await endAll(reason, members, end);
  const since = cost.isLate ? await whyLateOverBudget(operation, lateAmong(operation, cost, cost.members)) : undefined;
  if (since !== undefined) refuseEarlier(since);
}

/** Those that were not held against the limit of the stack at the price that has shown. */
function lateAmong(operation: Operation, { type }: FleetCost, members: readonly Member[]) {
  return members.flatMap((member) => {
    const { name, id, view } = member;
    const key = `${type} ${id}`;
    if (!view || !isLive(view) || !isShown(view) || operation.runtime.pledges.hasPassedAsShown([key])) return [];
    return [{ member, urn: memberUrn(operation.urn, type, name), key, view }];
  });
}

/** What an earlier run has created may be in use: it is not ended, and does not pass either. */
function refuseEarlier(reason: string): never {
  throw new RefusedError(
    `${reason}. Its machines were not terminated, because an earlier run created them. ${raiseTheLimit}`,
  );
}

async function endAll(
  reason: string,
  members: readonly Member[],
  end: (member: Member) => Promise<void>,
): Promise<never> {
  const ends = await Promise.allSettled(members.map(end));
  const failed = members.flatMap(({ name }, index) => {
    const end = ends[index];
    return end?.status === "rejected" ? [`${name}: ${messageOf(end.reason)}`] : [];
  });
  const names = members.map(({ name }) => name).join(", ");
  throw new WaitFailedError(
    failed.length > 0
      ? `${reason}. Of the new ones (${names}) not all could be terminated: ${failed.join("; ")}`
      : `${reason}. The new ones were terminated immediately: ${names}`,
  );
}

/**
 * Its members were held against the limit when they were rented, where a price was known;
 * what has become more expensive since is ended if it is new. What ran before is not, and neither is a volume: it holds data.
 */
async function keepWithinLimit(
  operation: Operation,
  { maxCostPerHour, volume = 0, members, fresh, isLate }: FleetCost,
  end: (member: Member) => Promise<void>,
): Promise<void> {
  if (maxCostPerHour === undefined) return;
  const warn = (text: string) => operation.runtime.engine.warn(operation.urn, text);
  const unpriced = costsOf(members).filter(({ costPerHour }) => costPerHour === undefined).length;
  if (unpriced > 0) {
    warn(
      `the service shows no price for ${unpriced} of ${members.length} machines, so maxCostPerHour could not be enforced`,
    );
  }
  const machines = knownSum(costsOf(members));
  const limit = `more than maxCostPerHour of ${showPerHour(maxCostPerHour)}`;
  if (isOver(machines, maxCostPerHour) && fresh.length > 0) {
    await endAll(`its machines cost ${showPerHour(machines)}, ${limit}`, fresh, end);
  }
  if (isOver(machines, maxCostPerHour)) {
    if (isLate) refuseEarlier(`its machines cost ${showPerHour(machines)}, ${limit}`);
    warn(`its machines cost ${showPerHour(machines)}, ${limit}; running machines are not terminated`);
  } else if (isOver(machines + volume, maxCostPerHour)) {
    warn(
      `with its volume it costs ${showPerHour(machines + volume)}, ${limit}; volumes are not deleted for their price`,
    );
  }
}

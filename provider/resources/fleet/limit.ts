import { knownSum, type Operation, WaitFailedError } from "../../lifecycle";
import { isOver, showPerHour } from "../../shared/money";
import { costsOf, type Member } from "./members";

export interface FleetCost {
  maxCostPerHour: number | undefined;
  /** What the shared volume adds; undefined where that is unknown. */
  volume: number | undefined;
  members: readonly Member[];
  /** Those of them that came with this operation. */
  fresh: readonly Member[];
}

/**
 * The last look at what a fleet costs. Its members were held against the limit when they were rented, where a price was known;
 * what has become more expensive since is ended if it is new. What ran before is not, and neither is a volume: it holds data.
 */
export async function keepWithinLimit(
  operation: Operation,
  { maxCostPerHour, volume = 0, members, fresh }: FleetCost,
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
    await Promise.all(fresh.map(end));
    const names = fresh.map(({ name }) => name).join(", ");
    throw new WaitFailedError(
      `its machines cost ${showPerHour(machines)}, ${limit}. The new ones were terminated immediately: ${names}`,
    );
  }
  if (isOver(machines, maxCostPerHour)) {
    warn(`its machines cost ${showPerHour(machines)}, ${limit}; running machines are not terminated`);
  } else if (isOver(machines + volume, maxCostPerHour)) {
    warn(
      `with its volume it costs ${showPerHour(machines + volume)}, ${limit}; volumes are not deleted for their price`,
    );
  }
}

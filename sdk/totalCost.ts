import * as pulumi from "@pulumi/pulumi";
import { roundUsd } from "../provider/shared/money";

/** What several things cost together, in USD per hour. */
export interface TotalCost {
  /** Missing if one of the prices is unknown. */
  costPerHour?: number;
  /** The sum of the prices that are known. */
  knownCostPerHour: number;
  /** How many prices are unknown, and not in that sum. */
  unpriced: number;
}

/** Adds up `costPerHour` of machines, volumes and fleets. An unknown price is not zero: it is counted, and there is no total. */
export function totalCost(costs: readonly pulumi.Input<number | undefined>[]): pulumi.Output<TotalCost> {
  return pulumi.all([...costs]).apply((all) => {
    const known = all.filter((cost) => cost !== undefined);
    const knownCostPerHour = roundUsd(known.reduce((sum, cost) => sum + cost, 0));
    const unpriced = all.length - known.length;
    return { ...(unpriced === 0 && { costPerHour: knownCostPerHour }), knownCostPerHour, unpriced };
  });
}

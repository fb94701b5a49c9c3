import { namesOf } from "../../provider/lifecycle";
import type { Billable } from "../money";
import type { Holding } from "./holdings";

/** The one of the account that is to be taken over; undefined where it is not listed. */
export function findAdopted(holdings: readonly Holding[], { type, id, isAdopted }: Billable): Holding | undefined {
  if (!isAdopted || id === undefined) return undefined;
  return holdings.find((holding) => holding.type === type && namesOf(holding).includes(id));
}

/** Fills in the price that the account's lists show of what is to be taken over. */
export function lookUpAdopted(holdings: readonly Holding[], billables: readonly Billable[]): Billable[] {
  return billables.map((billable) => {
    const { costPerHour, estimated } = findAdopted(holdings, billable) ?? {};
    return costPerHour === undefined ? billable : { ...billable, costPerHour, estimated };
  });
}

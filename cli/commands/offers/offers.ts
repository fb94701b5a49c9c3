import type { Runtime } from "../../../provider/lifecycle";
import type { Search } from "./asked";
import { type KnownRentals, knownRentals } from "./rentals";
import { type FoundMachines, searchMachines } from "./search";

/** What can be rented, as far as it is known. */
export interface Offers extends FoundMachines, KnownRentals {
  asked: Search;
}

export async function findOffers(runtime: Runtime, asked: Search): Promise<Offers> {
  return { asked, ...(await searchMachines(runtime, asked)), ...(await knownRentals(runtime, asked)) };
}

import type { Output } from "@pulumi/pulumi";
import type { CallOptions } from "../connection";
import { callService } from "../service";
import { type InputsOf, type OutputCallOptions, whenKnown } from "./invoke";
import { type ListedRental, listedRental, type RentalCriteria } from "./listedRental";
import { matches } from "./matching";
import { warnOfUnreadable } from "./unreadableItems";

export interface GetVmRentalsArgs extends RentalCriteria {}

export interface GetVmRentalsResult {
  rentals: ListedRental[];
}

/**
 * Lists all virtual-machine rentals of the account, including those that this stack did not create. The service does not
 * document this list. If it has none, the error says what to configure.
 */
export async function getVmRentals(
  args: GetVmRentalsArgs = {},
  options: CallOptions = {},
): Promise<GetVmRentalsResult> {
  return callService("getVmRentals", args, options, async (service) => {
    const { client } = service;
    const { label, region, status, gpuType } = args;
    const { viewOfVm }: typeof import("../../provider/resources") = require("../../provider/resources");
    const records = await client.listVmRentals({ signal: options.signal });
    warnOfUnreadable(service, "virtual-machine rentals", records);
    const rentals = records.map((record) => listedRental(viewOfVm(record, client.serviceNow()), record));
    return { rentals: rentals.filter((rental) => matches(rental, { label, region, status, gpuType })) };
  });
}

export function getVmRentalsOutput(
  args: InputsOf<GetVmRentalsArgs> = {},
  options: OutputCallOptions = {},
): Output<GetVmRentalsResult> {
  return whenKnown(args, options).apply((known) => getVmRentals(known, options));
}

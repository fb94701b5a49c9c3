import type { Output } from "@pulumi/pulumi";
import type { ActiveBareMetalRental } from "../../provider/service";
import type { CallOptions } from "../connection";
import type { AttachedVolume, Node, Term } from "../machine";
import { callService } from "../service";
import { type InputsOf, type OutputCallOptions, whenKnown } from "./invoke";
import { type ListedRental, listedRental, type RentalCriteria } from "./listedRental";
import { matches } from "./matching";
import { warnOfUnreadable } from "./unreadableItems";

export interface GetBareMetalRentalsArgs extends RentalCriteria {}

export interface ListedBareMetalRental extends ListedRental {
  networkType: string;
  gpuFormFactor: string;
  nodes: Node[];
  term: Term;
  attachedStorage: AttachedVolume[];
}

export interface GetBareMetalRentalsResult {
  rentals: ListedBareMetalRental[];
}

/** Lists all bare-metal rentals of the account, including those that this stack did not create. */
export async function getBareMetalRentals(
  args: GetBareMetalRentalsArgs = {},
  options: CallOptions = {},
): Promise<GetBareMetalRentalsResult> {
  return callService("getBareMetalRentals", args, options, async (service) => {
    const { client } = service;
    const { label, region, status, gpuType } = args;
    const { bareMetalRentals }: typeof import("../../provider/resources") = require("../../provider/resources");
    const records = await client.listBareMetalRentals({ signal: options.signal });
    warnOfUnreadable(service, "bare-metal rentals", records);
    const rentals = records.map((record) => ({
      ...listedRental(bareMetalRentals.view(record, client.serviceNow()), record),
      networkType: record.connectionType ?? "unknown",
      gpuFormFactor: record.gpuFormFactor ?? "unknown",
      nodes: (record.nodes ?? []).map(({ cpuModel, cpuCount, gpuCount, ramGb, storageGb }) => ({
        cpuModel,
        cpuCount,
        gpuCount,
        ramGb,
        storageGb,
      })),
      term: termOf(record.currentTerm),
      attachedStorage: (record.attachedStorage ?? record.meta?.attached_storage ?? []).map((volume) => ({
        id: volume.id,
        label: volume.label,
        sizeInGb: volume.size_in_gb,
        costPerHour: volume.cost_per_hour,
        vip: volume.vip,
      })),
    }));
    return { rentals: rentals.filter((rental) => matches(rental, { label, region, status, gpuType })) };
  });
}

function termOf(term: ActiveBareMetalRental["currentTerm"]): Term {
  const { termType = "unknown", costPerHour, effectiveAt, reservedUntil, reservationEndsAt } = term ?? {};
  const { termPeriodDays, discountPercentage, originalCostPerHour } = term ?? {};
  return {
    termType,
    ...(typeof costPerHour === "number" && { costPerHour }),
    ...(effectiveAt !== undefined && { effectiveAt }),
    ...(reservedUntil !== undefined && { reservedUntil }),
    ...(reservationEndsAt !== undefined && { reservationEndsAt }),
    ...(termPeriodDays !== undefined && { termPeriodDays }),
    ...(discountPercentage !== undefined && { discountPercentage }),
    ...(originalCostPerHour !== undefined && { originalCostPerHour }),
  };
}

export function getBareMetalRentalsOutput(
  args: InputsOf<GetBareMetalRentalsArgs> = {},
  options: OutputCallOptions = {},
): Output<GetBareMetalRentalsResult> {
  return whenKnown(args, options).apply((known) => getBareMetalRentals(known, options));
}

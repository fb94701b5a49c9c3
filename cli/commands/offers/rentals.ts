import type { Runtime } from "../../../provider/lifecycle";
import { messageOf } from "../../../provider/shared/messageOf";
import { isOver, roundUsd } from "../../../provider/shared/money";
import { gpusPerNode } from "../../../provider/shared/offer";
import { anyRegion, type Prices, storagePrice } from "../../../provider/shared/prices";
import { regions } from "../../../provider/shared/region";
import { type Gap, gapNotes, type Holding, listHoldings } from "../../account";
import { compare } from "../../money";
import { marketplaceInstanceType, nounOf } from "../../stack";
import type { Search } from "./asked";

/** A rental whose price is known. The service has neither a price list nor a list of what is free. */
export interface KnownRental {
  /** "bare-metal rental"; "rental" where the price book does not tell them apart. */
  kind: string;
  gpuModel: string;
  /** Undefined for every region that the price book does not name. */
  region: string | undefined;
  /** USD. */
  pricePerGpuHour: number;
  /** GPUs that would be billed: bare metal comes in whole nodes. */
  gpuCount: number;
  source: { kind: "account"; name: string } | { kind: "priceBook" };
}

export interface KnownRentals {
  /** The cheapest first. */
  rentals: KnownRental[];
  /** Why there are none, or not all of them, in words. */
  rentalNotes: string[];
}

export async function knownRentals(runtime: Runtime, asked: Search): Promise<KnownRentals> {
  const { minGpuRamGb, needsPersistentStorage } = asked.criteria;
  if (minGpuRamGb !== undefined || needsPersistentStorage) {
    const option = minGpuRamGb === undefined ? "--needs-persistent-storage" : "--min-gpu-ram-gb";
    return { rentals: [], rentalNotes: [`Rentals are left out: the service says nothing of them about ${option}.`] };
  }
  const { holdings, gaps } = await holdingsIn(runtime);
  const all = [...holdings.flatMap((one) => learned(one, asked)), ...booked(runtime.settings.prices, asked)];
  const cheapest = all.sort(
    (one, other) =>
      one.pricePerGpuHour - other.pricePerGpuHour ||
      compare(one.gpuModel, other.gpuModel) ||
      compare(one.region ?? "", other.region ?? "") ||
      compare(one.kind, other.kind),
  );
  const rentals = new Map<string, KnownRental>();
  for (const one of cheapest) {
    const key = JSON.stringify([one.kind, one.gpuModel, one.region]);
    if (!rentals.has(key) && matches(one, asked)) rentals.set(key, one);
  }
  return { rentals: [...rentals.values()], rentalNotes: gapNotes(gaps) };
}

/** The market needs no API key, and is of use without the account. */
async function holdingsIn(runtime: Runtime): Promise<{ holdings: Holding[]; gaps: Gap[] }> {
  try {
    const { holdings, gaps } = await listHoldings(runtime);
    return { holdings, gaps };
  } catch (error) {
    return { holdings: [], gaps: [{ what: "prices of what the account rents", reason: messageOf(error) }] };
  }
}

/** What the service bills for one of its like, by the hour and without a discount. */
function learned(holding: Holding, { gpuCount }: Search): KnownRental[] {
  const { type, name, gpus, region, costPerHour, estimated, terms } = holding;
  if (type === marketplaceInstanceType || !gpus?.count || costPerHour === undefined || estimated) return [];
  if (!terms?.startsWith("on-demand/")) return [];
  return [
    {
      kind: nounOf(type),
      gpuModel: gpus.model,
      region,
      pricePerGpuHour: roundUsd(costPerHour / gpus.count),
      gpuCount: type === "BareMetalRental" ? inWholeNodes(gpuCount) : gpuCount,
      source: { kind: "account", name },
    },
  ];
}

function inWholeNodes(gpuCount: number): number {
  return Math.ceil(gpuCount / gpusPerNode) * gpusPerNode;
}

function booked(prices: Prices, { gpuCount, criteria: { region: wanted } }: Search): KnownRental[] {
  const gpus = [...prices].filter(([name]) => name !== storagePrice);
  return gpus.flatMap(([gpuModel, byRegion]) => {
    // The price for all other regions is that of any region which the book does not name.
    const isOther = wanted !== undefined && isRegion(wanted) && !byRegion.has(wanted);
    return [...byRegion].map(
      ([region, pricePerGpuHour]): KnownRental => ({
        kind: "rental",
        gpuModel,
        region: region !== anyRegion ? region : isOther ? wanted : undefined,
        pricePerGpuHour,
        gpuCount,
        source: { kind: "priceBook" },
      }),
    );
  });
}

function isRegion(name: string): boolean {
  return regions.all.some((region) => region === name);
}

function matches(rental: KnownRental, { criteria }: Search): boolean {
  const { gpuModel, region, maxPricePerHour } = criteria;
  return (
    (gpuModel === undefined || rental.gpuModel.toLowerCase().includes(gpuModel.toLowerCase())) &&
    (region === undefined || rental.region === region) &&
    (maxPricePerHour === undefined || !isOver(rental.pricePerGpuHour * rental.gpuCount, maxPricePerHour))
  );
}

import type { Output } from "@pulumi/pulumi";
import type { MarketplaceMachine } from "../../provider/service";
import type { CallOptions } from "../connection";
import { callService } from "../service";
import { type InputsOf, type OutputCallOptions, whenKnown } from "./invoke";
import { warnOfUnreadable } from "./unreadableItems";

export interface GetMarketplaceMachinesArgs {
  /** Part of the GPU model's name, such as `H100`; upper and lower case are the same. */
  gpuModel?: string | undefined;
  region?: string | undefined;
  /** Minimum number of free GPUs. Default: 1. With 0, fully rented machines are listed as well. */
  minAvailableGpus?: number | undefined;
  /** Minimum memory per GPU, in GB. */
  minGpuRamGb?: number | undefined;
  /** Maximum price per GPU, in USD per hour. */
  maxPricePerGpuHour?: number | undefined;
  /** Only machines with persistent storage. */
  needsPersistentStorage?: boolean | undefined;
  /** Order: cheapest first, most free GPUs first, or most memory per GPU first. Default: `price`. */
  sortBy?: "price" | "availableGpus" | "gpuRam" | undefined;
  /** Maximum number of machines to return. */
  limit?: number | undefined;
  /** Filters that are sent to the service unchanged. It does not document their names. */
  filters?: Record<string, unknown> | undefined;
}

/** A marketplace machine. Pass `clusterName` and `nodeName` to a `MarketplaceInstance` to rent it. */
export interface ListedMarketplaceMachine {
  nodeName: string;
  clusterName: string;
  region: string;
  status: string;
  gpuModel: string;
  gpuRamGb: number;
  gpusTotal: number;
  /** Number of GPUs in use. */
  gpusReserved: number;
  /** Number of GPUs that can be rented now: 0 if the whole machine is reserved or not ready. */
  gpusAvailable: number;
  /** Whether at least one GPU can be rented now. */
  available: boolean;
  /** USD per hour. */
  pricePerGpuHour: number;
  persistentStorage: boolean;
  supplierId: string;
  cpuModel: string | undefined;
  cpuCores: number;
  ramGb: number;
  storageGb: number;
}

export interface GetMarketplaceMachinesResult {
  machines: ListedMarketplaceMachine[];
}

/** Lists the marketplace machines that match. Needs no API key. */
export async function getMarketplaceMachines(
  args: GetMarketplaceMachinesArgs = {},
  options: CallOptions = {},
): Promise<GetMarketplaceMachinesResult> {
  return callService("getMarketplaceMachines", args, options, async (service) => {
    const { client, priceInUsd } = service;
    const { availableGpus }: typeof import("../../provider/service") = require("../../provider/service");
    const { isOffered }: typeof import("../../provider/resources") = require("../../provider/resources");
    const { filters = {} } = args;
    const { instances } = await client.listMarketplaceMachines({ filters }, { signal: options.signal });
    warnOfUnreadable(service, "marketplace machines", instances);
    const machines = instances
      .map((machine) => listedMachine(machine, availableGpus(machine), isOffered(machine), priceInUsd))
      .filter((machine) => matchesCriteria(machine, args))
      .sort(orders[args.sortBy ?? "price"]);
    return { machines: machines.slice(0, args.limit) };
  });
}

function listedMachine(
  machine: MarketplaceMachine,
  gpusFree: number,
  ready: boolean,
  priceInUsd: (price: number) => number,
): ListedMarketplaceMachine {
  const { cpus, gpus, ram, storage } = machine.hardware;
  const gpusAvailable = ready ? gpusFree : 0;
  return {
    nodeName: machine.id,
    clusterName: machine.cluster_name,
    region: machine.location.region,
    status: machine.status,
    gpuModel: gpus[0]?.model ?? "unknown",
    gpuRamGb: gpus[0]?.ram ?? 0,
    gpusTotal: machine.gpus_total,
    gpusReserved: machine.gpus_reserved,
    gpusAvailable,
    available: gpusAvailable > 0,
    pricePerGpuHour: priceInUsd(machine.pricing.price.amount),
    persistentStorage: machine.has_persistent_storage,
    supplierId: machine.supplier_id,
    cpuModel: cpus[0]?.model,
    cpuCores: cpus.reduce((sum, { cores }) => sum + cores, 0),
    ramGb: ram.reduce((sum, { capacity }) => sum + capacity, 0),
    storageGb: storage.reduce((sum, { capacity }) => sum + capacity, 0),
  };
}

function matchesCriteria(machine: ListedMarketplaceMachine, args: GetMarketplaceMachinesArgs): boolean {
  const { gpuModel, region, minAvailableGpus = 1, minGpuRamGb = 0, maxPricePerGpuHour, needsPersistentStorage } = args;
  return (
    (gpuModel === undefined || machine.gpuModel.toLowerCase().includes(gpuModel.toLowerCase())) &&
    (region === undefined || machine.region === region) &&
    machine.gpusAvailable >= minAvailableGpus &&
    machine.gpuRamGb >= minGpuRamGb &&
    (maxPricePerGpuHour === undefined || machine.pricePerGpuHour <= maxPricePerGpuHour) &&
    (needsPersistentStorage !== true || machine.persistentStorage)
  );
}

type Order = (one: ListedMarketplaceMachine, other: ListedMarketplaceMachine) => number;

/** Ties are broken by name, so that the order is stable. */
const byPrice: Order = (one, other) =>
  one.pricePerGpuHour - other.pricePerGpuHour || one.nodeName.localeCompare(other.nodeName);

const orders: Record<NonNullable<GetMarketplaceMachinesArgs["sortBy"]>, Order> = {
  price: byPrice,
  availableGpus: (one, other) => other.gpusAvailable - one.gpusAvailable || byPrice(one, other),
  gpuRam: (one, other) => other.gpuRamGb - one.gpuRamGb || byPrice(one, other),
};

export function getMarketplaceMachinesOutput(
  args: InputsOf<GetMarketplaceMachinesArgs> = {},
  options: OutputCallOptions = {},
): Output<GetMarketplaceMachinesResult> {
  return whenKnown(args, options).apply((known) => getMarketplaceMachines(known, options));
}

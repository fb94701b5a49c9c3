import type { Output } from "@pulumi/pulumi";
import type { MarketplaceMachine } from "../../provider/service";
import { type CallOptions, connect, marketplacePriceInUsd } from "../connection";
import { type InputsOf, type OutputCallOptions, whenKnown } from "./invoke";

export interface GetMarketplaceMachinesArgs {
  /** Part of the GPU's model name, such as `H100`, in any case. */
  gpuModel?: string | undefined;
  region?: string | undefined;
  /** The least number of GPUs that must be free. Default: 1; 0 lists machines that are taken, too. */
  minAvailableGpus?: number | undefined;
  /** The least memory per GPU, in GB. */
  minGpuRamGb?: number | undefined;
  /** The most that one GPU may cost, in USD per hour. */
  maxPricePerGpuHour?: number | undefined;
  needsPersistentStorage?: boolean | undefined;
  /** What comes first: the cheapest, the most free GPUs, or the most memory per GPU. Default: `price`. */
  sortBy?: "price" | "availableGpus" | "gpuRam" | undefined;
  /** How many to list at most. */
  limit?: number | undefined;
  /** Handed to the service as they are; which keys it understands is not documented. */
  filters?: Record<string, unknown> | undefined;
}

/** A machine of the marketplace. `clusterName` and `nodeName` are what a `MarketplaceInstance` takes. */
export interface ListedMarketplaceMachine {
  nodeName: string;
  clusterName: string;
  region: string;
  status: string;
  gpuModel: string;
  gpuRamGb: number;
  gpusTotal: number;
  /** GPUs in use. */
  gpusReserved: number;
  /** GPUs that can be rented now: none where the machine as a whole is reserved or not ready. */
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

/** The machines of the marketplace that fit, the best first. Needs no API key. */
export async function getMarketplaceMachines(
  args: GetMarketplaceMachinesArgs = {},
  options: CallOptions = {},
): Promise<GetMarketplaceMachinesResult> {
  const { availableGpus }: typeof import("../../provider/service") = require("../../provider/service");
  const records: typeof import("../../provider/records/marketplaceMachines") = require("../../provider/records/marketplaceMachines");
  const isReady = ({ status }: MarketplaceMachine) =>
    records.marketplaceMachines.statuses.ready?.includes(status) ?? true;
  const { filters = {} } = args;
  const { instances } = await connect(options).listMarketplaceMachines({ filters }, { signal: options.signal });
  const machines = instances
    .map((machine) => listedMachine(machine, availableGpus(machine), isReady(machine)))
    .filter((machine) => fits(machine, args))
    .sort(order[args.sortBy ?? "price"]);
  return { machines: machines.slice(0, args.limit) };
}

function listedMachine(machine: MarketplaceMachine, gpusFree: number, ready: boolean): ListedMarketplaceMachine {
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
    pricePerGpuHour: marketplacePriceInUsd(machine.pricing.price.amount),
    persistentStorage: machine.has_persistent_storage,
    supplierId: machine.supplier_id,
    cpuModel: cpus[0]?.model,
    cpuCores: cpus.reduce((sum, { cores }) => sum + cores, 0),
    ramGb: ram.reduce((sum, { capacity }) => sum + capacity, 0),
    storageGb: storage.reduce((sum, { capacity }) => sum + capacity, 0),
  };
}

function fits(machine: ListedMarketplaceMachine, args: GetMarketplaceMachinesArgs): boolean {
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

/** Equal ones come in the order of their names, so that the same market gives the same list. */
const byPrice: Order = (one, other) =>
  one.pricePerGpuHour - other.pricePerGpuHour || one.nodeName.localeCompare(other.nodeName);

const order: Record<NonNullable<GetMarketplaceMachinesArgs["sortBy"]>, Order> = {
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

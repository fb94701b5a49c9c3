import type { z } from "zod";
import type { marketplaceMachine } from "../../provider/service";
import { seededChoice, seededHex, seededNumber } from "../random";
import { type Call, isPresent, type MarketplaceInstanceFacts, phaseAt, statusAt, type World } from "../state";

/** A machine of the marketplace; none of this ever changes. */
export interface Machine {
  id: string;
  clusterName: string;
  region: string;
  gpu: Gpu;
  gpusTotal: number;
  /** GPUs that other customers hold for good. */
  gpusTaken: number;
  /** Hourly USD per GPU. */
  price: number;
  supplier: string;
}

interface Gpu {
  model: string;
  ram: number;
  price: number;
  clock: number;
  power: number;
  interface: string;
}

const gpus: readonly [Gpu, ...Gpu[]] = [
  { model: "RTX-4090", ram: 24, price: 0.35, clock: 2520, power: 82, interface: "PCIeX16" },
  { model: "L40S", ram: 48, price: 0.89, clock: 2520, power: 91, interface: "PCIeX16" },
  { model: "A100-80GB", ram: 80, price: 1.29, clock: 1410, power: 19, interface: "SXM4" },
  { model: "H100-SXM5-80GB", ram: 80, price: 1.99, clock: 1980, power: 67, interface: "SXM5" },
  { model: "H200-SXM5-141GB", ram: 141, price: 2.69, clock: 1980, power: 67, interface: "SXM5" },
];
const places = ["us-central-1", "us-east-1", "eu-north-2", "eu-west-1", "jp-east-1"] as const;
const sizes = [1, 2, 4, 8, 8] as const;
const machineCount = 15;

/** The machines of a seed. The first five, one of each model, are free; every fifth after them is full. */
export function seededMachines(seed: number): Map<string, Machine> {
  const machines = Array.from({ length: machineCount }, (_, index): Machine => {
    const pick = (what: string, limit: number) => seededNumber(limit, seed, what, index);
    const fresh = index < gpus.length;
    const gpu = gpus[index % gpus.length] ?? gpus[0];
    const gpusTotal = fresh ? 8 : seededChoice(sizes, seed, "size", index);
    const full = !fresh && index % gpus.length === 0;
    const region = seededChoice(places, seed, "place", index);
    return {
      id: `node-${seededHex(8, seed, "node", index)}`,
      clusterName: `cluster-${region}-${1 + pick("cluster", 3)}`,
      region,
      gpu,
      gpusTotal,
      gpusTaken: full ? gpusTotal : fresh ? 0 : pick("taken", gpusTotal),
      // Up to a quarter more expensive than the cheapest of its model, in whole cents.
      price: Math.round(gpu.price * (100 + pick("price", 26))) / 100,
      supplier: `supplier-${1 + pick("supplier", 4)}`,
    };
  });
  return new Map(machines.map((machine) => [machine.id, machine]));
}

/** The account's own instances that hold GPUs of the machine. */
function holding(world: World, machine: Machine, at: number): MarketplaceInstanceFacts[] {
  return world.store.marketplaceInstancesOnNode(machine.id).filter(({ life }) => isPresent(phaseAt(life, at)));
}

export function freeGpus(world: World, machine: Machine, at: number): number {
  const held = holding(world, machine, at).reduce((sum, { gpuCount }) => sum + gpuCount, 0);
  return machine.gpusTotal - machine.gpusTaken - held;
}

export function listMarketplaceMachines(world: World, call: Call, machines: Iterable<Machine>) {
  return { instances: Array.from(machines, (machine) => machineRecord(world, machine, call.asOf)) };
}

export function priceRecord(amount: number) {
  return { price: { amount, period: "hourly", agent: "platform" } };
}

function machineRecord(world: World, machine: Machine, at: number): z.input<typeof marketplaceMachine> {
  const { gpu, gpusTotal } = machine;
  const reserved = gpusTotal - freeGpus(world, machine, at);
  const taken = machine.gpusTaken > 0 ? [tenant(machine, `other-${machine.id}`, "running", machine.gpusTaken)] : [];
  const own = holding(world, machine, at).map(({ id, life, gpuCount }) =>
    tenant(machine, id, statusAt("marketplace-instance", life, at), gpuCount),
  );
  return {
    id: machine.id,
    status: "node_ready",
    hardware: {
      cpus: [{ hardware_type: "cpu", model: "Emulated 64-core", cores: 64, virtual_cores: 128 }],
      gpus: Array.from({ length: gpusTotal }, () => ({
        hardware_type: "gpu",
        model: gpu.model,
        clock_speed: gpu.clock,
        compute_power: gpu.power,
        ram: gpu.ram,
        interface: gpu.interface,
      })),
      storage: [{ hardware_type: "storage", capacity: 500 * gpusTotal }],
      ram: [{ hardware_type: "ram", capacity: 64 * gpusTotal }],
    },
    instances: [...taken, ...own],
    location: { region: machine.region },
    network: {},
    gpus_total: gpusTotal,
    gpus_reserved: reserved,
    has_persistent_storage: true,
    supplier_id: machine.supplier,
    pricing: priceRecord(machine.price),
    reserved: reserved >= gpusTotal,
    cluster_name: machine.clusterName,
  };
}

/** An instance on a machine, as everybody sees it in the list of machines. */
function tenant({ gpu }: Machine, id: string, status: string, gpuCount: number) {
  const part = { gpu: { hardware_type: "gpu", model: gpu.model, ram: gpu.ram } };
  return { id, status, hardware: Array.from({ length: gpuCount }, () => part) };
}

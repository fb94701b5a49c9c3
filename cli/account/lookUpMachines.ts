import type { Runtime } from "../../provider/lifecycle";
import { costOf, factsOf, machineCriteria, machinesThatFit, marketplaceMachines } from "../../provider/resources";
import { availableGpus, type MarketplaceMachine } from "../../provider/service";
import type { Billable } from "../money";
import { marketplaceInstanceType } from "../stack";
import { statusLine } from "../terminal";

/** GPUs by machine. */
type Taken = Map<string, number>;

/**
 * Fills in what the marketplace's listing says of the machines that would be rented: their model, region and price. All together, because
 * what one of them takes is not there for the next; those that name their machine come first.
 */
export async function lookUpMachines(runtime: Runtime, billables: readonly Billable[]): Promise<Billable[]> {
  const taken: Taken = new Map();
  const found = new Map<Billable, Billable>();
  const [named, others] = [billables.filter(({ node }) => node), billables.filter(({ node }) => !node)];
  for (const one of [...named, ...others]) found.set(one, await lookUpMachine(runtime, one, taken));
  return billables.map((one) => found.get(one) ?? one);
}

async function lookUpMachine(runtime: Runtime, billable: Billable, taken: Taken): Promise<Billable> {
  const { type, gpus, costPerHour, isAdopted } = billable;
  const count = gpus?.count;
  if (isAdopted || type !== marketplaceInstanceType || count === undefined || costPerHour !== undefined)
    return billable;
  // Where nothing fits, or the listing cannot be read, the price stays unknown.
  const machine = await findMachine(runtime, billable, count, taken).catch(() => undefined);
  if (!machine) return billable;
  taken.set(keyOf(machine), (taken.get(keyOf(machine)) ?? 0) + count);
  const facts = factsOf(runtime, machine);
  return {
    ...billable,
    region: facts.region,
    gpus: { model: facts.gpuModel, count },
    costPerHour: costOf(facts, count),
    estimated: true,
  };
}

async function findMachine(
  runtime: Runtime,
  { node, select }: Billable,
  gpuCount: number,
  taken: Taken,
): Promise<MarketplaceMachine | undefined> {
  if (node) {
    const { items } = await listMachines(runtime);
    const isIn = (machine: MarketplaceMachine) => machine.cluster_name === (node.clusterName ?? machine.cluster_name);
    return items.find((machine) => machine.id === node.nodeName && isIn(machine));
  }
  const criteria = machineCriteria.safeParse(select);
  if (!criteria.success) return undefined;
  await listMachines(runtime);
  const isFree = (machine: MarketplaceMachine) => availableGpus(machine) - (taken.get(keyOf(machine)) ?? 0) >= gpuCount;
  return (await machinesThatFit(runtime, criteria.data, gpuCount)).find(isFree);
}

function keyOf({ cluster_name: cluster, id }: MarketplaceMachine): string {
  return JSON.stringify([cluster, id]);
}

function listMachines(runtime: Runtime) {
  return statusLine.during("Listing marketplace machines…", () => runtime.lists.of(marketplaceMachines).latest());
}

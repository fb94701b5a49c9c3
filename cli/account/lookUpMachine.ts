import type { Runtime } from "../../provider/lifecycle";
import { costOf, factsOf, machineCriteria, machinesThatFit, marketplaceMachines } from "../../provider/resources";
import type { MarketplaceMachine } from "../../provider/service";
import type { Billable } from "../money";
import { marketplaceInstanceType } from "../stack";
import { statusLine } from "../terminal";

/** Fills in what the marketplace's listing says of the machine that would be rented: its model, region and price. */
export async function lookUpMachine(runtime: Runtime, billable: Billable): Promise<Billable> {
  const { type, gpus, costPerHour } = billable;
  const count = gpus?.count;
  if (type !== marketplaceInstanceType || count === undefined || costPerHour !== undefined) return billable;
  // Where nothing fits, or the listing cannot be read, the price stays unknown.
  const machine = await findMachine(runtime, billable, count).catch(() => undefined);
  if (!machine) return billable;
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
): Promise<MarketplaceMachine | undefined> {
  if (node) {
    const { items } = await listMachines(runtime);
    const isIn = (machine: MarketplaceMachine) => machine.cluster_name === (node.clusterName ?? machine.cluster_name);
    return items.find((machine) => machine.id === node.nodeName && isIn(machine));
  }
  const criteria = machineCriteria.safeParse(select);
  if (!criteria.success) return undefined;
  await listMachines(runtime);
  return (await machinesThatFit(runtime, criteria.data, gpuCount))[0];
}

function listMachines(runtime: Runtime) {
  return statusLine.during("Listing marketplace machines…", () => runtime.lists.of(marketplaceMachines).latest());
}

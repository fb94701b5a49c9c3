import type { Runtime } from "../../provider/lifecycle";
import { factsOf, machineCriteria, machinesThatFit, marketplaceMachines } from "../../provider/resources";
import type { MarketplaceMachine } from "../../provider/service";
import type { Billable } from "../money";
import { marketplaceInstanceType } from "../stack";
import { statusLine } from "../terminal";

/** Fills in what the marketplace's listing says of the machine that would be rented: its model, region and price. */
export async function lookUpMachine(runtime: Runtime, billable: Billable): Promise<Billable> {
  const { type, gpus, costPerHour } = billable;
  if (type !== marketplaceInstanceType || !gpus || costPerHour !== undefined) return billable;
  // Where nothing fits, or the listing cannot be read, the price stays unknown.
  const machine = await findMachine(runtime, billable, gpus.count).catch(() => undefined);
  if (!machine) return billable;
  const facts = factsOf(runtime, machine);
  return {
    ...billable,
    region: facts.region,
    gpus: { model: facts.gpuModel, count: gpus.count },
    costPerHour: facts.pricePerGpuHour * gpus.count,
    estimated: true,
  };
}

async function findMachine(
  runtime: Runtime,
  { terms: nodeName, select }: Billable,
  gpuCount: number,
): Promise<MarketplaceMachine | undefined> {
  if (nodeName !== undefined) {
    const { items } = await listMachines(runtime);
    return items.find((machine) => machine.id === nodeName);
  }
  const criteria = machineCriteria.safeParse(select);
  if (!criteria.success) return undefined;
  await listMachines(runtime);
  return (await machinesThatFit(runtime, criteria.data, gpuCount))[0];
}

function listMachines(runtime: Runtime) {
  return statusLine.during("Listing marketplace machines…", () => runtime.lists.of(marketplaceMachines).latest());
}

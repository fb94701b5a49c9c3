import { isDeepStrictEqual } from "node:util";
import { z } from "zod";
import {
  type Attempt,
  type CheckFailure,
  createOnce,
  defineResource,
  everyMachine,
  isCapacityRefusal,
  namesKey,
  namesOf,
  type OperationContext,
  RefusedError,
  type Runtime,
  type Values,
  type View,
} from "../../lifecycle";
import { createMarketplaceInstanceRequest, type MarketplaceInstance, type MarketplaceMachine } from "../../service";
import {
  costOf,
  factsOf,
  machineCriteria,
  machineFacts,
  machinesThatFit,
  marketplaceMachines,
  onMachine,
  shortcomings,
} from "./machines";
import { withListedId } from "./names";
import { marketplaceInstances, whyNotReady } from "./record";

const wire = createMarketplaceInstanceRequest.shape;
const inputs = z.strictObject({
  clusterName: wire.cluster_name.optional(),
  nodeName: wire.node_name.optional(),
  select: machineCriteria.optional().describe("Criteria for the machine. The cheapest one that matches is rented."),
  gpuCount: wire.gpu_count.int().min(1).describe("Number of GPUs, at most as many as are free on the machine."),
  image: wire.image,
  ...everyMachine,
});
type Inputs = z.output<typeof inputs>;

/** What an earlier create of it has made; else one that is rented now. */
async function create(context: OperationContext<Inputs>): Promise<View> {
  const made = await createOnce(context, (attempt) => rent(context, attempt));
  const listed = await withListedId(context, made);
  return listed.costPerHour === undefined ? complete(context.runtime, listed, context.inputs) : listed;
}

/** Rents on the given machine, or on the cheapest that fits; when that one has just been taken, on the next. */
async function rent({ inputs, runtime }: OperationContext<Inputs>, attempt: Attempt): Promise<View> {
  const machines = await placesFor({ inputs, runtime });
  for (const machine of machines) {
    const chosen = { ...inputs, clusterName: machine.cluster_name, nodeName: machine.id };
    try {
      return onMachine(runtime, machine, await attempt(chosen), chosen.gpuCount);
    } catch (error) {
      if (!isCapacityRefusal(error) || machine === machines.at(-1)) throw error;
    }
  }
  return attempt(inputs);
}

async function placesFor({
  inputs: { select, gpuCount, clusterName, nodeName },
  runtime,
}: Pick<OperationContext<Inputs>, "inputs" | "runtime">): Promise<MarketplaceMachine[]> {
  const { items } = await runtime.lists.of(marketplaceMachines).latest();
  if (select) return machinesThatFit(runtime, select, gpuCount);
  const nodes = items.filter((machine) => machine.id === nodeName);
  const [machine] = nodes.filter((one) => one.cluster_name === clusterName);
  if (machine) return [machine];
  const clusters = [...new Set(nodes.map((one) => JSON.stringify(one.cluster_name)))];
  if (clusters.length === 0) return [];
  throw new RefusedError(
    `refused, nothing was created: clusterName is ${JSON.stringify(clusterName)}, but the marketplace lists nodeName ${JSON.stringify(nodeName)} in ${clusters.join(" and ")}. Set clusterName to ${clusters.length === 1 ? "that" : "one of these"}.`,
  );
}

/** Of the machine that was chosen; before that, of the first that would be. */
async function price(context: OperationContext<Inputs>): Promise<number | undefined> {
  const { nodeName, gpuCount } = context.inputs;
  const machines = await placesFor(context);
  const machine = machines.find(({ id }) => id === nodeName) ?? machines[0];
  return machine && costOf(factsOf(context.runtime, machine), gpuCount);
}

/** An instance with the machine that it runs on: its region and price, as a create would have returned them. */
async function complete(runtime: Runtime, view: View, { gpuCount }: Values): Promise<View> {
  const machines = runtime.lists.of(marketplaceMachines);
  const hostIn = ({ items }: { items: readonly MarketplaceMachine[] }) =>
    items.find(({ instances }) => instances.some(({ id }) => namesOf(view).includes(id)));
  try {
    const machine = hostIn(await machines.latest()) ?? hostIn(await machines.fresh());
    return machine ? onMachine(runtime, machine, view, Number(gpuCount)) : view;
  } catch {
    // Only the price and the region are missing where the machines cannot be listed.
    return view;
  }
}

function checkTogether({ select, clusterName, nodeName, adoptId }: Values): CheckFailure[] {
  const named = clusterName !== undefined || nodeName !== undefined;
  if (select !== undefined && named) {
    return [{ property: "select", reason: "select cannot be combined with clusterName and nodeName" }];
  }
  if (select !== undefined || adoptId !== undefined) return [];
  return [
    { property: "clusterName", value: clusterName },
    { property: "nodeName", value: nodeName },
  ]
    .filter(({ value }) => value === undefined)
    .map(({ property }) => ({
      property,
      reason: `${property} is required: set clusterName and nodeName from the marketplace listing, or select to have a machine chosen`,
      isAbsence: true,
    }));
}

/** A machine that was chosen stays, whatever the market does, as long as it meets what is asked for now. */
function isSame(key: string, olds: Values, news: Values): boolean {
  if (key === "clusterName" || key === "nodeName") return news[key] === undefined;
  if (key !== "select") return false;
  if (news["select"] === undefined) return true;
  const facts = machineFacts.safeParse(olds["machine"]);
  const criteria = machineCriteria.safeParse(news["select"]);
  if (!facts.success || !criteria.success) return isDeepStrictEqual(olds["select"], news["select"]);
  return shortcomings(facts.data, criteria.data, Number(olds["gpuCount"])).length === 0;
}

export const marketplaceInstance = defineResource<Inputs, MarketplaceInstance>({
  type: "MarketplaceInstance",
  noun: "marketplace instance",
  inputs,
  timeouts: { create: "20m", delete: "10m" },
  isSame,
  checkTogether,
  kind: marketplaceInstances,
  price,
  mostPerHour: ({ select }) => machineCriteria.safeParse(select).data?.maxPricePerHour,
  create,
  complete,
  // Instances have no label: this names a create whose reply was lost.
  fingerprint: ({ clusterName, nodeName, gpuCount }) => `${clusterName}/${nodeName}/${gpuCount}`,
  async post(client, { clusterName, nodeName, gpuCount, image }, call) {
    if (clusterName === undefined || nodeName === undefined)
      throw new RefusedError("no machine is given: set clusterName and nodeName, or select");
    const request = { cluster_name: clusterName, node_name: nodeName, gpu_count: gpuCount };
    const made = await client.createMarketplaceInstance(image ? { ...request, image } : request, call);
    const view: View = { id: made.instanceId, status: "creating", phase: "pending", observedInputs: {} };
    return made.instanceIds.length > 1 ? { ...view, kept: { [namesKey]: made.instanceIds } } : view;
  },
  whyNotReady,
  terminate: (client, id, call) => client.terminateMarketplaceInstance({ id }, call),
});

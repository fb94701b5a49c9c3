import { isDeepStrictEqual } from "node:util";
import { z } from "zod";
import {
  type CheckFailure,
  createOwned,
  defineResource,
  endAndWait,
  everyMachine,
  isCapacityRefusal,
  type Ownership,
  RefusedError,
  type Values,
  type View,
  type Work,
} from "../../lifecycle";
import { createMarketplaceInstanceRequest, type MarketplaceInstance, type MarketplaceMachine } from "../../service";
import {
  factsOf,
  machineCriteria,
  machineFacts,
  machinesThatFit,
  marketplaceMachines,
  onMachine,
  shortcomings,
} from "./machines";
import { marketplaceInstances } from "./record";

const wire = createMarketplaceInstanceRequest.shape;
const inputs = z.strictObject({
  clusterName: wire.cluster_name.optional(),
  nodeName: wire.node_name.optional(),
  select: machineCriteria.optional().describe("What the machine must be like: the cheapest that fits is rented."),
  gpuCount: wire.gpu_count.int().min(1).describe("How many GPUs; not more than are free on the machine."),
  image: wire.image,
  ...everyMachine,
});
type Inputs = z.output<typeof inputs>;

/** Instances have no label: a lost one is looked for among those of its machine. */
const ownership: Ownership<Inputs, MarketplaceInstance> = {
  kind: marketplaceInstances,
  trace: ({ clusterName, nodeName, gpuCount }) => `${clusterName}/${nodeName}/${gpuCount}`,
  async post(client, { clusterName, nodeName, gpuCount, image }, call) {
    if (clusterName === undefined || nodeName === undefined) throw new RefusedError("no machine was chosen");
    const request = { cluster_name: clusterName, node_name: nodeName, gpu_count: gpuCount };
    const made = await client.createMarketplaceInstance(image ? { ...request, image } : request, call);
    return { id: made.instanceId, status: "creating", phase: "pending", shown: {} };
  },
  async candidates(runtime, snapshot, trace) {
    const list = runtime.lists.of(marketplaceMachines);
    const { items } = await list.after(list.mark(), 0);
    const onNode = items.find((machine) => isTraceOf(trace, machine))?.instances.map(({ id }) => id) ?? [];
    const gpuCount = gpuCountIn(trace);
    const sameSize = (view: View) => (view.shown["gpuCount"] ?? gpuCount) === gpuCount;
    return snapshot.views().filter((view) => onNode.includes(view.id) && sameSize(view));
  },
};

function gpuCountIn(trace: string): number {
  return Number(trace.slice(trace.lastIndexOf("/") + 1));
}

/** Compared and not taken apart: the names are the service's, and may hold anything. */
function isTraceOf(trace: string, { cluster_name, id }: MarketplaceMachine): boolean {
  return trace === `${cluster_name}/${id}/${gpuCountIn(trace)}`;
}

/** Rents on the given machine, or on the cheapest that fits; when that one has just been taken, on the next. */
async function create(work: Work<Inputs>): Promise<View> {
  const machines = await placesFor(work);
  for (const machine of machines) {
    const chosen = { ...work.inputs, clusterName: machine.cluster_name, nodeName: machine.id };
    try {
      const made = await createOwned({ ...work, inputs: chosen }, ownership);
      return onMachine(work.runtime, machine, made, chosen.gpuCount);
    } catch (error) {
      if (!isCapacityRefusal(error) || machine === machines.at(-1)) throw error;
    }
  }
  return createOwned(work, ownership);
}

async function placesFor(work: Work<Inputs>): Promise<MarketplaceMachine[]> {
  const { select, gpuCount, nodeName } = work.inputs;
  const { items } = await work.runtime.lists.of(marketplaceMachines).any();
  if (select) {
    const doubt = work.runtime.memory.doubtOf(work.urn);
    const doubted = items.filter(
      (machine) =>
        doubt &&
        isTraceOf(doubt.trace, machine) &&
        shortcomings(factsOf(work.runtime, machine), select, gpuCount).length === 0,
    );
    // Where an earlier request may have had an effect comes first: what it made may be what makes that machine look full.
    return doubted.length > 0 ? doubted : machinesThatFit(work.runtime, select, gpuCount);
  }
  return items.filter((machine) => machine.id === nodeName).slice(0, 1);
}

async function price(work: Work<Inputs>): Promise<number | undefined> {
  const [machine] = await placesFor(work);
  return machine && factsOf(work.runtime, machine).pricePerGpuHour * work.inputs.gpuCount;
}

function checkTogether({ select, clusterName, nodeName, adoptId }: Values): CheckFailure[] {
  const named = clusterName !== undefined || nodeName !== undefined;
  if (select !== undefined && named) {
    return [
      { property: "select", reason: "select cannot stand beside clusterName and nodeName: give one or the other" },
    ];
  }
  if (select !== undefined || adoptId !== undefined) return [];
  return [
    { property: "clusterName", value: clusterName },
    { property: "nodeName", value: nodeName },
  ]
    .filter(({ value }) => value === undefined)
    .map(({ property }) => ({
      property,
      reason: `${property} is missing: give clusterName and nodeName from the marketplace listing, or select to have a machine chosen`,
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

/** Some services refuse with 200 and say so in the body. */
async function terminate(work: Work<unknown>, id: string): Promise<void> {
  const answer = await work.runtime.client.terminateMarketplaceInstance({ id }, { deadline: work.deadline });
  if (/^(error|fail)/i.test(answer.status ?? "")) {
    throw new Error(`the service refused to end it: ${answer.message ?? answer.status}`);
  }
}

export const marketplaceInstance = defineResource<Inputs, MarketplaceInstance>({
  type: "MarketplaceInstance",
  noun: "marketplace instance",
  inputs,
  timeouts: { create: "20m", delete: "10m" },
  labelled: false,
  inPlace: [],
  isSame,
  checkTogether,
  kind: marketplaceInstances,
  ownership,
  price,
  create,
  end: (work, id, state) => endAndWait(work, marketplaceInstances, id, () => terminate(work, id), state["createdAt"]),
});

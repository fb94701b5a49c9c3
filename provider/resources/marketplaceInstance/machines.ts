import { z } from "zod";
import { type Kind, phaseOf, RefusedError, type Runtime, type View } from "../../lifecycle";
import { availableGpus, type MarketplaceMachine } from "../../service";
import { inUsd, isOver, roundUsd, showPerHour } from "../../shared/money";
import { nearestValue } from "../../shared/spelling";

/** What a machine must be like, where the program leaves the choice to us. */
export const machineCriteria = z.strictObject({
  gpuModel: z.string().min(1).optional().describe("Part of the GPU model's name, such as `H100`."),
  region: z.string().min(1).optional().describe("Region of the machine."),
  maxPricePerHour: z.number().positive().optional().describe("Maximum price of the instance, in USD per hour."),
  minGpuRamGb: z.number().positive().optional().describe("Minimum memory per GPU, in GB."),
  needsPersistentStorage: z.boolean().optional().describe("Only machines with persistent storage."),
});
export type MachineCriteria = z.output<typeof machineCriteria>;

/** The facts about a machine that are pinned in the state when it is chosen. */
export const machineFacts = z.object({
  gpuModel: z.string(),
  region: z.string(),
  gpuRamGb: z.number(),
  persistentStorage: z.boolean(),
  pricePerGpuHour: z.number(),
});
export type MachineFacts = z.output<typeof machineFacts>;

/** Marketplace machines, listed once for everything in this process. */
export const marketplaceMachines: Kind<MarketplaceMachine> = {
  plural: "marketplace machines",
  base: "v1",
  statuses: { ready: ["node_ready", "online", "ready"] },
  fetch: async (client, call) => (await client.listMarketplaceMachines({ filters: {} }, call)).instances,
  idOf: (machine) => machine.id,
  labelOf: () => undefined,
  view: (machine) => ({ id: machine.id, status: machine.status, phase: "ready", observedInputs: {} }),
};

/** Whether the service says that it can be rented. */
export function isOffered({ status }: MarketplaceMachine): boolean {
  return phaseOf(status, marketplaceMachines.statuses) === "ready";
}

export function factsOf(runtime: Runtime, machine: MarketplaceMachine): MachineFacts {
  const [gpu] = machine.hardware.gpus;
  const { amount } = machine.pricing.price;
  return {
    gpuModel: gpu?.model ?? "unknown",
    region: machine.location.region,
    gpuRamGb: gpu?.ram ?? 0,
    persistentStorage: machine.has_persistent_storage,
    pricePerGpuHour: inUsd(amount, runtime.settings.marketplacePriceUnit),
  };
}

/** What so many GPUs of a machine cost per hour. */
export function costOf({ pricePerGpuHour }: Pick<MachineFacts, "pricePerGpuHour">, gpuCount: number): number {
  return roundUsd(pricePerGpuHour * gpuCount);
}

/** An instance together with what is known of its machine. */
export function onMachine(runtime: Runtime, machine: MarketplaceMachine, instance: View, gpuCount: number): View {
  const facts = factsOf(runtime, machine);
  return {
    ...instance,
    costPerHour: costOf(facts, gpuCount),
    region: facts.region,
    size: `${gpuCount}×${facts.gpuModel}`,
    outputs: { ...instance.outputs, clusterName: machine.cluster_name, nodeName: machine.id, machine: facts },
  };
}

/** Why a machine cannot be had, and what rules it out: a criterion, the number of GPUs, or its own status. */
export interface Shortcoming {
  criterion: keyof MachineCriteria | "gpuCount" | "status";
  reason: string;
}

/** Why a machine of this kind does not meet the criteria. Empty when it does. */
export function shortcomings(facts: MachineFacts, criteria: MachineCriteria, gpuCount: number): Shortcoming[] {
  const cost = costOf(facts, gpuCount);
  const { gpuModel, region, maxPricePerHour, minGpuRamGb, needsPersistentStorage } = criteria;
  const isOtherModel = gpuModel !== undefined && !facts.gpuModel.toLowerCase().includes(gpuModel.toLowerCase());
  return reasonsIn([
    ["gpuModel", isOtherModel && `its GPU is ${facts.gpuModel}`],
    ["region", region !== undefined && facts.region !== region && `it is in ${facts.region}`],
    ["minGpuRamGb", minGpuRamGb !== undefined && facts.gpuRamGb < minGpuRamGb && `its GPUs have ${facts.gpuRamGb} GB`],
    [
      "needsPersistentStorage",
      needsPersistentStorage === true && !facts.persistentStorage && "it has no persistent storage",
    ],
    [
      "maxPricePerHour",
      maxPricePerHour !== undefined && isOver(cost, maxPricePerHour) && `it costs ${showPerHour(cost)}`,
    ],
  ]);
}

function unavailability(machine: MarketplaceMachine, gpuCount: number): Shortcoming[] {
  const free = availableGpus(machine);
  return reasonsIn([
    ["status", !isOffered(machine) && `its status is ${machine.status}`],
    ["gpuCount", free < gpuCount && `it has ${free} of ${machine.gpus_total} GPUs free`],
  ]);
}

type Reasons = readonly (readonly [Shortcoming["criterion"], string | false])[];

function reasonsIn(reasons: Reasons): Shortcoming[] {
  return reasons.flatMap(([criterion, reason]) => (reason === false ? [] : [{ criterion, reason }]));
}

/** A machine that is listed, and why it cannot be had; nothing when it can. */
export interface JudgedMachine {
  machine: MarketplaceMachine;
  facts: MachineFacts;
  shortcomings: Shortcoming[];
}

/** Every machine of the list: those that fit first, then the nearest, each the cheapest first. */
export async function judgeMachines(
  runtime: Runtime,
  criteria: MachineCriteria,
  gpuCount: number,
): Promise<JudgedMachine[]> {
  const { items } = await runtime.lists.of(marketplaceMachines).latest();
  return items
    .map((machine) => {
      const facts = factsOf(runtime, machine);
      const lacks = [...shortcomings(facts, criteria, gpuCount), ...unavailability(machine, gpuCount)];
      return { machine, facts, shortcomings: lacks };
    })
    .sort(
      (left, right) =>
        left.shortcomings.length - right.shortcomings.length ||
        left.facts.pricePerGpuHour - right.facts.pricePerGpuHour ||
        left.machine.id.localeCompare(right.machine.id),
    );
}

/** `node-1: its GPU is L40S, it is in us-east-1` */
export function describeMiss({ machine, shortcomings: lacks }: JudgedMachine): string {
  return `${machine.id}: ${lacks.map(({ reason }) => reason).join(", ")}`;
}

/** The machines that can be rented now and fit, the cheapest first. */
export async function machinesThatFit(
  runtime: Runtime,
  criteria: MachineCriteria,
  gpuCount: number,
): Promise<MarketplaceMachine[]> {
  const judged = await judgeMachines(runtime, criteria, gpuCount);
  const fitting = judged.filter((one) => one.shortcomings.length === 0);
  if (fitting.length > 0) return fitting.map(({ machine }) => machine);
  const misses = judged.slice(0, 3).map(describeMiss);
  if (misses.length === 0) {
    const { unreadable } = await runtime.lists.of(marketplaceMachines).latest();
    const [first] = unreadable;
    const reason = first
      ? `none of the ${unreadable.length} that are listed can be read: ${first.reason}`
      : "none is listed";
    throw new RefusedError(`no marketplace machine matches: ${reason}`);
  }
  const guesses = guessesFor(
    criteria,
    judged.map(({ facts }) => facts),
  );
  throw new RefusedError([`no marketplace machine matches. Closest: ${misses.join("; ")}`, ...guesses].join(". "));
}

/** What was probably meant by a region or a model that no machine has. */
function guessesFor(criteria: MachineCriteria, facts: readonly MachineFacts[]): string[] {
  return (["region", "gpuModel"] as const).flatMap((key) => {
    const asked = criteria[key];
    const listed = [...new Set(facts.map((one) => one[key]))];
    if (asked === undefined || listed.some((one) => one.toLowerCase().includes(asked.toLowerCase()))) return [];
    const guess = nearestValue(asked, listed);
    return guess === undefined ? [] : [`No machine has the ${key} "${asked}". Did you mean ${guess}?`];
  });
}

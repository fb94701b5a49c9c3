import type { OwnedInputs, Ownership, Values, View, Work } from "../../../provider/lifecycle";
import { marketplaceMachines, onMachine } from "../../../provider/resources";
import { marketplaceInstanceType } from "../../stack";

/** Whether the program leaves the choice of the machine to the provider: then the pending create does not say which it is. */
export function leavesChoice(inputs: Values): boolean {
  return inputs["select"] !== undefined && inputs["nodeName"] === undefined;
}

/** Any instance of that size may be the result, whatever machine it is on. */
export function sizedInstances(inputs: Values): NonNullable<Ownership<OwnedInputs, unknown>["candidates"]> {
  return async (_runtime, snapshot) =>
    snapshot.views().filter(({ shown }) => (shown["gpuCount"] ?? inputs["gpuCount"]) === inputs["gpuCount"]);
}

/** An instance with the machine that it runs on: its region and price, as a create would have returned them. */
export async function withItsMachine(work: Work, view: View): Promise<View> {
  if (work.type !== marketplaceInstanceType) return view;
  const { items } = await work.runtime.lists.of(marketplaceMachines).any();
  const machine = items.find(({ instances }) => instances.some(({ id }) => id === view.id));
  return machine ? onMachine(work.runtime, machine, view, Number(work.inputs["gpuCount"])) : view;
}

/** What the next run is to look for, where only the instances that were found tell on which machine that is. */
export function traceOfInstance(work: Work, found: readonly View[]): string | undefined {
  const newest = [...found].sort((one, other) => (other.createdAt ?? "").localeCompare(one.createdAt ?? ""))[0];
  const { clusterName, nodeName } = newest?.outputs ?? {};
  return typeof nodeName === "string" ? `${clusterName}/${nodeName}/${work.inputs["gpuCount"]}` : undefined;
}

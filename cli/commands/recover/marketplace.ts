import type { Operation, View } from "../../../provider/lifecycle";
import { marketplaceMachines, onMachine } from "../../../provider/resources";
import { marketplaceInstanceType } from "../../stack";

/** An instance with the machine that it runs on: its region and price, as a create would have returned them. */
export async function withItsMachine({ type, runtime }: Operation, view: View, gpuCount: number): Promise<View> {
  if (type !== marketplaceInstanceType) return view;
  // Only the price and the region are missing where the machines cannot be listed.
  const listed = await runtime.lists
    .of(marketplaceMachines)
    .latest()
    .catch(() => undefined);
  const machine = listed?.items.find(({ instances }) => instances.some(({ id }) => id === view.id));
  return machine ? onMachine(runtime, machine, view, gpuCount) : view;
}

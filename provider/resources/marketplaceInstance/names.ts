import { type OperationContext, type Snapshot, type Verdict, type View, waitUntil } from "../../lifecycle";
import type { MarketplaceInstance } from "../../service";
import { marketplaceMachines } from "./machines";
import { marketplaceInstances } from "./record";

/** Where a new instance keeps its names until it is known which of them is its id. */
export const namesKey = "__names";

/**
 * The answer to a create may give several names at once, of which list and terminate know only one. Whichever the next list of
 * instances or of machines shows is the id: under any other it would seem to be gone, and bill on.
 */
export async function settleId(context: OperationContext, { kept, ...made }: View): Promise<View> {
  const names = kept?.[namesKey];
  if (!Array.isArray(names)) return kept ? { ...made, kept } : made;
  const { memory } = context.runtime;
  // The first is the likeliest. What happens next must not lose it.
  const id = await findListed(context, names.map(String)).catch(() => made.id);
  memory.claim(context.type, id);
  return { ...made, id };
}

function findListed(context: OperationContext, names: readonly string[]): Promise<string> {
  const { clock, lists, settings } = context.runtime;
  return waitUntil({
    operation: context,
    list: lists.of(marketplaceInstances),
    prompt: true,
    deadline: Math.min(clock.now() + settings.listLagMs, context.deadline),
    judge: async (snapshot): Promise<Verdict<string>> => {
      const id = idAmongInstances(snapshot, names) ?? (await idAmongMachines(context, names));
      return id === undefined ? { kind: "pending", status: "not listed" } : { kind: "done", result: id };
    },
  });
}

function idAmongInstances({ items }: Snapshot<MarketplaceInstance>, names: readonly string[]): string | undefined {
  return items.find((instance) => instance.names.some((name) => names.includes(name)))?.id;
}

async function idAmongMachines({ runtime }: OperationContext, names: readonly string[]): Promise<string | undefined> {
  const { items } = await runtime.lists.of(marketplaceMachines).fresh();
  return items.flatMap(({ instances }) => instances.map(({ id }) => id)).find((id) => names.includes(id));
}

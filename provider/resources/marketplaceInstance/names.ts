import { OperationUnavailableError } from "../../client";
import {
  type LifecycleInputs,
  namesKey,
  type OperationContext,
  unlistedError,
  type Verdict,
  type View,
  waitUntil,
} from "../../lifecycle";
import { marketplaceMachines } from "./machines";
import { marketplaceInstances } from "./record";

/**
 * The answer to a create may call the instance otherwise than list and terminate do, or give several names at once, of which these
 * know only one. Whichever the next list of instances or of machines shows is the id. One name alone is kept where that list does not
 * show it yet: it is found by any of its names. Of several, one would seem to be gone, and bill on: where no list can be had, the
 * state keeps all of them until one is shown.
 */
export async function withListedId(context: OperationContext<LifecycleInputs>, { kept, ...made }: View): Promise<View> {
  const names = kept?.[namesKey];
  if (!Array.isArray(names)) return { ...made, ...(kept && { kept }), id: await idNowListed(context, made.id) };
  const id = await findListed(context, names.map(String)).catch((error: unknown) => {
    // Where there is no list at all, none will ever show it: the first is the likeliest.
    if (error instanceof OperationUnavailableError) return made.id;
    throw unlistedError(context, names.map(String), error);
  });
  context.runtime.memory.claim(context.type, id);
  return { ...made, id };
}

async function idNowListed({ runtime, type }: OperationContext, name: string): Promise<string> {
  const list = runtime.lists.of(marketplaceInstances);
  const listed = await list
    .fresh()
    .then((snapshot) => snapshot.find(name))
    .catch(() => undefined);
  if (listed) runtime.memory.claim(type, listed.id);
  return listed?.id ?? name;
}

function findListed(context: OperationContext, names: readonly string[]): Promise<string> {
  const { clock, lists, memory, settings } = context.runtime;
  const before = memory.idsBefore(context.urn);
  return waitUntil({
    operation: context,
    list: lists.of(marketplaceInstances),
    prompt: true,
    deadline: Math.min(clock.now() + settings.listLagMs, context.deadline),
    judge: async (snapshot): Promise<Verdict<string>> => {
      const isNew = (id: string) => !before?.has(id);
      const listed = snapshot.withNames(names).map((view) => view.id);
      const found = listed.some(isNew) ? listed : await idsAmongMachines(context, names);
      const [id, other] = new Set(found.filter(isNew));
      if (id === undefined) return { kind: "pending", status: "not listed" };
      return other === undefined
        ? { kind: "done", result: id }
        : { kind: "pending", status: `listed as ${id} and ${other}` };
    },
  });
}

async function idsAmongMachines({ runtime }: OperationContext, names: readonly string[]): Promise<string[]> {
  const { items } = await runtime.lists.of(marketplaceMachines).fresh();
  return items.flatMap(({ instances }) => instances.map(({ id }) => id)).filter((id) => names.includes(id));
}

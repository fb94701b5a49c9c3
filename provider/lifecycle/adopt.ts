import { OperationUnavailableError } from "../client";
import { RefusedError } from "./errors";
import { describe, differences } from "./own";
import type { Kind, SharedList } from "./sharedList";
import { isLive, type View } from "./view";
import type { Work } from "./work";

/** Brings one that exists under management. Nothing is created, and every field that the record shows must be as asked for. */
export async function adopt<Item>(work: Work<object>, kind: Kind<Item>, id: string): Promise<View> {
  const { lists, memory } = work.runtime;
  const owner = memory.ownerOf(work.type, id);
  if ((owner !== undefined && owner !== work.urn) || (owner === undefined && memory.isClaimed(work.type, id))) {
    throw new RefusedError(
      `${work.noun} ${id} is already managed by ${owner ?? "another resource of this program"}: two resources cannot have the same adoptId`,
    );
  }
  memory.takeOver(work.type, id);
  const view = await findListed(lists.of(kind), id);
  if (!view || !isLive(view)) {
    throw new RefusedError(`there is no ${work.noun} ${id} to adopt${view ? `: it is ${view.status}` : ""}`);
  }
  const different = differences(view, work.inputs);
  if (different.length > 0) {
    throw new RefusedError(
      `${describe(work, view)} cannot be adopted, because it is not what the program asks for: ${different.join("; ")}. Change the program to match it.`,
    );
  }
  return view;
}

async function findListed<Item>(list: SharedList<Item>, id: string): Promise<View | undefined> {
  try {
    return (await list.any()).find(id) ?? (await list.after(list.mark(), 0)).find(id);
  } catch (error) {
    if (!(error instanceof OperationUnavailableError)) throw error;
    throw new RefusedError(`${list.kind.plural} cannot be listed on this service, so nothing can be adopted`, {
      cause: error,
    });
  }
}

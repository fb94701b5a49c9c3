import { OperationUnavailableError } from "../../client";
import type { Work } from "../model/context";
import { RefusedError } from "../model/errors";
import type { Kind, SharedList } from "../model/sharedList";
import { isBeyondRepair, type View } from "../model/view";
import { describe, differences } from "./ownership";

/** For the other resources of the program to come by: that one of them has this machine shows only when it is compared. */
const grace = 2000;

/** Brings one that exists under management. Nothing is created, and every field that the record shows must be as asked for. */
export async function adopt<Item>(work: Work<object>, kind: Kind<Item>, id: string): Promise<View> {
  const { clock, lists, memory } = work.runtime;
  const held = memory.isClaimed(work.type, id);
  refuseIfManaged(work, id, held);
  // Before the look at the list: two creates that run side by side must not both find it free.
  memory.claim(work.type, id);
  try {
    const view = await findFitting(work, lists.of(kind), id);
    await clock.sleep(grace);
    refuseIfManaged(work, id, false);
    memory.takeOver(work.type, id, work.urn);
    return view;
  } catch (error) {
    memory.release(work.type, id);
    throw error;
  }
}

function refuseIfManaged(work: Work<object>, id: string, held: boolean): void {
  const owner = work.runtime.memory.ownerOf(work.type, id);
  if (owner === work.urn || (owner === undefined && !held)) return;
  throw new RefusedError(
    `${work.noun} ${id} is already managed by ${owner ?? "another resource of this program"}: two resources cannot have the same adoptId`,
  );
}

async function findFitting<Item>(work: Work<object>, list: SharedList<Item>, id: string): Promise<View> {
  const view = await findListed(list, id);
  if (!view || isBeyondRepair(view.phase)) {
    throw new RefusedError(
      `there is no ${work.noun} ${id} to adopt${view ? `: it is ${view.status}` : ""}. Remove adoptId to have a new one made.`,
    );
  }
  const different = differences(view, work.inputs);
  if (different.length > 0) {
    throw new RefusedError(
      `${describe(work, view)} cannot be adopted, because it is not what the program asks for: ${different.join("; ")}. Change the program to match it, or remove adoptId to have a new one made.`,
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

import { OperationUnavailableError } from "../../client";
import { listOf, lookUp, recordIdOf } from "../context";
import type { Operation, OperationContext } from "../definition";
import { isBeyondRepair, RefusedError, type SharedList, type View } from "../model";
import { refuseHeld } from "./held";
import { describe, differences } from "./ownership";

/** For the other resources of the program to come by: that one of them has this machine shows only when it is compared. */
const grace = 2000;

/** Brings one that exists under management. Nothing is created, and every field that the record shows must be as asked for. */
export async function adopt(context: OperationContext<object>, id: string): Promise<View> {
  const { type, urn } = context;
  const { clock, memory } = context.runtime;
  const names: string[] = [];
  const claim = (name: string) => {
    refuseIfManaged(context, name, memory.isClaimed(type, name));
    memory.claim(type, name);
    names.push(name);
  };
  // Before the look at the list: two creates that run side by side must not both find it free.
  claim(id);
  try {
    const view = await findFitting(context, id);
    // Another entry of the state may hold it under any of its names.
    for (const name of await otherNames(context, id)) claim(name);
    await refuseIfKept(context, view);
    await clock.sleep(grace);
    for (const name of names) refuseIfManaged(context, name, false);
    for (const name of names) memory.takeOver(type, name, urn);
    const { complete, takeAlong } = context.definition;
    const completed = (await complete?.(context.runtime, view, { ...context.inputs })) ?? view;
    return (await takeAlong?.(context, completed)) ?? completed;
  } catch (error) {
    for (const name of names) memory.release(type, name);
    throw error;
  }
}

async function otherNames(context: OperationContext<object>, id: string): Promise<string[]> {
  const snapshot = await listOf(context).latest();
  return snapshot.namesOf(id).filter((name) => name !== id);
}

/** One resource has one machine. That the state holds it for a resource which the program no longer has is no hindrance: a rename. */
function refuseIfManaged({ noun, runtime, type, urn }: Operation, id: string, held: boolean): void {
  const owner = runtime.memory.wantedBy(type, id);
  if (owner === urn || (owner === undefined && !held)) return;
  throw new RefusedError(
    `${noun} ${id} is already managed by ${owner ?? "another resource of this program"}: two resources cannot have the same adoptId`,
  );
}

/**
 * What another entry of the state holds can be had in the run that removes or renames it. The delete of that entry comes after this
 * create: all that can be known now is whether the run looks at everything.
 */
async function refuseIfKept(context: OperationContext<object>, view: View): Promise<void> {
  const isPartial = (await context.runtime.engine.scope()) === "partial";
  const reason = isPartial ? " This run leaves that resource as it is (--target, --exclude)." : "";
  await refuseHeld(context, view, { verb: "adopted", leaves: !isPartial, reason });
}

async function findFitting(context: OperationContext<object>, id: string): Promise<View> {
  const record = await findListed(listOf(context), recordIdOf(context, id));
  const view = record && (context.definition.see?.(record, id, { ...context.inputs }, context.runtime) ?? record);
  if (!view || isBeyondRepair(view.phase)) {
    throw new RefusedError(
      `${context.noun} ${id} cannot be adopted: ${view ? `it is ${view.status}` : "it does not exist"}. Remove adoptId, or the option import, to create a new one.`,
    );
  }
  const different = differences(view, context.inputs);
  if (different.length > 0) {
    throw new RefusedError(
      `${describe(context, view)} cannot be adopted, because it differs from the program: ${different.join("; ")}. Change the program, or remove adoptId to create a new one.`,
    );
  }
  return view;
}

async function findListed(list: SharedList<unknown>, id: string): Promise<View | undefined> {
  try {
    return await lookUp(list, id);
  } catch (error) {
    if (!(error instanceof OperationUnavailableError)) throw error;
    throw new RefusedError(`this service cannot list ${list.kind.plural}, so none can be adopted`, {
      cause: error,
    });
  }
}

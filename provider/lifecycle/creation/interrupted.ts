import type { OperationContext } from "../definition";
import { heldAnywhere } from "../holders";
import { type LifecycleInputs, RefusedError, type Snapshot, type Values } from "../model";
import { fingerprintOf, hasOwnMark } from "./ownership";
import { candidatesIn, mayBeIt } from "./unresolved";

type Context = OperationContext<LifecycleInputs>;

/** A create that a killed run has left in the state. */
export interface InterruptedCreate {
  /** By which the state knows it: the resource may have another name by now. */
  urn: string;
  asked: Values;
}

/**
 * The creates of this resource that killed runs have left in the state. An automatic label tells what they have made, so with
 * one the state is not asked.
 */
export async function interruptedCreates(context: Context): Promise<readonly InterruptedCreate[]> {
  if (hasOwnMark(context)) return [];
  const { memory, state } = context.runtime;
  const found = memory.urnsOf(context.urn).map(async (urn) => {
    const creates = await state.interrupted(context.stack, urn, urn === context.urn);
    return creates.map((asked) => ({ urn, asked }));
  });
  return (await Promise.all(found)).flat();
}

/** Refuses to rent while a killed run may have rented the same: without an automatic label nothing would ever show it. */
export async function refuseInterrupted(
  context: Context,
  creates: readonly InterruptedCreate[],
  now: Snapshot<unknown> | undefined,
): Promise<void> {
  const [first] = creates;
  if (!first) return;
  const isHeld = await heldAnywhere(context);
  const found = creates.flatMap(({ asked }) => {
    const fingerprint = typeof asked["label"] === "string" ? asked["label"] : fingerprintOf(context);
    return now ? candidatesIn(context, now, { fingerprint, isProof: false, idsBefore: undefined, asked }, isHeld) : [];
  });
  const views = [...new Map(found.map((view) => [view.id, view])).values()];
  throw new RefusedError(
    `refused, nothing was created: an earlier run was killed while it created this resource, and may have created one that is missing from the state. ${await mayBeIt({ ...context, urn: first.urn }, views, first.asked)} If you do not know: \`gpufleet recover\` looks until the lists can no longer lag.`,
  );
}

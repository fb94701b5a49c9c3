import { isAutomaticLabel } from "../../shared/label";
import { isSameUrn } from "../../shared/typeToken";
import type { OperationContext } from "../definition";
import { heldAnywhere, urnsHad } from "../holders";
import { type InterruptedCreate, type LifecycleInputs, RefusedError, type Snapshot } from "../model";
import { candidatesIn } from "./lookalikes";
import { fingerprintOf, hasOwnMark } from "./ownership";
import { mayBeIt } from "./unresolved";

type Context = OperationContext<LifecycleInputs>;

/** The creates of this resource that killed runs have left in the state, under any of its names. */
export async function interruptedCreates(context: Context): Promise<readonly InterruptedCreate[]> {
  const { inputs, runtime, stack } = context;
  const { label } = inputs;
  const own = { label, isMade: runtime.memory.hasMadeLabel(label) };
  const former = (await urnsHad(context)).filter((urn) => !isSameUrn(urn, context.urn));
  const found = [
    runtime.state.interrupted(stack, context.urn, own),
    ...former.map((urn) => runtime.state.interrupted(stack, urn, undefined)),
  ];
  return (await Promise.all(found)).flat();
}

/**
 * Refuses to rent while a killed run may have rented the same. A list that lags, or a service that has none, cuts labels or hides
 * them, would not show it. Where the state cannot be asked, an automatic label in a list is the only witness.
 */
export async function refuseInterrupted(
  context: Context,
  asked: Promise<readonly InterruptedCreate[]>,
  now: Snapshot<unknown> | undefined,
): Promise<void> {
  const creates = await asked.catch((error: unknown) => {
    if (now && hasOwnMark(context)) return [];
    throw new RefusedError(
      `refused, nothing was created: it is unknown whether an earlier run was killed while it created this resource, because the state cannot be read. Run this again when \`pulumi stack export\` works here, in less than 30 s.`,
      { cause: error },
    );
  });
  const [first] = creates;
  if (first) throw new RefusedError(await interruptedRefusal(context, creates, first, now));
}

async function interruptedRefusal(
  context: Context,
  creates: readonly InterruptedCreate[],
  first: InterruptedCreate,
  now: Snapshot<unknown> | undefined,
): Promise<string> {
  const refusal =
    "refused, nothing was created: an earlier run was killed while it created this resource, and may have created one that is missing from the state.";
  if (creates.every(({ asked }) => isAutomaticLabel(asked["label"]))) {
    return `${refusal} \`gpufleet recover\` looks for it until the lists can no longer lag, and settles it or says how.`;
  }
  const isHeld = await heldAnywhere(context);
  const found = creates.flatMap(({ asked }) => {
    const fingerprint = typeof asked["label"] === "string" ? asked["label"] : fingerprintOf(context);
    return now ? candidatesIn(context, now, { fingerprint, isProof: false, idsBefore: undefined, asked }, isHeld) : [];
  });
  const views = [...new Map(found.map((view) => [view.id, view])).values()];
  return `${refusal} ${await mayBeIt({ ...context, urn: first.urn }, views, first.asked)} If you do not know: \`gpufleet recover\` looks until the lists can no longer lag.`;
}

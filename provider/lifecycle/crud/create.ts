import { OperationUnavailableError } from "../../client";
import { showPerHour } from "../../shared/money";
import { hasLimit, refuseTooDear, whyTooDear } from "../cost/budget";
import { whyFleetTooDear } from "../cost/fleet";
import { adopt } from "../creation/adopt";
import type { LifecycleInputs, ResourceDefinition } from "../definition";
import type { Work } from "../model/context";
import { messageOf, PartialStateError, RefusedError, WaitTimeoutError } from "../model/errors";
import type { Runtime } from "../model/runtime";
import type { SharedList, Snapshot } from "../model/sharedList";
import { outputsOf, unfinishedKey } from "../model/state";
import { isBeyondRepair, refresh, type View } from "../model/view";
import { waitUntilReady, waitUntilSshAnswers } from "../waiting/ready";
import { waitUntil } from "../waiting/wait";
import type { Values } from "./check";
import { attempt, begin, finder } from "./operation";

export interface Made {
  id: string;
  outputs: Values;
}

export function createResource<Inputs extends LifecycleInputs, Item>(
  definition: ResourceDefinition<Inputs, Item>,
  runtime: Runtime,
  values: Values,
): Promise<Made> {
  return attempt("creating", definition.type, values, async () => {
    const work = begin(definition, runtime, values);
    const view = await make(definition, work);
    return settle(definition, work, view, { isNew: true, carried: {} });
  });
}

/** Makes it, or takes over the one it is to be. From the moment this returns, the id is known and must not be lost. */
async function make<Inputs extends LifecycleInputs, Item>(
  definition: ResourceDefinition<Inputs, Item>,
  work: Work<Inputs>,
): Promise<View> {
  const { pledges } = work.runtime;
  if (work.inputs.adoptId !== undefined) return adopt(work, definition.kind, String(work.inputs.adoptId));
  try {
    const limited = hasLimit(work) || work.fleet !== undefined;
    const expected = limited ? await definition.price?.(work) : undefined;
    await refuseTooDearFleet(definition, work, expected);
    await refuseTooDear(work, expected);
    const view = await definition.create(work);
    pledges.fulfil(work.urn, view.id);
    return view;
  } catch (error) {
    pledges.drop(work.urn);
    if (!(error instanceof PartialStateError)) throw error;
    throw new PartialStateError(error.message, error.id, { ...work.inputs, ...error.outputs }, { cause: error });
  }
}

async function refuseTooDearFleet<Inputs extends LifecycleInputs, Item>(
  definition: ResourceDefinition<Inputs, Item>,
  work: Work<Inputs>,
  expected: number | undefined,
): Promise<void> {
  const reason = await whyFleetTooDear(work, work.runtime.lists.of(definition.kind), expected);
  if (reason === undefined) return;
  throw new RefusedError(`refused, and nothing was spent: ${reason}. Raise the limit or ask for less.`);
}

/** Brings what exists to where it should be: within its limits, ready, answering. Whatever fails keeps the id. */
export async function settle<Inputs extends LifecycleInputs, Item>(
  definition: ResourceDefinition<Inputs, Item>,
  work: Work<Inputs>,
  made: View,
  { isNew, carried }: { isNew: boolean; carried: Values },
): Promise<Made> {
  const { inputs } = work;
  const { clock, lists } = work.runtime;
  const list = lists.of(definition.kind);
  const find = finder(definition, made.id, inputs);
  const outputs = (view: View) => outputsOf(inputs, view, clock.now(), carried);
  // Where the record does not say, this is what tells a fresh one from one that is gone.
  let view = isNew ? { ...made, createdAt: made.createdAt ?? new Date(clock.now()).toISOString() } : made;
  try {
    if (isNew && definition.ownership && (hasLimit(work) || work.fleet))
      view = await withinLimits(definition, work, view);
    if (inputs.waitForReady) view = await untilUsable(work, list, find, view, isNew);
    return { id: made.id, outputs: outputs(view) };
  } catch (error) {
    if (error instanceof EndedAgain) throw new RefusedError(error.message, { cause: error });
    const latest = refresh(view, (await list.any().then(find, () => undefined)) ?? view);
    const unfinished = { ...outputs(latest), [unfinishedKey]: true };
    throw new PartialStateError(failure(error, latest), made.id, unfinished, { cause: error });
  }
}

/** Waits until it is ready and answers. Where the service cannot tell, that is said, and it is taken as it is. */
async function untilUsable<Item>(
  work: Work<LifecycleInputs>,
  list: SharedList<Item>,
  find: (snapshot: Snapshot<Item>) => View | undefined,
  view: View,
  isNew: boolean,
): Promise<View> {
  const { waitForSsh = false } = work.inputs;
  try {
    const ready = refresh(view, await waitUntilReady(work, list, find, { view, isNew, waitForSsh }));
    if (waitForSsh) await waitUntilSshAnswers(work, ready);
    return ready;
  } catch (error) {
    if (!(error instanceof OperationUnavailableError)) throw error;
    work.runtime.engine.warn(work.urn, `whether it is ready cannot be told: ${error.message}`);
    return view;
  }
}

function failure(error: unknown, view: View): string {
  const bills =
    view.costPerHour === undefined || view.phase === "ended" ? "" : ` It bills ${showPerHour(view.costPerHour)}.`;
  return `${messageOf(error).replace(/\.$/, "")}. It is in the state under the id ${view.id}.${bills} ${wayOut(error, view)} \`pulumi destroy\` ends it.`;
}

function wayOut(error: unknown, view: View): string {
  if (isBeyondRepair(view.phase)) return "The next `pulumi up` replaces it.";
  if (error instanceof WaitTimeoutError) return "Run `pulumi up` again to go on waiting, or raise timeouts.create.";
  return "The next `pulumi up` looks again.";
}

/** It was too dear, and is no more. */
class EndedAgain extends Error {}

/** Looks up what it costs, and ends it at once if that is too much. */
async function withinLimits<Inputs extends LifecycleInputs, Item>(
  definition: ResourceDefinition<Inputs, Item>,
  work: Work<Inputs>,
  made: View,
): Promise<View> {
  const { clock, lists, engine } = work.runtime;
  const view = await findListed(definition, work, made);
  // Of a fleet without prices the gate tells, once for all members.
  if (view.costPerHour === undefined && hasLimit(work)) {
    engine.warn(work.urn, `its price is not shown by the service, so maxCostPerHour could not be enforced`);
  }
  const reason =
    (await whyFleetTooDear(work, lists.of(definition.kind), view.costPerHour)) ?? (await whyTooDear(work, view));
  if (reason === undefined) return view;
  if (work.inputs.adoptId !== undefined) {
    engine.warn(work.urn, `${reason}; what was adopted is not ended for that`);
    return view;
  }
  try {
    await definition.end(work, made.id, outputsOf(work.inputs, view, clock.now()));
  } catch (error) {
    throw new Error(`${reason}, and could not be ended: ${messageOf(error)}`, { cause: error });
  }
  work.runtime.pledges.drop(work.urn);
  throw new EndedAgain(`${reason}. It was ended at once.`);
}

/** The record as the list shows it; as the create answered where there is no list. */
async function findListed<Inputs extends LifecycleInputs, Item>(
  definition: ResourceDefinition<Inputs, Item>,
  work: Work<Inputs>,
  made: View,
): Promise<View> {
  const find = finder(definition, made.id, work.inputs);
  try {
    return await waitUntil({
      work,
      list: work.runtime.lists.of(definition.kind),
      prompt: true,
      judge: (snapshot) => {
        const found = find(snapshot);
        return found ? { is: "done", result: refresh(made, found) } : { is: "pending", status: "not listed" };
      },
    });
  } catch (error) {
    if (error instanceof OperationUnavailableError) return made;
    throw error;
  }
}

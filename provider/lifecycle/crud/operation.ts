import { readTimestamp } from "../../service";
import { readDuration } from "../../shared/duration";
import { nameOf, readOrigin } from "../../shared/urn";
import { fleetKey, readFleetLimit } from "../cost/fleet";
import type { LifecycleInputs, ResourceDefinition } from "../definition";
import { beginWork, type Work } from "../model/context";
import { messageOf, PartialStateError } from "../model/errors";
import { everyResource } from "../model/inputs";
import type { Runtime } from "../model/runtime";
import type { Snapshot } from "../model/sharedList";
import { inputsFrom } from "../model/state";
import { beforeKey, lostAtKey, unresolvedTrace } from "../model/unresolvedId";
import type { View } from "../model/view";
import { originKey, type Values } from "./check";

/** Starts to create or update a resource: its inputs parsed, its deadline set. */
export function begin<Inputs extends LifecycleInputs, Item>(
  definition: ResourceDefinition<Inputs, Item>,
  runtime: Runtime,
  values: Values,
): Work<Inputs> {
  const inputs = definition.inputs.parse(inputsFrom(definition.inputs.shape, values));
  const work = beginWork(runtime, definition, values[originKey], inputs, allowed(definition, "create", values));
  return { ...work, fleet: readFleetLimit(values[fleetKey]) };
}

/**
 * Starts to read or end what a state holds. The state is not held against the schema: whatever an older version wrote, or
 * the service has made of it, it must be possible to end it.
 */
export function beginWithState<Inputs extends LifecycleInputs, Item>(
  definition: ResourceDefinition<Inputs, Item>,
  runtime: Runtime,
  state: Values,
): Work<Values> {
  return beginWork(runtime, definition, state[originKey], state, allowed(definition, "delete", state));
}

function allowed(
  definition: { timeouts: { create: string; delete: string } },
  operation: "create" | "delete",
  values: Values,
): number {
  const timeouts = everyResource.timeouts.safeParse(values["timeouts"]).data;
  return readDuration(timeouts?.[operation] ?? definition.timeouts[operation]) ?? 0;
}

export function finder<Inputs extends LifecycleInputs, Item>(
  definition: ResourceDefinition<Inputs, Item>,
  id: string,
  inputs: object,
): (snapshot: Snapshot<Item>) => View | undefined {
  return (snapshot) => (definition.find ? definition.find(snapshot, id, { ...inputs }) : snapshot.find(id));
}

/** Notes that the state holds this resource: a later create of this process must not mistake it for a leftover. */
export function rememberState(runtime: Runtime, type: string, id: string, state: Values): void {
  const { urn } = readOrigin(state[originKey]);
  runtime.memory.remember(type, id, urn);
  runtime.memory.rememberLabel(state["label"]);
  const trace = unresolvedTrace(id);
  if (trace === undefined) return;
  const idsBefore = state[beforeKey];
  runtime.memory.rememberDoubt(urn, {
    trace,
    idsBefore: Array.isArray(idsBefore) ? idsBefore.map(String) : undefined,
    asked: state,
    until: (readTimestamp(state[lostAtKey]) ?? 0) + runtime.settings.reconcileSeconds * 1000,
  });
}

/** Runs one operation; what goes wrong says what was being done to what. */
export async function attempt<Result>(
  doing: "creating" | "reading" | "updating" | "deleting",
  type: string,
  values: Values,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    const message = `${doing} ${type} "${nameOf(readOrigin(values[originKey]).urn)}": ${messageOf(error)}`;
    if (error instanceof PartialStateError) {
      throw new PartialStateError(message, error.id, error.outputs, { cause: error });
    }
    throw new Error(message, { cause: error });
  }
}

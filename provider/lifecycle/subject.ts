import type { Clock } from "../client";
import { originKey, type Values, visible } from "./check";
import type { LifecycleInputs, ResourceDefinition } from "./definition";
import { readDuration } from "./duration";
import { messageOf, PartialStateError } from "./errors";
import { nameOf, readOrigin } from "./label";
import { beforeKey, unresolvedTrace } from "./own";
import type { Runtime } from "./runtime";
import type { Snapshot } from "./sharedList";
import type { View } from "./view";
import { beginWork, type Work } from "./work";

/** Starts an operation on a resource: its inputs parsed, its deadline set. */
export function begin<Inputs extends LifecycleInputs, Item>(
  definition: ResourceDefinition<Inputs, Item>,
  runtime: Runtime,
  operation: "create" | "delete",
  values: Values,
): Work<Inputs> {
  const inputs = definition.inputs.parse(inputsOf(definition, values));
  const allowed = readDuration(inputs.timeouts?.[operation] ?? definition.timeouts[operation]) ?? 0;
  return beginWork(runtime, definition, values[originKey], inputs, allowed);
}

/** The part of a state that are inputs. */
export function inputsOf(definition: { inputs: { shape: object } }, values: Values): Values {
  return Object.fromEntries(Object.entries(visible(values)).filter(([key]) => key in definition.inputs.shape));
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
  const idsBefore = state[beforeKey];
  if (trace !== undefined) {
    runtime.memory.rememberDoubt(urn, { trace, idsBefore: Array.isArray(idsBefore) ? idsBefore.map(String) : [] });
  }
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

export function secondsSince(clock: Clock, time: number | undefined): number {
  return time === undefined ? Number.POSITIVE_INFINITY : (clock.now() - time) / 1000;
}

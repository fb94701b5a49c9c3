import { readDuration } from "../../shared/duration";
import { readTimestamp } from "../../shared/timestamp";
import { nameOf, readOrigin } from "../../shared/urn";
import { beginOperation } from "../context";
import type { OperationContext, ResourceDefinition } from "../definition";
import {
  beforeKey,
  everyResource,
  fleetKey,
  inputsFrom,
  type LifecycleInputs,
  lostAtKey,
  messageOf,
  originKey,
  PartialStateError,
  type Runtime,
  readFleetLimit,
  unresolvedFingerprint,
  type Values,
} from "../model";

/** Begins to create or update a resource: its inputs parsed, its deadline set. */
export function begin(
  definition: ResourceDefinition,
  runtime: Runtime,
  values: Values,
): OperationContext<LifecycleInputs> {
  const inputs = definition.inputs.parse(inputsFrom(definition.inputs.shape, values));
  const operation = beginOperation(runtime, definition, values[originKey], timeLimit(definition, "create", values));
  return { ...operation, definition, inputs, fleet: readFleetLimit(values[fleetKey]) };
}

/**
 * Begins to read or end what a state holds. The state is not held against the schema: whatever an older version wrote, or
 * the service has made of it, it must be possible to end it.
 */
export function beginWithState(
  definition: ResourceDefinition,
  runtime: Runtime,
  state: Values,
): OperationContext<Values> {
  const operation = beginOperation(runtime, definition, state[originKey], timeLimit(definition, "delete", state));
  return { ...operation, definition, inputs: state };
}

function timeLimit({ timeouts }: ResourceDefinition, operation: "create" | "delete", values: Values): number {
  const given = everyResource.timeouts.safeParse(values["timeouts"]).data;
  return readDuration(given?.[operation] ?? timeouts[operation]) ?? 0;
}

/** Notes that the state holds this resource: a later create of this process must not mistake it for a leftover. */
export function rememberState(runtime: Runtime, type: string, id: string, state: Values): void {
  const { urn } = readOrigin(state[originKey]);
  runtime.memory.remember(type, id, urn);
  runtime.memory.rememberLabel(state["label"]);
  const fingerprint = unresolvedFingerprint(id);
  if (fingerprint === undefined) return;
  const idsBefore = state[beforeKey];
  runtime.memory.rememberUnresolved(urn, {
    fingerprint,
    idsBefore: Array.isArray(idsBefore) ? idsBefore.map(String) : undefined,
    asked: state,
    until: (readTimestamp(state[lostAtKey]) ?? 0) + runtime.settings.listLagMs,
  });
}

/** Runs one operation; what goes wrong says what was being done to what. */
export async function withErrorContext<Result>(
  doing: "creating" | "reading" | "updating" | "deleting",
  type: string,
  values: Values,
  run: () => Promise<Result>,
): Promise<Result> {
  try {
    return await run();
  } catch (error) {
    const message = `${doing} ${type} "${nameOf(readOrigin(values[originKey]).urn)}": ${messageOf(error)}`;
    if (error instanceof PartialStateError) {
      throw new PartialStateError(message, error.id, error.outputs, { cause: error });
    }
    throw new Error(message, { cause: error });
  }
}

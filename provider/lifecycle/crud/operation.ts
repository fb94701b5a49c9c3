import { ConfigurationError } from "../../client";
import { messageOf } from "../../shared/messageOf";
import { nameOf, readOrigin } from "../../shared/urn";
import { beginOperation, listOf, recordIdOf } from "../context";
import type { OperationContext, ResourceDefinition } from "../definition";
import { readUnresolved, urnOfHolder } from "../holders";
import {
  fleetKey,
  inputsFrom,
  isOtherKey,
  type LifecycleInputs,
  originKey,
  outputsOf,
  PartialStateError,
  RefusedError,
  type Runtime,
  readFleetFacts,
  readFleetLimit,
  readWhereabouts,
  timeLimit,
  type Values,
  type View,
  whereaboutsOf,
  whereKey,
  whyForeign,
} from "../model";
import { asRented } from "./asRented";

/** Begins to create or update a resource: its inputs parsed, its deadline set. */
export function begin(
  definition: ResourceDefinition,
  runtime: Runtime,
  values: Values,
): OperationContext<LifecycleInputs> {
  const inputs = definition.inputs.parse(inputsFrom(definition.inputs.shape, values));
  const operation = beginOperation(runtime, definition, values[originKey], timeLimit(definition, "create", values));
  const isMember = readFleetFacts(values) !== undefined;
  return { ...operation, definition, inputs, fleet: readFleetLimit(values[fleetKey]), isMember };
}

/**
 * Begins to read or end what a state holds. The state is not held against the schema: whatever an older version wrote, or
 * the service has made of it, it must be possible to end it.
 */
export function beginWithState(
  definition: ResourceDefinition,
  runtime: Runtime,
  state: Values,
  id?: string,
): OperationContext<Values> {
  const operation = beginOperation(runtime, definition, state[originKey], timeLimit(definition, "delete", state), id);
  return { ...operation, definition, inputs: state };
}

/** The same by its present name, for whoever has something to show. What its label was made from stays as it was. */
export async function byPresentName<Inputs>(
  context: OperationContext<Inputs>,
  id: string,
): Promise<OperationContext<Inputs>> {
  const urn = await urnOfHolder(context, id);
  return { ...context, urn, name: nameOf(urn) };
}

/** Notes that the state holds this resource: a later create of this process must not mistake it for a leftover. */
export function rememberState(runtime: Runtime, definition: ResourceDefinition, id: string, state: Values): void {
  const { type } = definition;
  const { urn } = readOrigin(state[originKey]);
  if (runtime.isConfigured) {
    rememberOwnId(runtime, definition, id, state);
    runtime.lists.of(definition.kind).rememberTerms(id, state);
  }
  runtime.memory.remember(type, id, urn);
  runtime.memory.rememberLabel(state["label"]);
  const unresolved = readUnresolved(id, state);
  if (unresolved) runtime.memory.rememberUnresolved(urn, unresolved);
}

/**
 * Notes that a read drops it from the state because lists lack it: one of them may show it again, and a create of this process must not
 * take it for one that the state holds. Where its record says that it has ended, lists agree sooner or later.
 */
export async function forgetAbsent(context: OperationContext<Values>, id: string): Promise<void> {
  const { inputs: state, runtime, type, urn } = context;
  const snapshot = await listOf(context).latest();
  if (snapshot.find(recordIdOf(context, id), state["label"])?.phase === "ended") {
    runtime.memory.noteEnding(type, id);
    return;
  }
  const urns = [urn, readOrigin(state[originKey]).urn];
  runtime.memory.drop(type, id, { urns, label: state["label"] });
}

/** Tells the list that this one is known by its own id, if it is. */
export function rememberOwnId(runtime: Runtime, definition: ResourceDefinition, id: string, state: Values): void {
  if (!readWhereabouts(state)?.hasOwnId) return;
  runtime.lists.of(definition.kind).rememberOwnId(definition.recordId?.(state) ?? id);
}

/** Refuses to take for this resource's a record that is somebody else's. */
export function refuseForeign(context: OperationContext, state: Values, view: View): void {
  const { definition, runtime } = context;
  // An attachment is found in the record of its volume.
  const noun = definition.recordId ? definition.kind.plural.replace(/s$/, "") : definition.noun;
  const reason = whyForeign(state, runtime.service, noun, view);
  if (!reason) {
    // With another key, only proof gets here.
    if (definition.post && isOtherKey(state, runtime.service)) runtime.memory.noteOwnAccount();
    return;
  }
  const besides = definition.besides?.(state);
  const more =
    besides === undefined
      ? ""
      : ` Its ${besides.noun} ${besides.id} may still bill: delete that by hand before you remove it.`;
  throw new RefusedError(`${reason}.${more} Nothing was changed.`);
}

/** What the state keeps of it. Where it is and whose is told by a record of the service, and by nothing else. */
export function stateOf(context: OperationContext<object>, view: View, before: Values, isSeen: boolean): Values {
  const { definition, inputs, runtime } = context;
  const outputs = outputsOf(inputs, view, runtime.client.serviceNow(), before);
  // What is found in the record of something else was not created with that.
  const createdAtListed = definition.recordId ? undefined : (view.createdAtListed ?? readWhereabouts(before)?.created);
  const hasOwnId = view.hasOwnId ?? readWhereabouts(before)?.hasOwnId;
  const where = whereaboutsOf(runtime.service, definition.kind.base, { ...view, createdAtListed, hasOwnId });
  return { ...outputs, ...(isSeen ? { [whereKey]: where, ...asRented(context, view, before) } : {}) };
}

/** The same with what other lists have to say. */
export async function withRemembered(context: OperationContext<object>, id: string, state: Values): Promise<Values> {
  return { ...state, ...(await context.definition.remember?.(context, id, state)) };
}

/** Runs one operation; what goes wrong says what was being done to what. */
export async function withErrorContext<Result>(
  doing: "creating" | "reading" | "importing" | "updating" | "deleting",
  type: string,
  values: Values,
  run: () => Promise<Result>,
  presentUrn: () => Promise<string> = async () => readOrigin(values[originKey]).urn,
): Promise<Result> {
  try {
    return await run();
  } catch (error) {
    const message = `${doing} ${type} "${nameOf(await presentUrn())}": ${messageOf(error)}${wayToNewSettings(doing, error)}`;
    if (error instanceof PartialStateError) {
      throw new PartialStateError(message, error.id, error.outputs, { cause: error });
    }
    throw new Error(message, { cause: error });
  }
}

/** A refresh, also that of an `up`, and a destroy see what the configuration was: to set it is not enough. */
function wayToNewSettings(doing: string, error: unknown): string {
  const command = doing === "reading" ? "pulumi up" : doing === "deleting" ? "pulumi destroy" : undefined;
  if (command === undefined || !(error instanceof ConfigurationError)) return "";
  return `. Refresh and destroy use the configuration of the last \`pulumi up\`: if you have changed it since, run \`${command} --run-program\``;
}

import { type CallOptions, OperationUnavailableError } from "../client";
import { marksOf } from "../shared/label";
import { nameOf, readOrigin, readUrn } from "../shared/urn";
import type { Operation, OperationContext, ResourceDefinition } from "./definition";
import {
  EngineGoneError,
  RefusedError,
  type Runtime,
  type SharedList,
  type Snapshot,
  type StateWitness,
  type Values,
  type View,
  whyElsewhere,
} from "./model";

/** Begins an operation: who the resource is, and when the time is up. What is in a state already is named by its id. */
export function beginOperation(
  runtime: Runtime,
  { type, noun }: { type: string; noun: string },
  origin: unknown,
  milliseconds: number,
  id?: string,
): Operation {
  const { organization, urn } = readOrigin(origin);
  const { project, stack } = readUrn(urn);
  const deadline = runtime.clock.now() + milliseconds;
  return {
    runtime: withListsUntil(runtime, deadline),
    type,
    noun,
    name: nameOf(urn),
    urn,
    stack: { organization, project, stack, ...(id !== undefined && { entry: { type, id } }) },
    marks: marksOf({ organization, urn, namespace: runtime.settings.namespace }),
    deadline,
  };
}

/** The same runtime, whose lists are waited for no longer than that. */
function withListsUntil(runtime: Runtime, deadline: number): Runtime {
  let lists: Runtime["lists"] | undefined;
  const get = () => {
    lists ??= runtime.lists.until(deadline);
    return lists;
  };
  // Not spread: what is made when it is first used must stay so, and be the same in both.
  return Object.create(runtime, { lists: { get, enumerable: true } });
}

/** The same runtime, to which what other providers have shows as it is now: before something is ended, deleted or taken over. */
export function seeingOthers(runtime: Runtime): Runtime {
  const { state } = runtime;
  const entries: StateWitness["entries"] = (stack, options) =>
    state.entries(stack, options?.now ? options : { now: "others" });
  return Object.create(runtime, { state: { value: { ...state, entries }, enumerable: true } });
}

/** The same operation with so much time from now on. */
export function withTime<One extends Operation>(operation: One, milliseconds: number): One {
  const deadline = operation.runtime.clock.now() + milliseconds;
  return { ...operation, deadline, runtime: withListsUntil(operation.runtime, deadline) };
}

/** How a request of this operation is sent that makes or changes something: only while the engine is there to hear of it. */
export function callFor({ runtime, deadline }: Operation): CallOptions {
  return {
    deadline,
    beforeAttempt: async () => {
      const engine = await runtime.engine.ask();
      if (engine !== "answers") throw new EngineGoneError(engine);
    },
  };
}

/** The list in which the resource is found. */
export function listOf({ runtime, definition }: OperationContext): SharedList<unknown> {
  return runtime.lists.of(definition.kind);
}

/**
 * The record with an id that a person gives. Before it counts as missing, a list is asked for that was taken after the question.
 * Two resources are told to have the same one by its id: another of its names is refused.
 */
export async function lookUp(list: SharedList<unknown>, id: string): Promise<View | undefined> {
  const found = (await list.latest()).find(id) ?? (await list.fresh()).find(id);
  if (!found || found.id === id) return found;
  throw new RefusedError(`${id} is only a name of it: the service lists it with the id ${found.id}. Use that id`);
}

/** For lists that a service may not have. */
export function ifUnavailable(error: unknown): undefined {
  if (error instanceof OperationUnavailableError) return undefined;
  throw error;
}

/** A list that shows this record, if one does: any of them may leave it out or not show what it is, also where its id was given to somebody else. */
export async function listShowing<Item>(list: SharedList<Item>, id: string): Promise<Snapshot<Item> | undefined> {
  const latest = await list.latest().catch(ifUnavailable);
  const isShown = latest?.has(id) === true && !latest.isUnreadable(id);
  return latest && !isShown ? list.fresh().catch(() => latest) : latest;
}

/** What is there and cannot be read shows nothing but its label, if that. */
export function unreadableView(snapshot: Snapshot<unknown>, id: string): View | undefined {
  const label = snapshot.isUnreadable(id) ? snapshot.labelOfUnreadable(id) : undefined;
  return label === undefined ? undefined : { id, label, status: "unknown", phase: "pending", observedInputs: {} };
}

/** The id of the resource's record in its list. */
export function recordIdOf({ definition, inputs }: OperationContext<object>, id: string): string {
  return definition.recordId?.({ ...inputs }) ?? id;
}

/** Finds the resource in a list. */
export function finder(context: OperationContext<object>, id: string) {
  const { definition, runtime } = context;
  const inputs: Values = { ...context.inputs };
  const recordId = recordIdOf(context, id);
  return (snapshot: Snapshot<unknown>): View | undefined => {
    const record = snapshot.find(recordId, inputs["label"]);
    return record && definition.see && record.phase !== "ended" ? definition.see(record, id, inputs, runtime) : record;
  };
}

/**
 * The operation under the name that the program has for what has this id: notes of what the program says go by that. It has it under
 * another name than the state where there is an alias.
 */
export function asInProgram<One extends Operation>(operation: One, id: string): One {
  const { runtime, type, urn } = operation;
  return { ...operation, urn: runtime.memory.wantedBy(type, id) ?? urn };
}

/** Refuses to touch through one address what is at another. */
export function refuseElsewhere(
  { definition, runtime }: { definition: ResourceDefinition; runtime: Runtime },
  state: Values,
): void {
  const reason = whyElsewhere(state, runtime.service, definition.kind.base);
  if (!reason) return;
  runtime.memory.noteElsewhere(reason);
  throw new RefusedError(reason);
}

/** Shows on the resource's own row what is being waited for. */
export function showStatus({ runtime, urn }: Operation, text: string): void {
  runtime.engine.status(urn, text);
}

/** The row keeps what it was told last: when the operation is done, that is nothing. */
export function clearStatus(operation: Operation): void {
  showStatus(operation, "");
}

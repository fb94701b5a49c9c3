import {
  describe,
  differences,
  type Handler,
  holdersElsewhere,
  isLive,
  type Operation,
  originKey,
  providerKey,
  RefusedError,
  type ResourceDefinition,
  type Runtime,
  type Snapshot,
  unresolvedFingerprint,
  type Values,
  type View,
  visible,
  withDefaults,
} from "../../../provider/lifecycle";
import { owned } from "../../../provider/resources";
import { readLabel } from "../../../provider/shared/label";
import { stub } from "../../../provider/shared/stub";
import { dynamicPrefix } from "../../../provider/shared/typeToken";
import { readUrn } from "../../../provider/shared/urn";
import {
  gpufleetType,
  handlerOf,
  hasSecret,
  openSecret,
  resourcesOf,
  type State,
  type StateResource,
  secretTextsIn,
  titleOf,
} from "../../stack";
import { keepValues, statusLine } from "../../terminal";
import type { ReadInputs } from "./decryptedInputs";
import { describeEnding, endingBy, warnOfEnding } from "./ending";
import { type ManagedResource, operationFor } from "./managedResource";
import { currentOf, newResource, referenceTo } from "./newResource";
import { mayBeElsewhere } from "./orphanHints";
import { finishCreated, type Search } from "./outcome";
import { type Decision, describePlacement, waiting } from "./plan";
import type { Program } from "./program";
import { createdEntry } from "./stateEntry";
import { aboutTwins, endAlone, twinOf } from "./twin";
import { isForPerson, isOutcome, isUnresolved } from "./unresolvedCreate";

/** A machine that a person says belongs to this resource. */
export interface Adoption {
  id: string;
  urn: string;
  /** Even if it does not match. */
  force: boolean;
}

interface AdoptionContext {
  state: State;
  /** The part of it that the account of the machine has. */
  part?: State;
  /** The create of this resource that was interrupted, if the engine kept a record of it. */
  pending: ManagedResource | undefined;
  /** URN of the provider that the program gives the resource, where no record of a create names one. */
  provider?: string | undefined;
  /** The lists of the account that has an entry of the state, where it may be another one. */
  listsWith?(entry: StateResource): Runtime["lists"] | undefined;
  readInputs: ReadInputs;
  /** What the program asks for in the resource now. */
  program: Pick<Program, "inputs" | "secrets">;
  organization: string;
  /** What the commands that are written out need to work on the same stack. */
  place?: string | undefined;
}

/** Takes over a machine without proof. Undefined when it is already in the state. */
export async function planAdoption(
  search: Search,
  { id, urn, force }: Adoption,
  context: AdoptionContext,
): Promise<Decision | undefined> {
  const { state, part = state, pending, provider, readInputs, program, organization, place = "" } = context;
  const { listsWith = () => search.runtime.lists } = context;
  const unresolved = resourcesOf(part).filter((one) => one.urn === urn && one.delete && isForPerson(one));
  const noted = unresolved[0] ?? currentOf(state, urn);
  const resource =
    pending?.resource ?? (noted ? withProvider(state, noted, provider) : newResource(state, urn, provider));
  const { handler, definition } = adoptable(resource);
  const isInState = (names: readonly string[]) => {
    const isIt = (one: StateResource) => gpufleetType(one) === handler.type && names.includes(one.id ?? "");
    const owner = resourcesOf(part).find(isIt);
    if (owner && owner.urn !== urn) throw refusal(`${definition.noun} ${id} is already in the state, as ${owner.urn}`);
    return owner !== undefined;
  };
  if (isInState([id])) return undefined;

  const isDynamic = resource.type.startsWith(dynamicPrefix);
  const hidden = {
    [originKey]: `${organization}/${urn}`,
    ...(isDynamic && { [providerKey]: stub(handler.type) }),
  };
  const asked = pending?.inputs ?? { ...unresolvedInputs(noted, readInputs), ...(await program.inputs(urn)) };
  const known = pending?.inputs ?? { ...(noted && readInputs(noted)), ...asked, ...hidden };
  const operation = operationFor(search.runtime, definition, known, listTimeout + search.readyTimeout);
  const { snapshot, view } = await getListed(operation, definition, id);
  const secrets = await program.secrets(urn);
  // What the program keeps secret is said nowhere.
  keepValues(...secretTextsIn(secrets.map((key) => openSecret(visible(view.observedInputs)[key] ?? null))));
  // The state may have it under another of its names.
  if (isInState(snapshot.namesOf(id))) return undefined;
  await refuseHeldElsewhere(operation, view);
  const listWith = async (entry: StateResource) => listsWith(entry)?.of(definition.kind).latest();
  const ending = await endingBy(operation, definition, { state, listWith, view, resource, inputs: known, readInputs });
  // Where a create of it was interrupted or is unresolved, the program has asked for another one, and this is said to be it.
  const isAskedFor = pending !== undefined || resourcesOf(part).some((one) => one.urn === urn && isUnresolved(one));
  if (!force) {
    refuseFor([
      ...mismatches(operation, asked, view),
      ...twinReasons(operation, { state: part, snapshot, view, place }),
      ...(ending && !isAskedFor ? [warnOfEnding(ending, id)] : []),
      ...((await operation.runtime.state.isWhole(operation.stack)) ? [] : [mayBeElsewhere(place)]),
    ]);
  }
  const managed = pending ?? rebuild(handler, resource, { known, asked, secrets }, view);
  const creation = { ...operation, definition, inputs: managed.inputs };
  const whole = (await definition.complete?.(search.runtime, view, managed.inputs)) ?? view;
  const finished = await finishCreated(search, creation, managed, whole);
  // Whatever was asked for, the outputs show what it is.
  const created = { ...finished, outputs: { ...finished.outputs, ...visible(view.observedInputs) } };
  const entry = createdEntry(managed, created, new Date(search.runtime.clock.now()));
  // What is left to be settled did not create it, too.
  search.runtime.memory.claim(definition.type, id);
  return {
    entry,
    removed: unresolved.filter((one) => isOutcome(one, entry)),
    line: `${titleOf(resource)}: ${created.description} ${describePlacement(state, entry)}${ending ? describeEnding(ending) : ""}${waiting(created)}`,
  };
}

const listTimeout = 60_000;

/** The entry as one of this provider, if the state has it. */
function withProvider(state: State, entry: StateResource, provider: string | undefined): StateResource {
  const reference = provider && referenceTo(state, entry.type, provider);
  return reference ? { ...entry, provider: reference } : entry;
}

export function refusal(reason: string): RefusedError {
  return new RefusedError(`refused, and nothing was changed: ${reason}`);
}

function adoptable(resource: StateResource): { handler: Handler; definition: ResourceDefinition } {
  const handler = handlerOf(gpufleetType(resource));
  if (handler?.owned) return { handler, definition: handler.owned };
  throw refusal(`${resource.urn} cannot be taken over: only ${owned.map(({ type }) => type).join(", ")} can`);
}

/** What an unresolved create asked for. A machine that it replaces may have been asked for otherwise. */
function unresolvedInputs(noted: StateResource | undefined, readInputs: ReadInputs): Values {
  return noted && unresolvedFingerprint(noted.id ?? "") !== undefined ? visible(readInputs(noted)) : {};
}

/** Two stacks that have one machine would each end it under the other, and so would two providers of one stack. */
async function refuseHeldElsewhere(operation: Operation, view: View): Promise<void> {
  const holderOf = await holdersElsewhere(operation);
  const holder = holderOf(view);
  if (!holder) return;
  const { stack, project } = readUrn(holder.urn);
  const isOwn = stack === operation.stack.stack && project === operation.stack.project;
  const where = isOwn ? "already in the state" : "in the state of another stack";
  const how = holder.type === operation.type ? "as" : "created with";
  throw refusal(`${operation.noun} ${view.id} is ${where}, ${how} ${holder.urn}`);
}

async function getListed({ runtime }: Operation, { kind, noun }: ResourceDefinition, id: string) {
  const snapshot = await statusLine.during(`Listing ${kind.plural}…`, () => runtime.lists.of(kind).fresh());
  const view = snapshot.find(id);
  if (view && isLive(view)) return { snapshot, view };
  throw refusal(`there is no ${noun} ${id} to take over${view ? `: it is ${view.status}` : ""}`);
}

/**
 * The inputs as they were asked for: a service may show a label in its own way, and to have that as an input is to have another machine
 * asked for. What nobody has asked for is as the record shows it, and otherwise as the state has it.
 */
function rebuild(
  handler: Handler,
  resource: StateResource,
  { known, asked, secrets }: { known: Values; asked: Values; secrets: readonly string[] },
  view: View,
): ManagedResource {
  const inputs = withDefaults(handler.inputs, { ...known, ...visible(view.observedInputs), ...asked });
  const closedNow = secrets.flatMap((key) => (inputs[key] === undefined ? [] : [[key, openSecret(inputs[key])]]));
  const closed = Object.entries(resource.inputs ?? {}).filter(([, value]) => hasSecret(value));
  return {
    handler,
    inputs,
    resource: { ...resource, inputs: { ...inputs, ...Object.fromEntries([...closedNow, ...closed]) } },
  };
}

/** One refusal says everything, because one --force takes it all. */
function refuseFor(reasons: readonly string[]): void {
  if (reasons.length > 0) throw refusal(`${reasons.join(" ")} Pass --force to take it over anyway.`);
}

/** A person may mistype an id: what the machine shows must match the resource. */
function mismatches(operation: Operation, asked: Values, view: View): string[] {
  const marks = readLabel(view.label);
  const what = describe(operation, view);
  if (marks && (marks.stack !== operation.marks.stack || marks.resource !== operation.marks.resource)) {
    return [`${what} was created by another resource than ${operation.urn}.`];
  }
  const different = differences(view, { ...asked, label: undefined });
  return different.length > 0 ? [`${what} does not match the resource: ${different.join("; ")}.`] : [];
}

interface Listed {
  state: State;
  snapshot: Snapshot<unknown>;
  view: View;
  place: string;
}

/** A twin is nothing that was lost: the state has what the same request was to create. */
function twinReasons(operation: Operation, { state, snapshot, view, place }: Listed): string[] {
  const twin = twinOf(operation.type, { state, snapshot, view });
  if (!twin) return [];
  return [
    `${describe(operation, view)} ${aboutTwins(snapshot, twin, view.id)}`,
    endAlone(operation.type, view.id, place),
  ];
}

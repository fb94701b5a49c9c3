import { handlers } from "../../../provider";
import {
  describe,
  differences,
  type Handler,
  isLive,
  originKey,
  providerKey,
  RefusedError,
  type Rented,
  type Values,
  type View,
  visible,
  type Work,
  withDefaults,
} from "../../../provider/lifecycle";
import { readLabel } from "../../../provider/shared/label";
import { stub } from "../../../provider/shared/stub";
import { gpufleetType, handlerOf, hasSecret, resourcesOf, type State, type StateResource } from "../../stack";
import { statusLine } from "../../terminal";
import type { ReadInputs } from "./decryptedInputs";
import { contextFor, type ManagedResource, titleOf } from "./managedResource";
import { withItsMachine } from "./marketplace";
import { currentOf, newResource } from "./newResource";
import { finishCreated, type Search } from "./outcome";
import { type Decision, describePlacement, waiting } from "./plan";
import { createdEntry } from "./stateEntry";

/** A machine that a person says belongs to this resource. */
export interface Adoption {
  id: string;
  urn: string;
  /** Even if it does not match. */
  force: boolean;
}

interface AdoptionContext {
  state: State;
  /** The create of this resource that was interrupted, if the engine kept a record of it. */
  pending: ManagedResource | undefined;
  readInputs: ReadInputs;
  /** What the program asks for in the resource now. */
  programInputs(urn: string): Promise<Values>;
  organization: string;
}

/** Takes over a machine without proof. Undefined when it is already in the state. */
export async function planAdoption(
  search: Search,
  { id, urn, force }: Adoption,
  { state, pending, readInputs, programInputs, organization }: AdoptionContext,
): Promise<Decision | undefined> {
  const current = currentOf(state, urn);
  const resource = pending?.resource ?? current ?? newResource(state, urn);
  const { handler, rented } = adoptable(resource);
  const owner = resourcesOf(state).find((one) => one.type === resource.type && one.id === id);
  if (owner?.urn === urn) return undefined;
  if (owner) throw refusal(`${rented.noun} ${id} is already in the state, as ${owner.urn}`);

  const hidden = { [originKey]: `${organization}/${urn}`, [providerKey]: stub(handler.type) };
  const asked = pending?.inputs ?? (await programInputs(urn));
  const known = pending?.inputs ?? { ...(current && readInputs(current)), ...asked, ...hidden };
  const work = contextFor(search.runtime, { handler, resource, inputs: known }, listTimeout + search.readyTimeout);
  const view = await getListed(work, rented, id);
  if (!force) refuseMismatch(work, asked, view);
  const managed = pending ?? rebuild(handler, resource, known, view);
  const context = { ...work, inputs: managed.inputs };
  const created = await finishCreated(search, context, managed, await withItsMachine(context, view));
  const entry = createdEntry(managed, created, new Date(search.runtime.clock.now()));
  return {
    entry,
    line: `${titleOf(resource)}: ${created.description} ${describePlacement(state, entry)}${waiting(created)}`,
  };
}

const listTimeout = 60_000;

function refusal(reason: string): RefusedError {
  return new RefusedError(`refused, and nothing was changed: ${reason}`);
}

function adoptable(resource: StateResource): { handler: Handler; rented: Rented } {
  const handler = handlerOf(gpufleetType(resource));
  if (handler?.rented) return { handler, rented: handler.rented };
  const types = [...handlers.values()].filter(({ rented }) => rented).map(({ type }) => type);
  throw refusal(`${resource.urn} cannot be taken over: only ${types.join(", ")} can`);
}

async function getListed(work: Work, { kind, noun }: Rented, id: string): Promise<View> {
  const list = work.runtime.lists.of(kind);
  const listed = await statusLine.during(`Listing ${kind.plural}…`, () => list.after(list.mark(), 0));
  const view = listed.find(id);
  if (view && isLive(view)) return view;
  throw refusal(`there is no ${noun} ${id} to take over${view ? `: it is ${view.status}` : ""}`);
}

/** The inputs, as far as the record shows them, and otherwise as the program and the state have them. */
function rebuild(handler: Handler, resource: StateResource, known: Values, view: View): ManagedResource {
  const inputs = withDefaults(handler.inputs, { ...known, ...visible(view.shown) });
  const closed = Object.entries(resource.inputs ?? {}).filter(([, value]) => hasSecret(value));
  return { handler, inputs, resource: { ...resource, inputs: { ...inputs, ...Object.fromEntries(closed) } } };
}

/** A person may mistype an id: what the machine shows must match the resource. */
function refuseMismatch(work: Work, asked: Values, view: View): void {
  const marks = readLabel(view.label);
  const what = describe(work, view);
  if (marks && (marks.stack !== work.marks.stack || marks.resource !== work.marks.resource)) {
    throw refusal(`${what} was created by another resource than ${work.urn}. Pass --force to take it over anyway.`);
  }
  const different = differences(view, { ...asked, label: undefined });
  if (different.length > 0) {
    throw refusal(`${what} does not match the resource: ${different.join("; ")}. Pass --force to take it over anyway.`);
  }
}

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
  readLabel,
  type Values,
  type View,
  visible,
  type Work,
  withDefaults,
} from "../../../provider/lifecycle";
import { stub } from "../../../sdk/stub";
import { hasSecret, resourcesOf, type State, type StateResource } from "../../stack";
import type { OpenInputs } from "./decryptedInputs";
import { handlerOf, type Subject, titleOf, workOn } from "./managedResource";
import { withItsMachine } from "./marketplace";
import { currentOf, newResource } from "./newResource";
import { type Search, settleMade } from "./outcome";
import { type Decision, placed, waiting } from "./plan";
import { madeEntry } from "./stateEntry";

/** A machine that a person says is this resource's. */
export interface Adoption {
  id: string;
  urn: string;
  /** Also where the record says otherwise. */
  force: boolean;
}

interface Circumstances {
  state: State;
  /** The create of this resource that was interrupted, if the engine kept a record of it. */
  pending: Subject | undefined;
  openInputs: OpenInputs;
  /** What the program asks for in the resource now. */
  programInputs(urn: string): Promise<Values>;
  organization: string;
}

/** Takes one over on a person's word. Undefined when it is in the state already. */
export async function planAdoption(
  search: Search,
  { id, urn, force }: Adoption,
  { state, pending, openInputs, programInputs, organization }: Circumstances,
): Promise<Decision | undefined> {
  const current = currentOf(state, urn);
  const resource = pending?.resource ?? current ?? newResource(state, urn);
  const { handler, rented } = takeable(resource);
  const owner = resourcesOf(state).find((one) => one.type === resource.type && one.id === id);
  if (owner?.urn === urn) return undefined;
  if (owner) throw refusal(`${rented.noun} ${id} is in the state already, as ${owner.urn}`);

  const hidden = { [originKey]: `${organization}/${urn}`, [providerKey]: stub(handler.type) };
  const asked = pending?.inputs ?? (await programInputs(urn));
  const known = pending?.inputs ?? { ...(current && openInputs(current)), ...asked, ...hidden };
  const work = workOn(search.runtime, { handler, resource, inputs: known }, timeToLook + search.patience);
  const view = await getListed(work, rented, id);
  if (!force) refuseDoubtful(work, asked, view);
  const subject = pending ?? rebuilt(handler, resource, known, view);
  const settled = { ...work, inputs: subject.inputs };
  const made = await settleMade(search, settled, subject, await withItsMachine(settled, view));
  const entry = madeEntry(subject, made, new Date(search.runtime.clock.now()));
  return { entry, line: `${titleOf(resource)}: ${made.description} ${placed(state, entry)}${waiting(made)}` };
}

const timeToLook = 60_000;

function refusal(reason: string): RefusedError {
  return new RefusedError(`refused, and nothing was changed: ${reason}`);
}

function takeable(resource: StateResource): { handler: Handler; rented: Rented } {
  const handler = handlerOf(resource);
  if (handler?.rented) return { handler, rented: handler.rented };
  const types = [...handlers.values()].filter(({ rented }) => rented).map(({ type }) => type);
  throw refusal(`${resource.urn} is of none of the types that can be taken over: ${types.join(", ")}`);
}

async function getListed(work: Work, { kind, noun }: Rented, id: string): Promise<View> {
  const list = work.runtime.lists.of(kind);
  const view = (await list.after(list.mark(), 0)).find(id);
  if (view && isLive(view)) return view;
  throw refusal(`there is no ${noun} ${id} to take over${view ? `: it is ${view.status}` : ""}`);
}

/** The inputs, as far as the record shows them, and otherwise as the program and the state have them. */
function rebuilt(handler: Handler, resource: StateResource, known: Values, view: View): Subject {
  const inputs = withDefaults(handler.inputs, { ...known, ...visible(view.shown) });
  const closed = Object.entries(resource.inputs ?? {}).filter(([, value]) => hasSecret(value));
  return { handler, inputs, resource: { ...resource, inputs: { ...inputs, ...Object.fromEntries(closed) } } };
}

/** A person may err in an id: what the machine shows of itself must not speak against it. */
function refuseDoubtful(work: Work, asked: Values, view: View): void {
  const marks = readLabel(view.label);
  const what = describe(work, view);
  if (marks && (marks.stack !== work.marks.stack || marks.resource !== work.marks.resource)) {
    throw refusal(
      `${what} bears the mark of another resource than ${work.urn}. Pass --force if it is this one's all the same.`,
    );
  }
  const different = differences(view, { ...asked, label: undefined });
  if (different.length > 0) {
    throw refusal(
      `${what} is not what was asked for: ${different.join("; ")}. Pass --force if it is the right one all the same.`,
    );
  }
}

import {
  describe,
  isLive,
  type Operation,
  type ResourceDefinition,
  type Snapshot,
  type Values,
  type View,
} from "../../../provider/lifecycle";
import { resourcesOf, type State, type StateResource } from "../../stack";
import { placementOf } from "./insertEntry";

/** A machine that runs and that the next `pulumi up` ends, because the state can have only one of two. */
export interface Ending {
  /** The one that the state has. */
  current: string;
  /** Whether it is that one; otherwise it is the one that is taken over. */
  isCurrent: boolean;
  /** `bare-metal rental 1042 "train-…" (Running, …)` */
  description: string;
  /** `its storage volume with 512 GB of data` */
  lost: string | undefined;
}

interface Takeover {
  state: State;
  /** The list of the account that has this entry; undefined where it cannot be asked. */
  listWith(entry: StateResource): Promise<Snapshot<unknown> | undefined>;
  view: View;
  /** As what it is taken over. */
  resource: StateResource;
  /** The inputs of what is taken over. */
  inputs: Values;
  readInputs(resource: StateResource): Values;
}

/** What is ended when a machine is taken over. One that has ended already, or is listed nowhere, is none. */
export async function endingBy(
  operation: Operation,
  { contents }: ResourceDefinition,
  { state, listWith, view, resource: { type, provider }, inputs, readInputs }: Takeover,
): Promise<Ending | undefined> {
  const { runtime, urn } = operation;
  const { id, label, createdAt } = view;
  const placement = placementOf(resourcesOf(state), { urn, type, provider, id, outputs: { label, createdAt } });
  if (placement.kind !== "replacement" && placement.kind !== "leftover") return undefined;
  const { current } = placement;
  const list = await listWith(current);
  const running = list && runningIn(operation, list, current);
  if (!running) return undefined;
  const isCurrent = placement.kind === "replacement";
  return {
    current: running.id,
    isCurrent,
    description: isCurrent ? running.description : describe(operation, view),
    lost: contents?.(runtime, urn, isCurrent ? { ...current.outputs, ...readInputs(current) } : inputs)?.what,
  };
}

/** The machine of an entry, if it is listed and runs. One whose record cannot be read may. */
export function runningIn(
  operation: Operation,
  snapshot: Snapshot<unknown>,
  { id = "" }: StateResource,
): (Pick<Ending, "description"> & { id: string }) | undefined {
  if (snapshot.isUnreadable(id)) return { id, description: `${operation.noun} ${id} (its record cannot be read)` };
  const view = snapshot.find(id);
  return view && isLive(view) ? { id: view.id, description: describe(operation, view) } : undefined;
}

/** Before it is done. */
export function warnOfEnding({ current, isCurrent, description, lost }: Ending, id: string): string {
  const why = isCurrent ? `: with ${id} in its place,` : `, which was created after ${id}:`;
  return `The state has ${current} for this resource${why} the next \`pulumi up\` terminates ${description}${lost ? ` and deletes ${lost}` : ""}.`;
}

/** After it was said that the next `pulumi up` deletes it. */
export function describeEnding({ description, lost }: Ending): string {
  return ` That terminates ${description}${lost ? ` and deletes ${lost}` : ""}.`;
}

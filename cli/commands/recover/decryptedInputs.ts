import { z } from "zod";
import type { Values } from "../../../provider/lifecycle";
import {
  gpufleetType,
  hasSecret,
  pendingOf,
  resourcesOf,
  type Stack,
  type State,
  type StateResource,
  unwrapSecrets,
} from "../../stack";

/** Gives the inputs of a resource with its secrets in the open. */
export type OpenInputs = (resource: StateResource) => Values;

/** Only where one of ours has a secret is the state exported a second time, in clear text. It is not written anywhere. */
export async function openInputsOf(stack: Stack, state: State): Promise<OpenInputs> {
  const closed = everyResourceOf(state);
  const isNeeded = closed.some((resource) => gpufleetType(resource) !== undefined && hasSecret(resource.inputs));
  const open = isNeeded ? everyResourceOf(await stack.exportState({ showSecrets: true })) : closed;
  const pairs = new Map(closed.map((resource, index) => [resource, open[index]]));
  return (resource) => values.parse(unwrapSecrets((pairs.get(resource) ?? resource).inputs ?? {}));
}

function everyResourceOf(state: State): StateResource[] {
  return [...resourcesOf(state), ...pendingOf(state).map(({ resource }) => resource)];
}

const values = z.record(z.string(), z.unknown());

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
  secretTextsIn,
  unwrapSecrets,
} from "../../stack";
import { keepValues } from "../../terminal";

/** Returns the inputs of a resource, decrypted. */
export type ReadInputs = (resource: StateResource) => Values;

/**
 * Exports the state a second time, in plain text, only where one of ours has a secret. It is written nowhere, and what was secret is
 * kept out of everything that the command says.
 */
export async function decryptedInputsOf(stack: Stack, state: State): Promise<ReadInputs> {
  const closed = everyResourceOf(state);
  const isNeeded = closed.some((resource) => gpufleetType(resource) !== undefined && hasSecret(resource.inputs));
  const open = isNeeded ? everyResourceOf(await stack.exportState({ showSecrets: true })) : closed;
  for (const resource of isNeeded ? open.filter(gpufleetType) : []) keepValues(...secretTextsIn(resource.inputs));
  const pairs = new Map(closed.map((resource, index) => [resource, open[index]]));
  return (resource) => values.parse(unwrapSecrets((pairs.get(resource) ?? resource).inputs ?? {}));
}

function everyResourceOf(state: State): StateResource[] {
  return [...resourcesOf(state), ...pendingOf(state).map(({ resource }) => resource)];
}

const values = z.record(z.string(), z.unknown());

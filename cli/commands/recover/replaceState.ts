import { isDeepStrictEqual } from "node:util";
import { messageOf, RefusedError } from "../../../provider/lifecycle";
import { readActivity, releaseLocks, resourcesOf, type Stack, type State } from "../../stack";
import { keepCopy } from "./backup";

/**
 * Puts the new state in the place of the one that it was made from, and gives the path of the copy that was kept. An
 * import is unconditional, so right before it the state is looked at once more.
 */
export async function replaceState(stack: Stack, before: State, after: State): Promise<string> {
  if (!isDeepStrictEqual(await stack.exportState(), before)) {
    throw new RefusedError(
      "refused, and nothing was changed: somebody else has changed the state meanwhile. Run this again.",
    );
  }
  const copy = await keepCopy(stack.place.cwd, await stack.name(), before, new Date());
  await releaseAbandoned(stack);
  try {
    await stack.importState(after);
  } catch (error) {
    throw await failedImport(stack, before, copy, error);
  }
  const missing = missingFrom(await stack.exportState(), after);
  if (missing.length > 0) {
    throw new Error(`after the import the state lacks ${missing.join(", ")}. The state as it was before: ${copy}`);
  }
  return copy;
}

/** A lock of a killed run is kept to the last, so that nobody else begins meanwhile. */
export async function releaseAbandoned(stack: Stack): Promise<void> {
  const activity = await readActivity(stack);
  if (activity.is === "busy") throw new RefusedError(`refused, and nothing was changed: ${activity.reason}.`);
  if (activity.is === "abandoned") await releaseLocks(stack);
}

/** To import the copy would drop the pending operations that are in it, so it is put back by nobody but a person. */
async function failedImport(stack: Stack, before: State, copy: string, error: unknown): Promise<Error> {
  const now = await stack.exportState().catch(() => undefined);
  const untouched = now !== undefined && isDeepStrictEqual(now, before);
  const how = untouched ? "The state is as it was." : `The state as it was before: ${copy}`;
  return new Error(`${messageOf(error)}. ${how}`, { cause: error });
}

function missingFrom(state: State, wanted: State): string[] {
  const there = new Set(resourcesOf(state).map(({ urn, id }) => `${urn} ${id}`));
  return resourcesOf(wanted)
    .filter(({ urn, id }) => !there.has(`${urn} ${id}`))
    .map(({ urn }) => urn);
}

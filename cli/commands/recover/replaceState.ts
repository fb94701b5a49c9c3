import { isDeepStrictEqual } from "node:util";
import { RefusedError } from "../../../provider/lifecycle";
import { messageOf } from "../../../provider/shared/messageOf";
import { readActivity, releaseLocks, resourcesOf, type Stack, type State, type StateResource } from "../../stack";
import { backUp } from "./backup";

/**
 * Replaces the state that the new one was made from, and returns the path of a copy. An import is unconditional, so the
 * state is read once more right before it.
 */
export async function replaceState(stack: Stack, before: State, after: State): Promise<string> {
  if (!isDeepStrictEqual(await stack.exportState(), before)) {
    throw new RefusedError("refused, and nothing was changed: the state has changed in the meantime. Run this again.");
  }
  const copy = await backUp(stack.place.cwd, await stack.name(), before, new Date());
  await releaseAbandonedLocks(stack);
  const now = await exportAfterImport(stack, after).catch(async (error: unknown) => {
    throw await failedImport(stack, before, copy, error);
  });
  const missing = missingFrom(now, after);
  if (missing.length > 0) {
    throw new Error(`after the import the state lacks ${missing.join(", ")}. Copy of the previous state: ${copy}`);
  }
  return copy;
}

async function exportAfterImport(stack: Stack, state: State): Promise<State> {
  await stack.importState(state);
  return stack.exportState();
}

/** A killed run's lock is released last, so that no other run begins in the meantime. */
export async function releaseAbandonedLocks(stack: Stack): Promise<void> {
  const activity = await readActivity(stack);
  if (activity.kind === "busy") throw new RefusedError(`refused, and nothing was changed: ${activity.reason}.`);
  if (activity.kind === "abandoned") await releaseLocks(stack);
}

/** Importing the copy would drop its pending operations, so only a person may do it. */
async function failedImport(stack: Stack, before: State, copy: string, error: unknown): Promise<Error> {
  const now = await stack.exportState().catch(() => undefined);
  const untouched = now !== undefined && isDeepStrictEqual(now, before);
  const how = untouched ? "The state is unchanged." : `Copy of the previous state: ${copy}`;
  return new Error(`${messageOf(error)}. ${how}`, { cause: error });
}

function missingFrom(state: State, wanted: State): string[] {
  const keyOf = ({ urn, id, provider }: StateResource) => JSON.stringify([urn, id, provider]);
  const there = new Set(resourcesOf(state).map(keyOf));
  return resourcesOf(wanted)
    .filter((resource) => !there.has(keyOf(resource)))
    .map(({ urn }) => urn);
}

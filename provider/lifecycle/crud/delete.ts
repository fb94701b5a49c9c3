import { OperationUnavailableError } from "../../client";
import { describe } from "../creation/ownership";
import { isAmbiguous, lookForOutcome } from "../creation/unresolved";
import type { LifecycleInputs, ResourceDefinition } from "../definition";
import type { Work } from "../model/context";
import type { Doubt } from "../model/memory";
import type { Runtime } from "../model/runtime";
import { unresolvedTrace } from "../model/unresolvedId";
import type { Values } from "./check";
import { attempt, beginWithState, rememberState } from "./operation";

export function deleteResource<Inputs extends LifecycleInputs, Item>(
  definition: ResourceDefinition<Inputs, Item>,
  runtime: Runtime,
  id: string,
  state: Values,
): Promise<void> {
  return attempt("deleting", definition.type, state, async () => {
    rememberState(runtime, definition.type, id, state);
    if (runtime.memory.takenOverBy(definition.type, id) !== undefined) return;
    const work = beginWithState(definition, runtime, state);
    const doubt = unresolvedTrace(id) === undefined ? undefined : runtime.memory.doubtOf(work.urn);
    if (doubt) await endOutcome(definition, work, state, doubt);
    else await definition.end(work, id, state);
  });
}

/** Ends what a create in doubt has made, if it made anything. */
async function endOutcome<Inputs extends LifecycleInputs, Item>(
  definition: ResourceDefinition<Inputs, Item>,
  work: Work<Values>,
  state: Values,
  doubt: Doubt,
): Promise<void> {
  const { ownership } = definition;
  if (!ownership) return;
  try {
    const found = await lookForOutcome(work, ownership, doubt);
    if (isAmbiguous(doubt, found)) {
      throw new Error(
        `${found.map((view) => describe(work, view)).join(" and ")} could ${found.length > 1 ? "each " : ""}be its outcome. End the right one by hand, then remove the resource with \`pulumi state delete\`.`,
      );
    }
    if (found[0]) await definition.end(work, found[0].id, state);
  } catch (error) {
    if (!(error instanceof OperationUnavailableError)) throw error;
    throw new Error(
      `whether "${doubt.trace}" was ever made cannot be told, because it is in no list. Look for it with the service; then remove the resource with \`pulumi state delete\`. (${error.message})`,
      { cause: error },
    );
  }
}

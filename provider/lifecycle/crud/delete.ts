import { OperationUnavailableError } from "../../client";
import { describe, isAmbiguous, lookForOutcome } from "../creation";
import type { OperationContext, ResourceDefinition } from "../definition";
import { type Runtime, type Unresolved, unresolvedFingerprint, type Values } from "../model";
import { endAndWait } from "../waiting";
import { beginWithState, rememberState, withErrorContext } from "./operation";

export function deleteResource(
  definition: ResourceDefinition,
  runtime: Runtime,
  id: string,
  state: Values,
): Promise<void> {
  return withErrorContext("deleting", definition.type, state, async () => {
    rememberState(runtime, definition.type, id, state);
    if (runtime.memory.takenOverBy(definition.type, id) !== undefined) return;
    const context = beginWithState(definition, runtime, state);
    const unresolved = unresolvedFingerprint(id) === undefined ? undefined : runtime.memory.unresolvedOf(context.urn);
    if (unresolved) await endOutcome(context, state, unresolved);
    else await endResource(context, id, state);
  });
}

/** Ends the resource and waits until it no longer bills. */
export async function endResource(context: OperationContext, id: string, state: Values): Promise<void> {
  const { definition } = context;
  if (definition.end) await definition.end(context, id, state);
  else await endAndWait(context, definition, id, state["createdAt"]);
}

/** Ends what a create with an unknown result has made, if it made anything. */
async function endOutcome(context: OperationContext<Values>, state: Values, unresolved: Unresolved): Promise<void> {
  if (!context.definition.post) return;
  try {
    const found = await lookForOutcome(context, unresolved);
    if (isAmbiguous(unresolved, found)) {
      throw new Error(
        `${found.map((view) => describe(context, view)).join(" and ")} could ${found.length > 1 ? "each " : ""}be its outcome. End the right one by hand, then remove the resource with \`pulumi state delete\`.`,
      );
    }
    if (found[0]) await endResource(context, found[0].id, state);
  } catch (error) {
    if (!(error instanceof OperationUnavailableError)) throw error;
    throw new Error(
      `whether "${unresolved.fingerprint}" was ever made cannot be told, because it is in no list. Look for it with the service; then remove the resource with \`pulumi state delete\`. (${error.message})`,
      { cause: error },
    );
  }
}

import { readLabel } from "../../shared/label";
import { describe, refuseHeld } from "../creation";
import type { OperationContext, ResourceDefinition } from "../definition";
import { isBeyondRepair, originKey, RefusedError, type Runtime, type Values, type View } from "../model";
import { withDefaults } from "./check";
import { rememberState, stateOf, withErrorContext } from "./operation";
import { type Found, findExisting } from "./read";

/**
 * Takes one that exists under management (`pulumi import`, the option `import`). The engine itself holds the inputs of the
 * program against those that come back, and refuses where they differ.
 */
export function importResource(
  definition: ResourceDefinition,
  runtime: Runtime,
  id: string,
  values: Values,
): Promise<Found> {
  return withErrorContext("importing", definition.type, values, async () => {
    const { context, view, inputs: shown } = await findExisting(definition, runtime, id, values);
    await refuseImport(context, view);
    const inputs = withDefaults(definition.inputs, shown);
    const outputs = stateOf({ ...context, inputs }, view, {}, true);
    rememberState(runtime, definition.type, id, { ...outputs, [originKey]: values[originKey] });
    return { outputs, inputs };
  });
}

/** One machine has one entry in one state, and what ends is of no use to anyone. */
async function refuseImport(context: OperationContext<Values>, view: View): Promise<void> {
  const { marks } = context;
  const what = describe(context, view);
  if (isBeyondRepair(view.phase)) throw new RefusedError(`${what} cannot be imported: it is ${view.status}`);
  await refuseHeld(context, view, { verb: "imported", leaves: false });
  const label = readLabel(view.label);
  if (label && label.stack !== marks.stack) {
    throw new RefusedError(
      `${what} cannot be imported: its label shows that another stack created it. If that stack no longer needs it, remove it there with \`pulumi state delete\` and take it over with adoptId.`,
    );
  }
}

import { marksOf, readLabel } from "../../shared/label";
import { readOrigin } from "../../shared/urn";
import { describe, refuseHeld } from "../creation";
import type { OperationContext, ResourceDefinition } from "../definition";
import { originsInState } from "../holders";
import {
  everyMachine,
  isBeyondRepair,
  originKey,
  RefusedError,
  type Runtime,
  unseenKey,
  type Values,
  type View,
} from "../model";
import { checkInputs, withDefaults } from "./check";
import { rememberState, stateOf, withErrorContext } from "./operation";
import { type Found, findExisting } from "./read";

/**
 * Takes one that exists under management (`pulumi import`, the option `import`). The engine has it in the state before it holds the
 * inputs that come back against those of the program. What the record does not show is noted, so that what the program says of it
 * is taken as it is.
 */
export function importResource(
  definition: ResourceDefinition,
  runtime: Runtime,
  id: string,
  values: Values,
): Promise<Found> {
  runtime.memory.rememberAdopting(definition.type, id, readOrigin(values[originKey]).urn);
  return withErrorContext("importing", definition.type, values, async () => {
    const { context, view: found, inputs: observed } = await findExisting(definition, runtime, id, values);
    await refuseImport(context, found);
    const whole = (await definition.complete?.(runtime, found, observed)) ?? found;
    const view = (await definition.takeAlong?.(context, whole)) ?? whole;
    const { shape } = definition.inputs;
    const completed = Object.entries(view.outputs ?? {}).filter(([key, value]) => key in shape && value !== undefined);
    const shown: Values = { ...Object.fromEntries(completed), ...observed };
    const inputs = acceptable(context, view, withDefaults(definition.inputs, shown));
    const unseen = Object.keys(shape).filter((key) => !(key in everyMachine) && shown[key] === undefined);
    const outputs = {
      ...stateOf({ ...context, inputs }, view, {}, true),
      ...(unseen.length > 0 && { [unseenKey]: unseen }),
    };
    rememberState(runtime, definition, id, { ...outputs, [originKey]: values[originKey] });
    runtime.memory.noteImported(definition.type, id);
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
  if (label && label.stack !== marks.stack && !(await hadMark(context, label.stack))) {
    throw new RefusedError(
      `${what} cannot be imported: its label shows that another stack created it. If this stack was called otherwise then, take it over with adoptId: ${view.id}. If that stack no longer needs it, remove it there with \`pulumi state delete\` first.`,
    );
  }
}

/** Whether this stack had that mark under a former name: its entries know under which name each of them was created. */
async function hadMark(context: OperationContext, mark: string): Promise<boolean> {
  const { namespace } = context.runtime.settings;
  return (await originsInState(context)).some((origin) => marksOf({ ...origin, namespace }).stack === mark);
}

/** The inputs as a program could have written them: what is required and not shown is not required of what is adopted. */
function acceptable(context: OperationContext<Values>, view: View, inputs: Values): Values {
  const { definition } = context;
  if (missingIn(definition, inputs).length === 0) return inputs;
  const adopting = { ...inputs, adoptId: view.id };
  const missing = missingIn(definition, adopting);
  if (missing.length === 0) return adopting;
  throw new RefusedError(
    `${describe(context, view)} cannot be imported: the service does not show its ${missing.join(", ")}. Set adoptId: ${view.id} in the program instead.`,
  );
}

function missingIn({ type, inputs: schema, checkTogether }: ResourceDefinition, inputs: Values): string[] {
  const { failures } = checkInputs(type, schema, inputs);
  return [...failures, ...(failures.length === 0 ? (checkTogether?.(inputs) ?? []) : [])]
    .filter(({ isAbsence }) => isAbsence)
    .map(({ property }) => property);
}

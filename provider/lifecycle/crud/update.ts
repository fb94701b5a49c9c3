import { OperationUnavailableError } from "../../client";
import { showPerHour } from "../../shared/money";
import type { LifecycleInputs, ResourceDefinition } from "../definition";
import type { Runtime } from "../model/runtime";
import { lasting } from "../model/state";
import { phaseOf, refresh, type View } from "../model/view";
import type { Values } from "./check";
import { settle } from "./create";
import { attempt, begin, finder, rememberState } from "./operation";

/**
 * Takes over what changed in place. The engine also calls this, with nothing changed, for a resource whose creation did not
 * come to its end: then it goes on where creation left off.
 */
export function updateResource<Inputs extends LifecycleInputs, Item>(
  definition: ResourceDefinition<Inputs, Item>,
  runtime: Runtime,
  id: string,
  olds: Values,
  news: Values,
): Promise<Values> {
  return attempt("updating", definition.type, news, async () => {
    rememberState(runtime, definition.type, id, olds);
    const work = begin(definition, runtime, news);
    await definition.update?.(work, id, olds);
    const known = await runtime.lists
      .of(definition.kind)
      .any()
      .then(finder(definition, id, work.inputs))
      .catch((error: unknown) => {
        if (error instanceof OperationUnavailableError) return undefined;
        throw error;
      });
    const before = lastKnown(definition, id, olds);
    const view = known ? refresh(before, known) : before;
    const limit = work.inputs.maxCostPerHour;
    if (limit !== undefined && view.costPerHour !== undefined && view.costPerHour > limit) {
      runtime.engine.warn(
        work.urn,
        `it costs ${showPerHour(view.costPerHour)}, more than maxCostPerHour; what runs already is not ended`,
      );
    }
    const carried = lasting(definition.inputs.shape, olds);
    const settled = await settle(definition, work, view, { isNew: false, carried });
    return settled.outputs;
  });
}

/** The record as the state has it, where the service does not show it. */
function lastKnown<Inputs extends LifecycleInputs, Item>(
  definition: ResourceDefinition<Inputs, Item>,
  id: string,
  olds: Values,
): View {
  const text = (key: string) => (typeof olds[key] === "string" ? olds[key] : undefined);
  const status = text("status") ?? "Unknown";
  return {
    id,
    status,
    phase: phaseOf(status, definition.kind.statuses),
    label: text("label"),
    region: text("region"),
    createdAt: text("createdAt"),
    shown: {},
  };
}

import { messageOf } from "../../shared/messageOf";
import { isOver } from "../../shared/money";
import { finder, ifUnavailable, listOf, refuseElsewhere } from "../context";
import type { OperationContext, ResourceDefinition } from "../definition";
import {
  isExpired,
  isShown,
  lasting,
  PartialStateError,
  phaseOf,
  RefusedError,
  type Runtime,
  showCost,
  shownPrice,
  stillUnseen,
  uncheckedKey,
  unfinishedKey,
  unseenKey,
  untilPriced,
  type Values,
  type View,
  withNewer,
} from "../model";
import { isYetToBeListed } from "../waiting";
import { bringToReady } from "./create";
import { begin, rememberState, stateOf, withErrorContext } from "./operation";
import { findStanding } from "./standing";

/**
 * Takes over what changed in place. The engine also calls this, with nothing changed, for a resource whose creation did not
 * come to its end: then it goes on where creation left off.
 */
export function updateResource(
  definition: ResourceDefinition,
  runtime: Runtime,
  id: string,
  olds: Values,
  news: Values,
): Promise<Values> {
  return withErrorContext("updating", definition.type, news, async () => {
    if (isExpired(olds)) return olds;
    rememberState(runtime, definition, id, olds);
    refuseElsewhere({ definition, runtime }, olds);
    const context = begin(definition, runtime, news);
    runtime.memory.rememberWanted(definition.type, id, context.urn);
    if ((await findStanding(context, id, olds)) === "gone") {
      throw new RefusedError(
        `${context.noun} ${id} no longer exists. Run \`pulumi up --refresh\` to create a new one.`,
      );
    }
    await definition.update?.(context, id, olds);
    const { [unseenKey]: _, [uncheckedKey]: mark, ...lastingState } = lasting(definition.inputs.shape, olds);
    const carried = { ...lastingState, ...stillUnseen(olds, news) };
    const marked = { ...carried, ...(mark !== undefined && { [uncheckedKey]: mark }) };
    const before = lastKnown(definition, id, olds);
    const known = await look(context, id).catch((error: unknown) => {
      // What was changed by now is in the state all the same.
      const outputs = { ...stateOf(context, before, marked, false), [unfinishedKey]: true };
      throw new PartialStateError(messageOf(error), id, outputs, { cause: error });
    });
    const view = known ? { ...withNewer(before, known), isListed: true } : before;
    // An estimate is nothing to hold against the limits of what runs already: until a price shows, the mark stays.
    const isUnchecked = mark === true || (mark === untilPriced && isShown(view));
    const limit = context.inputs.maxCostPerHour;
    if (!isUnchecked && limit !== undefined && view.costPerHour !== undefined && isOver(view.costPerHour, limit)) {
      runtime.engine.warn(
        context.urn,
        `it costs ${showCost(view)}, more than maxCostPerHour; running machines are not terminated`,
      );
    }
    const isUnlisted = known === undefined && (await isYetToBeListed(context, definition, id, olds));
    const carriedOn = isUnchecked ? carried : marked;
    const made = await bringToReady(context, view, { isNew: false, isUnlisted, isUnchecked, carried: carriedOn });
    return made.outputs;
  });
}

/** The record after the change; undefined where the service does not show it. */
async function look(context: OperationContext<object>, id: string): Promise<View | undefined> {
  const list = listOf(context);
  const snapshot = await (context.definition.update ? list.fresh() : list.latest()).catch(ifUnavailable);
  return snapshot && finder(context, id)(snapshot);
}

/** The record as the state has it, where the service does not show it. */
function lastKnown({ kind }: ResourceDefinition, id: string, olds: Values): View {
  const text = (key: string) => (typeof olds[key] === "string" ? olds[key] : undefined);
  const status = text("status") ?? "Unknown";
  return {
    id,
    status,
    phase: phaseOf(status, kind.statuses),
    label: text("label"),
    region: text("region"),
    createdAt: text("createdAt"),
    costPerHour: shownPrice(olds),
    observedInputs: {},
  };
}

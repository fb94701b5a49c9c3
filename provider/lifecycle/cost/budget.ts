import { readLabel } from "../../shared/label";
import { raiseTheLimit, roundUsd, showPerHour } from "../../shared/money";
import { readTimestamp } from "../../shared/timestamp";
import { ifUnavailable } from "../context";
import type { Operation, OperationContext } from "../definition";
import {
  isExpired,
  isLive,
  messageOf,
  namesOf,
  RefusedError,
  type Runtime,
  type StateEntry,
  type View,
} from "../model";
import { nameLargest, nameUnpriced, readPrice } from "./sum";

interface Limited {
  maxCostPerHour?: number | undefined;
}

/** Refuses what would cost too much, before anything is spent. Where no price is known yet, nothing is refused. */
export async function refuseOverBudget(
  context: OperationContext<Limited>,
  expected: number | undefined,
): Promise<void> {
  if (expected === undefined) return;
  const { maxCostPerHour } = context.inputs;
  if (maxCostPerHour !== undefined && expected > maxCostPerHour) {
    throw new RefusedError(
      `refused, nothing was created: it would cost ${showPerHour(expected)}, more than its maxCostPerHour of ${showPerHour(maxCostPerHour)}. ${raiseTheLimit}`,
    );
  }
  const { maxCostPerHour: limit, maxCostPerHourName } = context.runtime.settings;
  if (limit === undefined) return;
  const listed = await runningIn(context).catch((error: unknown) => {
    throw new RefusedError(`refused, nothing was created: ${messageOf(error)}`, { cause: error });
  });
  // Nothing is awaited from here to the pledge: creates that run side by side must see each other's.
  const running = sumOf(listed, context);
  const together = roundUsd(running + expected);
  if (together > limit) {
    throw new RefusedError(
      `refused, nothing was created: this stack costs ${showPerHour(running)}${nameUnpriced(listed)}, and ${showPerHour(expected)} more would make ${showPerHour(together)}, over ${maxCostPerHourName} of ${showPerHour(limit)}.${nameLargest(listed.map(named))} Raise the limit or terminate something first.`,
    );
  }
  context.runtime.pledges.add(context.urn, expected);
}

/** Whether any limit applies, so that the price must be known before the create is done. */
export function hasLimit(context: OperationContext<Limited>): boolean {
  return context.inputs.maxCostPerHour !== undefined || context.runtime.settings.maxCostPerHour !== undefined;
}

/** Why this must be ended at once, or undefined when it is within the limits. */
export async function whyOverBudget(context: OperationContext<Limited>, view: View): Promise<string | undefined> {
  const { costPerHour } = view;
  if (costPerHour === undefined) return undefined;
  const { maxCostPerHour } = context.inputs;
  if (maxCostPerHour !== undefined && costPerHour > maxCostPerHour) {
    return `it costs ${showPerHour(costPerHour)}, more than its maxCostPerHour of ${showPerHour(maxCostPerHour)}`;
  }
  const { maxCostPerHour: limit, maxCostPerHourName } = context.runtime.settings;
  if (limit === undefined) return undefined;
  const running = await runningIn(context);
  const earlier = sumOf(running, context, view);
  const together = roundUsd(earlier + costPerHour);
  return together > limit
    ? `this stack already cost ${showPerHour(earlier)}, and ${showPerHour(costPerHour)} more makes ${showPerHour(together)}, over ${maxCostPerHourName} of ${showPerHour(limit)}`
    : undefined;
}

/** One thing that this stack runs, by type and id. */
interface Running {
  key: string;
  /** Undefined where the service does not list its kind. */
  view: View | undefined;
  /** Undefined where neither the service nor the price book nor the state tells. */
  costPerHour: number | undefined;
}

/** By the name in its label; by type and id where it has none of ours. */
function named({ key, view, costPerHour }: Running) {
  return { name: readLabel(view?.label)?.name || key, costPerHour };
}

/** The sum of it. With `than`, only what was there before it: of two made at once, the later one yields. */
function sumOf(running: readonly Running[], operation: Operation, than?: View): number {
  const counted = than ? running.filter(({ view }) => !view || isBefore(view, than)) : running;
  const sum = counted.reduce((total, { costPerHour = 0 }) => total + costPerHour, 0);
  if (than) return sum;
  return sum + operation.runtime.pledges.sumWithout(new Set(running.map(({ key }) => key)), operation.urn);
}

/** Everything that the state holds or that has this stack's mark, at the price that the service shows or the state has. */
async function runningIn(operation: Operation): Promise<Running[]> {
  const { runtime, marks, stack } = operation;
  const state = await runtime.state.entries(stack);
  const entries = (state ?? []).filter(({ outputs }) => !isExpired(outputs));
  const prices = new Map(entries.map(({ type, id, outputs }) => [`${type} ${id}`, readPrice(outputs["costPerHour"])]));
  const running = await Promise.all(
    runtime.owned.map(async (owned): Promise<Running[]> => {
      const { type } = owned;
      const views = await viewsOf(operation, owned, state && entries);
      if (!views) {
        const held = entries.filter((entry) => entry.type === type).map(({ id }) => `${type} ${id}`);
        return held.map((key) => ({ key, view: undefined, costPerHour: prices.get(key) }));
      }
      const isKnown = (name: string) => prices.has(`${type} ${name}`) || !runtime.memory.isFree(type, name);
      return views.filter(isLive).flatMap((view): Running[] => {
        const name = namesOf(view).find(isKnown);
        if (name === undefined && readLabel(view.label)?.stack !== marks.stack) return [];
        const key = `${type} ${name ?? view.id}`;
        return [{ view, key, costPerHour: view.costPerHour ?? prices.get(key) }];
      });
    }),
  );
  return withPricesOfAlike(running.flat());
}

/** What the service shows no price of, or nonsense, costs what others of its kind and size cost: a limit must not let more pass for that. */
function withPricesOfAlike(running: readonly Running[]): Running[] {
  const kindOf = ({ key, view }: Running) => view?.size && `${key.slice(0, key.indexOf(" "))} ${view.size}`;
  const highest = new Map<string, number>();
  for (const one of running) {
    const kind = kindOf(one);
    if (kind && one.costPerHour !== undefined) highest.set(kind, Math.max(one.costPerHour, highest.get(kind) ?? 0));
  }
  return running.map((one) => ({ ...one, costPerHour: one.costPerHour ?? highest.get(kindOf(one) ?? "") }));
}

/**
 * What is listed of a kind; undefined where the service has no such list. A list that cannot be had is an error only where something of this
 * stack must be in it. Beside it, what an interrupted run has left may be there: only a mark would tell, so only of what bears one.
 */
async function viewsOf(
  { runtime, type, urn }: Operation,
  owned: Runtime["owned"][number],
  held: readonly StateEntry[] | undefined,
): Promise<View[] | undefined> {
  const { engine, lists, memory, settings } = runtime;
  const list = await lists.of(owned.kind).latest().catch(ifUnavailable).catch(messageOf);
  if (typeof list !== "string") return list?.views();
  const { maxCostPerHourName: limit } = settings;
  const { plural } = owned.kind;
  const isUsed = owned.type === type || memory.hasAny(owned.type) || held?.some((entry) => entry.type === owned.type);
  if (!held || isUsed) {
    throw new Error(
      `whether this stack stays within ${limit} is not known, because its ${plural} cannot be listed: ${list}`,
    );
  }
  if ("label" in owned.inputs.shape && memory.noted(owned.type, notCounted) !== true) {
    memory.note(owned.type, notCounted, true);
    engine.warn(
      urn,
      `${plural} are not counted for ${limit}: the state has none, and whether an interrupted run has left some is not known, because they cannot be listed: ${list}`,
    );
  }
  return [];
}

/** Said once of each kind. */
const notCounted = "not counted";

function isBefore(view: View, other: View): boolean {
  const [left, right] = [readTimestamp(view.createdAt) ?? 0, readTimestamp(other.createdAt) ?? 0];
  return left === right ? Number(view.id) < Number(other.id) : left < right;
}

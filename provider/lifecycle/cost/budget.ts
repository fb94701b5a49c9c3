import { messageOf } from "../../shared/messageOf";
import { isOver, raiseTheLimit, roundUsd, showPerHour } from "../../shared/money";
import type { Operation, OperationContext } from "../definition";
import { isShown, type Price, RefusedError, type View } from "../model";
import { isBefore, nameUnlisted, type Running, runningIn, sumOf } from "./running";
import { knownSum, nameLargest, nameUnpriced } from "./sum";

interface Limited {
  maxCostPerHour?: number | undefined;
  waitForReady?: boolean | undefined;
}

/** Refuses what would cost too much, before anything is spent. A price that is not known yet counts as none. */
export async function refuseOverBudget(context: OperationContext<Limited>, price: Price | undefined): Promise<void> {
  const { maxCostPerHour } = context.inputs;
  if (price && maxCostPerHour !== undefined && isOver(price.own, maxCostPerHour)) {
    throw new RefusedError(
      `refused, nothing was created: it would cost ${showPerHour(price.own)}, more than its maxCostPerHour of ${showPerHour(maxCostPerHour)}. ${raiseTheLimit}`,
    );
  }
  const { maxCostPerHour: limit, maxCostPerHourName } = context.runtime.settings;
  if (limit === undefined) return;
  const togetherWith = (listed: readonly Running[]) => sumOf(listed, context) + (price ? wholeOf(price) : 0);
  const listed = await runningIn(context, (all) => isOver(togetherWith(all), limit)).catch((error: unknown) => {
    throw new RefusedError(`refused, nothing was created: ${messageOf(error)}`, { cause: error });
  });
  // Nothing is awaited from here to the pledge: creates that run side by side must see each other's.
  const running = sumOf(listed, context);
  const together = togetherWith(listed);
  if (isOver(together, limit)) {
    const more = price ? `, and ${showMore(price)} would make ${showPerHour(together)}, over` : ", which is over";
    throw new RefusedError(
      `refused, nothing was created: this stack costs ${showPerHour(running)}${nameUnpriced(listed)}${more} ${maxCostPerHourName} of ${showPerHour(limit)}.${nameLargest(listed)}${nameUnlisted(listed)} Raise the limit or terminate something first.`,
    );
  }
  if (price) context.runtime.pledges.add(context.urn, price);
}

/** Whether any limit applies, so that the price must be known before the create is done. */
export function hasLimit({ inputs, runtime }: Pick<OperationContext<Limited>, "inputs" | "runtime">): boolean {
  return inputs.maxCostPerHour !== undefined || runtime.settings.maxCostPerHour !== undefined;
}

/**
 * Why this must be ended at once, or undefined when it is within the limits. `besides` is what came along with it and costs, as far as
 * that is known.
 */
export async function whyOverBudget(
  context: OperationContext<Limited>,
  view: View,
  besides: number | undefined,
): Promise<string | undefined> {
  const { costPerHour } = view;
  if (costPerHour === undefined) return undefined;
  const { maxCostPerHour } = context.inputs;
  if (maxCostPerHour !== undefined && isOver(costPerHour, maxCostPerHour)) {
    return `it costs ${showPerHour(costPerHour)}, more than its maxCostPerHour of ${showPerHour(maxCostPerHour)}`;
  }
  const { pledges, settings } = context.runtime;
  const { maxCostPerHour: limit, maxCostPerHourName } = settings;
  if (limit === undefined) return undefined;
  const key = `${context.type} ${view.id}`;
  const price = { own: costPerHour, besides };
  const earlierIn = (running: readonly Running[]) => sumOf(running, context, view, yieldingTo(context, [key], view));
  const isTooMuch = (earlier: number) => isOver(earlier + wholeOf(price), limit);
  const running = await runningIn(context, (all) => isTooMuch(earlierIn(all)));
  // Nothing is awaited from here on: of those that look side by side, the one that looks last must see the others.
  const earlier = earlierIn(running);
  if (isTooMuch(earlier)) return alreadyOver(earlier, price, { limit, name: maxCostPerHourName });
  const isLookedAtAgain = !isShown(view) && (context.isMember === true || context.inputs.waitForReady === true);
  pledges.notePassed(context.urn, key, { ...price, isEstimate: view.isEstimate, isLookedAtAgain });
  return undefined;
}

/** Something that was rented before its price was known. */
export interface Late {
  urn: string;
  /** Type and id. */
  key: string;
  view: View;
}

/**
 * The same for what has its price only now, all at once: why it must be ended, or undefined where the stack stays within its limit with it.
 * Of several that look side by side, only as many yield as must.
 */
export async function whyLateOverBudget(operation: Operation, late: readonly Late[]): Promise<string | undefined> {
  const { pledges, settings } = operation.runtime;
  const { maxCostPerHour: limit, maxCostPerHourName } = settings;
  if (limit === undefined || late.length === 0) return undefined;
  const [first] = late.map(({ view }) => view).sort((one, other) => (isBefore(one, other) ? -1 : 1));
  const own = late.map(({ key }) => key);
  const price = { own: knownSum(late.map(({ view }) => view)) };
  const earlierIn = (running: readonly Running[]) =>
    sumOf(running, operation, first, yieldingTo(operation, own, first));
  const running = await runningIn(operation, (all) => isOver(earlierIn(all) + price.own, limit));
  // Nothing is awaited from here on, as above.
  const earlier = earlierIn(running);
  const together = roundUsd(earlier + price.own);
  const isTooMuch = isOver(together, limit);
  for (const { urn, key, view } of late) {
    if (isTooMuch) pledges.drop(urn);
    else pledges.notePassed(urn, key, { own: view.costPerHour ?? 0 });
  }
  return isTooMuch ? alreadyOver(earlier, price, { limit, name: maxCostPerHourName }) : undefined;
}

/**
 * Tells what is not counted beside those with these keys: themselves, and what came later, has passed by an estimate and has its price
 * only now, too. That will look for itself, and yield where it must.
 */
function yieldingTo({ runtime: { pledges } }: Operation, own: readonly string[], first: View | undefined) {
  return ({ keys, view }: Running): boolean => {
    if (keys.some((key) => own.includes(key))) return true;
    if (!view || !isShown(view) || (first && isBefore(view, first))) return false;
    return pledges.isLookedAtAgain(keys);
  };
}

function alreadyOver(earlier: number, price: Price, { limit, name }: { limit: number; name: string }): string {
  const together = earlier + wholeOf(price);
  return `this stack already cost ${showPerHour(earlier)}, and ${showMore(price)} makes ${showPerHour(together)}, over ${name} of ${showPerHour(limit)}`;
}

function wholeOf({ own, besides = 0 }: Price): number {
  return own + besides;
}

/** `$19.92/h more`, `$26.32/h more with its volume` */
function showMore(price: Price): string {
  return `${showPerHour(wholeOf(price))} more${price.besides ? " with its volume" : ""}`;
}

import type { OperationContext } from "../definition";
import { type LifecycleInputs, priceByBook, RefusedError, type Values } from "../model";
import { hasLimit, refuseOverBudget } from "./budget";
import { whyFleetOverBudget } from "./fleet";

type Context = OperationContext<LifecycleInputs>;

/** Refuses to rent what would cost too much, alone, with its fleet or with its stack, before anything is spent. */
export async function refuseOverLimits(context: Context): Promise<void> {
  if (!hasLimit(context) && context.fleet === undefined) return;
  const expected = await expectedCost(context);
  const reason = await whyFleetOverBudget(context, expected);
  if (reason !== undefined) {
    throw new RefusedError(`refused, nothing was created: ${reason}. Raise the limit or request less.`);
  }
  await refuseOverBudget(context, expected);
}

/** What the service shows of its like; else what the user's own book says. */
async function expectedCost(context: Context): Promise<number | undefined> {
  return (await context.definition.price?.(context)) ?? bookPrice(context);
}

/** What the user's own book says of what is asked for, in the region where it is. */
export function bookPrice({ inputs, runtime }: Context, region?: string): number | undefined {
  const asked: Values = { ...inputs };
  const place = region ?? (typeof asked["region"] === "string" ? asked["region"] : undefined);
  return priceByBook(asked, place, runtime.settings.prices);
}

import { roundUsd } from "../../shared/money";
import type { OperationContext } from "../definition";
import { type LifecycleInputs, priceByBook, RefusedError, type Values, type View } from "../model";
import { expectedBesides, placeOf } from "./besides";
import { hasLimit, refuseOverBudget, whyOverBudget } from "./budget";
import { whyFleetOverBudget } from "./fleet";

type Context = OperationContext<LifecycleInputs>;

/** Refuses to rent what would cost too much, alone, with its fleet or with its stack, before anything is spent. */
export async function refuseOverLimits(context: Context): Promise<void> {
  if (!hasLimit(context) && context.fleet === undefined) return;
  const own = await expectedCost(context);
  const reason = await whyFleetOver(context, own);
  if (reason !== undefined) {
    throw new RefusedError(`refused, nothing was created: ${reason}. Raise the limit or request less.`);
  }
  await refuseOverBudget(context, own === undefined ? undefined : { own, besides: await costBesides(context) });
}

/** Why what was rented must be ended at once, or undefined when it is within all limits. */
export async function whyOverLimits(context: Context, view: View): Promise<string | undefined> {
  const inputs = { ...context.inputs, ...(view.region !== undefined && { region: view.region }) };
  const reason = await whyFleetOver({ ...context, inputs }, view.costPerHour);
  return reason ?? whyOverBudget(context, view, hasLimit(context) ? await costBesides(context) : undefined);
}

/** Members in other regions cost what is expected there. */
function whyFleetOver(context: Context, costPerHour: number | undefined): Promise<string | undefined> {
  return whyFleetOverBudget(context, costPerHour, (region) =>
    expectedCost({ ...context, inputs: { ...context.inputs, region } }),
  );
}

/** What the service shows of its like; else what the user's own book says. */
async function expectedCost(context: Context): Promise<number | undefined> {
  const shown = await context.definition.price?.(context);
  return shown === undefined ? bookPrice(context) : roundUsd(shown);
}

function costBesides({ definition, inputs, runtime }: Context): Promise<number | undefined> {
  return expectedBesides(runtime, definition, { ...inputs });
}

/** What the user's own book says of what is asked for, in the region where it is. */
export function bookPrice({ inputs, runtime }: Context, region?: string): number | undefined {
  const asked: Values = { ...inputs };
  return priceByBook(asked, region ?? placeOf(asked), runtime.settings.prices);
}

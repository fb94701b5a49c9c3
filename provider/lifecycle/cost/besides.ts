import { roundUsd } from "../../shared/money";
import type { ResourceDefinition } from "../definition";
import { priceByBook, type Runtime, type Values } from "../model";

/** What the service shows of the like of what is rented along with this; else what the user's own book says. */
export async function expectedBesides(
  runtime: Runtime,
  { alsoRents, priceBesides }: Pick<ResourceDefinition, "alsoRents" | "priceBesides">,
  inputs: Values,
): Promise<number | undefined> {
  const rented = alsoRents?.(inputs);
  if (!rented) return undefined;
  const shown = await priceBesides?.(runtime, rented).catch(() => undefined);
  return shown === undefined ? priceByBook(rented, placeOf(rented), runtime.settings.prices) : roundUsd(shown);
}

export function placeOf({ region }: Values): string | undefined {
  return typeof region === "string" ? region : undefined;
}

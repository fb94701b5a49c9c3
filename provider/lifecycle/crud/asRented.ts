import { isDeepStrictEqual } from "node:util";
import type { OperationContext } from "../definition";
import { asRentedKey, phaseOf, type Values, type View, wasListed } from "../model";

/** The label has rules of its own, and another region may be a fallback. */
const others = ["label", "region"];

/**
 * What the first lists that show what this resource has created say otherwise than was asked for, up to the first that shows it ready: until
 * then a service may leave things open. Nothing of a machine ever changes, so that is how the service writes it, or what it has given:
 * another one in its place would be the same.
 */
export function asRented(context: OperationContext<object>, view: View, before: Values): Values {
  const { definition } = context;
  const wasPending = phaseOf(String(before["status"] ?? ""), definition.kind.statuses) === "pending";
  const isFirst = view.createdAtListed !== undefined && (wasPending || !wasListed(before));
  if (!isFirst || !definition.post || definition.recordId) return {};
  const inputs: Values = { ...context.inputs };
  const different = Object.entries(view.observedInputs).filter(
    ([key, value]) => isAsked(inputs[key], value) && ![...others, ...(definition.inPlace ?? [])].includes(key),
  );
  const noted = Object.fromEntries(different);
  return different.length === 0 || isDeepStrictEqual(noted, before[asRentedKey]) ? {} : { [asRentedKey]: noted };
}

function isAsked(asked: unknown, shown: unknown): boolean {
  return (asked ?? undefined) !== undefined && shown !== undefined && !isDeepStrictEqual(asked, shown);
}

/** Says it once, when it is noted: what runs may cost or do something else than was meant. */
export function sayAsRented({ runtime, urn, inputs, noun }: OperationContext<object>, id: string, noted: Values): void {
  const asked = new Map<string, unknown>(Object.entries(inputs));
  const facts = Object.entries(Object(noted[asRentedKey])).map(
    ([key, value]) => `${key} ${JSON.stringify(value)} where ${JSON.stringify(asked.get(key))} was asked for`,
  );
  if (facts.length === 0) return;
  runtime.engine.warn(
    urn,
    `the service shows ${noun} ${id} with ${facts.join(", ")}. That is what the service has made of the request, so it is not replaced`,
  );
}

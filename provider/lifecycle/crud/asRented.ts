import { isDeepStrictEqual } from "node:util";
import type { OperationContext } from "../definition";
import { asRentedKey, readWhereabouts, type Values, type View } from "../model";

/** The label has rules of its own, and another region may be a fallback. */
const others = ["label", "region"];

/**
 * What the first list that shows what this resource has created says otherwise than was asked for. Nothing of a machine ever changes, so
 * that is how the service writes it, or what it has given: another one in its place would be the same.
 */
export function asRented(context: OperationContext<object>, view: View, before: Values): Values {
  const { definition } = context;
  const isFirst = view.createdAtListed !== undefined && !wasListed(before);
  if (!isFirst || !definition.post || definition.recordId) return {};
  const inputs: Values = { ...context.inputs };
  const different = Object.entries(view.observedInputs).filter(
    ([key, value]) => isAsked(inputs[key], value) && ![...others, ...(definition.inPlace ?? [])].includes(key),
  );
  return different.length > 0 ? { [asRentedKey]: Object.fromEntries(different) } : {};
}

/** Also what an older version has written, which did not note the time that a list shows. */
function wasListed(before: Values): boolean {
  const where = readWhereabouts(before);
  return where ? where.created !== undefined : before["status"] !== undefined;
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
    `the service shows ${noun} ${id} with ${facts.join(", ")}. It has shown that from the first time on, so it is not replaced`,
  );
}

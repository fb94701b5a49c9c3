import { type List, type Listing, refusalIn, type Unreadable } from "../../service";
import { describeFirstProblem } from "../text";

/** The items of an answer as they came; a reason where there is no list in it. */
export type Found = { kind: "items"; items: unknown[] } | { kind: "none"; reason: string };

/** Looks for the list: the answer itself, or the first of the fields that may hold it. */
export function findItems({ within }: Pick<List, "within">, body: unknown): Found {
  if (Array.isArray(body)) return { kind: "items", items: body };
  const refusal = refusalIn(body);
  if (refusal !== undefined) return { kind: "none", reason: `it says "${refusal}"` };
  const items = itemsBelow(body, within) ?? within.flatMap((field) => itemsBelow(own(body, field), within) ?? [])[0];
  if (items) return { kind: "items", items: items.list };
  // How some services write an empty list.
  if (within[0] !== undefined && own(body, within[0]) === null) return { kind: "items", items: [] };
  const held = within.length === 0 ? "" : `, and has none in ${within.join(", ")}`;
  return { kind: "none", reason: body === undefined ? "it is empty" : `it is not a list${held}` };
}

function itemsBelow(value: unknown, within: readonly string[]): { list: unknown[] } | undefined {
  for (const field of within) {
    const list = own(value, field);
    if (Array.isArray(list)) return { list };
  }
  return undefined;
}

function own(value: unknown, key: string): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
  return Object.getOwnPropertyDescriptor(value, key)?.value;
}

/**
 * Reads the items of a list. Where it is not as documented, each is read on its own: one that cannot be read must not hide
 * the others, and must not seem to be gone.
 */
export function readItems<Item>(list: List<Item>, items: unknown[], secrets: readonly string[]): Listing<Item> {
  const whole = list.whole.safeParse(items);
  if (whole.success) return whole.data;
  const readable: Listing<Item> = [];
  const unreadable: Unreadable[] = [];
  for (const item of items) {
    const read = list.item.safeParse(item);
    if (read.success) readable.push(read.data);
    else {
      const label = own(item, "label");
      const reason = describeFirstProblem(read.error, item, secrets);
      unreadable.push({ ...list.namesIn(item), reason, ...(typeof label === "string" && { label }) });
    }
  }
  if (unreadable.length > 0) readable.unreadable = unreadable;
  return readable;
}

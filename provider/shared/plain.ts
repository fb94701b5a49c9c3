/** Changes the texts of a value. */
export type ChangeText = (text: string) => string;

/** Deeper than anything that is of use, and far from what the stack can take. */
const deepest = 64;

/**
 * Makes a value of what the host can send to the engine: one `undefined`, bigint, symbol or function anywhere in the outputs
 * fails the whole answer, and the id with it; so does a nesting that is too deep.
 */
export function plain(value: unknown, change?: ChangeText, depth = 0): unknown {
  if (value === null || typeof value === "boolean") return value;
  if (typeof value === "string") return change ? change(value) : value;
  if (typeof value === "number") return Number.isFinite(value) ? value : null;
  if (typeof value === "bigint") return String(value);
  if (typeof value !== "object" || depth >= deepest) return undefined;
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? null : value.toISOString();
  if (Array.isArray(value) || value instanceof Set) {
    return [...value].map((member) => plain(member, change, depth + 1) ?? null);
  }
  const entries = value instanceof Map ? value : Object.entries(value);
  return plainObject(entries, () => change, depth + 1);
}

/** The same for an object, with a change of its own for each key. */
export function plainObject(
  entries: Iterable<[unknown, unknown]>,
  changeOf: (key: string) => ChangeText | undefined = () => undefined,
  depth = 0,
): Record<string, unknown> {
  const result: Record<string, unknown> = {};
  for (const [key, member] of entries) {
    const name = String(key);
    const kept = plain(member, changeOf(name), depth);
    if (kept === undefined) continue;
    // Defined, not assigned: this key from the service must be nothing but a key.
    if (name === "__proto__")
      Object.defineProperty(result, name, { value: kept, enumerable: true, writable: true, configurable: true });
    else result[name] = kept;
  }
  return result;
}

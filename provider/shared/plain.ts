/**
 * Makes a value of what the host can send to the engine: one `undefined`, bigint, symbol or function anywhere in the outputs
 * fails the whole answer, and the id with it.
 */
export function plain(value: unknown): unknown {
  if (value === null || typeof value === "string" || typeof value === "boolean") return value;
  if (typeof value === "number") return Number.isFinite(value) ? value : null;
  if (typeof value === "bigint") return String(value);
  if (typeof value !== "object") return undefined;
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? null : value.toISOString();
  if (value instanceof Map) return plainObject(value);
  if (Array.isArray(value) || value instanceof Set) return [...value].map((member) => plain(member) ?? null);
  return plainObject(Object.entries(value));
}

export function plainObject(entries: Iterable<[unknown, unknown]>): Record<string, unknown> {
  const result: Record<string, unknown> = {};
  for (const [key, member] of entries) {
    const kept = plain(member);
    // Defined, not assigned: a key named __proto__ from the service must be nothing but a key.
    if (kept !== undefined)
      Object.defineProperty(result, String(key), { value: kept, enumerable: true, writable: true, configurable: true });
  }
  return result;
}

import { createHash } from "node:crypto";

/** The same parts always give the same hexadecimal text: ids and choices that look random and repeat with the seed. */
export function seededHex(length: number, ...parts: (string | number)[]): string {
  return createHash("sha256").update(JSON.stringify(parts)).digest("hex").slice(0, length);
}

/** A number from 0 up to, but not including, `limit`. */
export function seededNumber(limit: number, ...parts: (string | number)[]): number {
  return Number.parseInt(seededHex(12, ...parts), 16) % limit;
}

/** One of the values. */
export function seededChoice<Value>(values: readonly [Value, ...Value[]], ...parts: (string | number)[]): Value {
  return values[seededNumber(values.length, ...parts)] ?? values[0];
}

import { isSecret } from "../shared/secretValue";

/** A property value of the engine without its marks. */
export function withoutMarks(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(withoutMarks);
  if (isSecret(value)) return withoutMarks(Reflect.get(value, "value"));
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, withoutMarks(member)]));
}

/**
 * Parses JSON; undefined for what is none. `__proto__` is dropped wherever it stands: zod leaves it out of the objects that
 * it reads, and this also takes it out of the values that are passed on as they are. Reviving costs many times the
 * parsing, so only text in which such a key may stand pays for it.
 */
export function parseJson(text: string): unknown {
  try {
    return mayNameProto.test(text) ? JSON.parse(text, withoutProto) : JSON.parse(text);
  } catch {
    return undefined;
  }
}

const mayNameProto = /__proto__|\\u005f/i;

function withoutProto(this: unknown, key: string, value: unknown): unknown {
  return key === "__proto__" ? undefined : value;
}

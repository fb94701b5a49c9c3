interface Known<Key, Value> {
  get(key: Key): Value | undefined;
  set(key: Key, value: Value): unknown;
}

/** What is known by this key, made where it is not yet: for what is the same for each of a thousand resources. */
export function getOrMake<Key, Value extends {}>(known: Known<Key, Value>, key: Key, make: () => Value): Value {
  const value = known.get(key) ?? make();
  known.set(key, value);
  return value;
}

/** Whether an item has every value that is asked for. Criteria without a value match everything. */
export function matches<Item extends object>(
  item: Item,
  asked: { [Key in keyof Item]?: Item[Key] | undefined },
): boolean {
  const values = new Map<string, unknown>(Object.entries(item));
  return Object.entries(asked).every(([key, value]) => value === undefined || values.get(key) === value);
}

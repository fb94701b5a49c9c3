/** What a record that cannot be read calls itself, as far as that can be read: its id first. */
export function namesOfUnreadable(record: {
  readonly id: string | undefined;
  readonly names?: readonly string[];
}): string[] {
  const { id, names = [] } = record;
  return id === undefined ? [...names] : [id, ...names];
}

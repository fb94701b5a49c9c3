/**
 * How many machines each part is to have, given how many it has. What is there stays: growing fills up the parts in order and adds
 * new ones, shrinking takes from the last.
 */
export function spread(present: readonly number[], count: number, perStack: number): number[] {
  const sizes = [...present];
  let change = count - sizes.reduce((sum, size) => sum + size, 0);
  for (let part = 0; change > 0; part += 1) {
    const size = sizes[part] ?? 0;
    const added = Math.min(Math.max(0, perStack - size), change);
    sizes[part] = size + added;
    change -= added;
  }
  for (let part = sizes.length - 1; change < 0; part -= 1) {
    const size = sizes[part] ?? 0;
    const removed = Math.min(size, -change);
    sizes[part] = size - removed;
    change += removed;
  }
  return sizes;
}

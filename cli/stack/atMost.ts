/** Does this for each, a few at a time, and gives the results in order. */
export async function mapAtMost<One, Result>(
  most: number,
  all: readonly One[],
  work: (one: One) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  const waiting = [...all.entries()];
  const next = async (): Promise<void> => {
    const taken = waiting.shift();
    if (taken === undefined) return;
    const [index, one] = taken;
    results[index] = await work(one);
    return next();
  };
  await Promise.all(Array.from({ length: most }, next));
  return results;
}

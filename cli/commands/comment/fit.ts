/** A part of the comment. Its items may be left out from the end when the whole would be too long. */
export interface Part {
  lines: readonly string[];
  items?: readonly string[] | undefined;
  /** The most items that are shown even where there is room for more. */
  most?: number | undefined;
  /** What is said in the place of items that were left out. */
  more?: ((count: number) => string) | undefined;
  /** After the items. */
  end?: readonly string[] | undefined;
  /** The lower, the sooner its items go. */
  worth?: number | undefined;
}

/** GitHub takes comments below 65,536 characters. In bytes, to be on the safe side of whatever it counts. */
export const longestComment = 65_000;

export function fitTogether(parts: readonly Part[], limit = longestComment): string {
  const kept = parts.map(({ items = [], most = items.length }) => Math.min(items.length, most));
  const expendable = parts
    .map(({ worth = 0 }, index) => ({ index, worth }))
    .filter(({ index }) => kept[index] !== 0)
    .sort((one, other) => one.worth - other.worth);
  for (const { index } of expendable) {
    const fits = (count: number) => Buffer.byteLength(render(parts, kept.with(index, count))) <= limit;
    kept[index] = mostThatFits(kept[index] ?? 0, fits);
  }
  return render(parts, kept);
}

/** The largest count up to `most` that fits, or 0. */
function mostThatFits(most: number, fits: (count: number) => boolean): number {
  let low = 0;
  let high = most;
  if (fits(most)) return most;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (fits(middle)) low = middle;
    else high = middle - 1;
  }
  return low;
}

function render(parts: readonly Part[], kept: readonly number[]): string {
  const texts = parts.map(({ lines, items = [], end = [], more }, index) => {
    const count = kept[index] ?? items.length;
    const left = items.length - count;
    return [...lines, ...items.slice(0, count), ...(left > 0 && more ? [more(left)] : []), ...end].join("\n");
  });
  return `${texts.filter((text) => text !== "").join("\n\n")}\n`;
}

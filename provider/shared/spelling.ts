/** The candidate that was most likely meant by `word`, if any is near enough. */
export function nearest(word: string, candidates: readonly string[]): string | undefined {
  const limit = Math.max(2, Math.floor(word.length / 3));
  let best: { candidate: string; distance: number } | undefined;
  for (const candidate of candidates) {
    const distance = editDistance(word.toLowerCase(), candidate.toLowerCase());
    if (distance <= limit && (!best || distance < best.distance)) best = { candidate, distance };
  }
  return best?.candidate;
}

/**
 * The allowed value that was most likely meant: written differently (`H100`, `us-east1`), only in part or with more (`us-east`,
 * `NVIDIA H100`), or with a slip. Numbers tell such values apart, so a100 is not taken for h100, nor eu-west-9 for eu-west-2.
 */
export function nearestValue(value: string, allowed: readonly string[]): string | undefined {
  const word = lettersOf(value);
  const candidates = allowed.map((candidate) => ({ candidate, letters: lettersOf(candidate) }));
  const isPart = (letters: string) =>
    Math.min(word.length, letters.length) >= shortestPart && (letters.includes(word) || word.includes(letters));
  const parts = candidates
    .filter(({ letters }) => isPart(letters))
    .sort((one, other) => Math.abs(one.letters.length - word.length) - Math.abs(other.letters.length - word.length));
  if (parts[0]) return parts[0].candidate;
  const slips = Math.floor(value.length / 5);
  return candidates.find(({ letters }) => digitsOf(letters) === digitsOf(word) && editDistance(word, letters) <= slips)
    ?.candidate;
}

/** Anything shorter is part of too much. */
const shortestPart = 3;

const lettersOf = (text: string) => text.toLowerCase().replace(/[^a-z0-9]/g, "");
const digitsOf = (text: string) => text.replace(/\D/g, "");

/** How many letters must be added, dropped, changed or swapped with the next to get from one word to the other. */
function editDistance(from: string, to: string): number {
  let beforePrevious: number[] = [];
  let previous = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (let row = 1; row <= from.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= to.length; column += 1) {
      const changed = (previous[column - 1] ?? 0) + (from[row - 1] === to[column - 1] ? 0 : 1);
      const isSwap = row > 1 && column > 1 && from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1];
      const swapped = isSwap ? (beforePrevious[column - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY;
      current.push(Math.min((previous[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1, changed, swapped));
    }
    beforePrevious = previous;
    previous = current;
  }
  return previous[to.length] ?? 0;
}

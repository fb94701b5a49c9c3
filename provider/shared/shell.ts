/** One word for a POSIX shell, in quotes, whatever is in it. */
export function inQuotes(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}

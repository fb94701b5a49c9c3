/** What an error says. Anything can be thrown, so it may be no `Error`. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** How the commands end. Every help text that has more than the first two says so. */
export const exitCodes = {
  /** Done, and everything is as it should be. */
  ok: 0,
  /** It could not be done: wrong usage, no engine, no answer. */
  failed: 1,
  /** Done, and something is not as it should be: a limit is passed, an orphan found, a check red. */
  found: 2,
} as const;

/** The paragraph of a help text. */
export function exitCodesHelp(found: string): string {
  return `
Exit codes:
  0  done
  1  it could not be done: wrong usage, no answer from the service or the engine
  2  ${found}`;
}

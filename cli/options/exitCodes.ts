/** Exit codes of the commands. */
export const exitCodes = {
  ok: 0,
  /** Wrong usage, or no reply from the service or from Pulumi. */
  error: 1,
  /** The command worked and found a problem: a limit is exceeded, there are orphans, a check fails. */
  found: 2,
} as const;

/** The paragraph of a help text; `found` says what 2 means, `unknown` what else 1 means. */
export function exitCodesHelp(found: string, unknown?: string): string {
  return `
Exit codes:
  0  success
  1  error: wrong usage, or no reply from the service or from Pulumi${unknown === undefined ? "" : `; or ${unknown}`}
  2  ${found}`;
}

export const plainExitCodesHelp = "\nExit codes: 0 success; 1 error.";

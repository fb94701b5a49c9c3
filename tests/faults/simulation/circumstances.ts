/**
 * What the account and the service are like while a schedule is played. Another one (a dialect, a clock that is off) is a field
 * here, and what it does is in session.ts.
 */
export interface Circumstances {
  /** Whether other stacks run in the same account. */
  neighbours: boolean;
  /** How long machines take until they are ready. */
  provisionSeconds: number;
  /** How long machines take to end. */
  endSeconds: number;
}

export const usual: Circumstances = { neighbours: true, provisionSeconds: 6, endSeconds: 3 };

/** Few polls per wait, so that each of them can be made to fail in a run of its own. */
export const quick: Circumstances = { neighbours: false, provisionSeconds: 1, endSeconds: 1 };

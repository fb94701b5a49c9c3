import { isDeepStrictEqual } from "node:util";
import type { CheckFailure, Values } from "../lifecycle";
import { cleanText, redactCredentials } from "../shared/cleanText";
import { messageOf } from "../shared/messageOf";
import { plainObject } from "../shared/plain";

/** What can be sent to the engine, without the secrets that a service may have put into its answers. What was given stays as it is. */
export function sendable(values: Values, given: Values, secrets: readonly string[]): Values {
  const clean = (text: string) => redactCredentials(text, secrets);
  const isGiven = (key: string) => values[key] === given[key] || isDeepStrictEqual(values[key], given[key]);
  return plainObject(Object.entries(values), (key) => (isGiven(key) ? undefined : clean));
}

/** Longest error shown; more than this helps nobody. */
const longestError = 4000;

/** An error as people see it. */
export function shownMessage(error: unknown, secrets: readonly string[]): string {
  return cleanText(messageOf(error), { secrets, max: longestError, hasOwnWords: true });
}

/**
 * The failures of a check as the engine is to tell them. Each says itself which property it is about: where the property is named,
 * too, the engine adds the value as it is inside the engine, also that of a secret. After a failure, `--continue-on-error` has what
 * depends on the failed one checked without the values that never came to be, and skips it afterwards: that they are missing is
 * nobody's mistake.
 */
export function toldByEngine(
  failures: readonly CheckFailure[],
  { hasFailed, isSecret = () => false }: { hasFailed: boolean; isSecret?: (property: string) => boolean },
) {
  return failures
    .filter(({ isAbsence }) => !(isAbsence && hasFailed))
    .map(({ property, reason, withoutValue }) => ({
      property: "",
      reason: isSecret(property.split(/[.[]/)[0] ?? "") ? (withoutValue ?? reason) : reason,
    }));
}

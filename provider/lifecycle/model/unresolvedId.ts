import { oneWay } from "./whereabouts";

const prefix = "unresolved:";

/** Kept in a partial state: what was there before the request, and so cannot be its outcome. */
export const beforeKey = "idsBefore";
/** Kept in a partial state: when the reply was lost. Of a run that was killed, from when on the request may have been sent. */
export const lostAtKey = "lostAt";

/** Kept in a partial state: what the answer has called it, where that were several names and no list has shown which one is its id. */
export const namesKey = "answeredNames";

/** Kept in a partial state: the id of the answer, where a label speaks against it. */
export const answeredKey = "answeredId";

/** Kept in a partial state: what it was expected to cost, as far as that was asked for a limit. */
export const expectedKey = "expectedCostPerHour";

/** The id of a create whose outcome never became known. Ids are shown in clear text, and a label that a person chose may be a secret. */
export function unresolvedId(fingerprint: string, isChosenLabel: boolean): string {
  return `${prefix}${isChosenLabel ? `label-${oneWay("label", fingerprint)}` : fingerprint}`;
}

/** What the id of such a create names; undefined for an ordinary id. */
export function unresolvedFingerprint(id: string): string | undefined {
  return id.startsWith(prefix) ? id.slice(prefix.length) : undefined;
}

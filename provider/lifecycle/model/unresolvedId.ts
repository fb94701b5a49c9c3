const prefix = "unresolved:";

/** Kept in a partial state: what was there before the request, and so cannot be its outcome. */
export const beforeKey = "idsBefore";
/** Kept in a partial state: when the reply was lost, by which it is known how long a list may lack the outcome. */
export const lostAtKey = "lostAt";

/** The id of a create whose outcome never became known. */
export function unresolvedId(fingerprint: string): string {
  return `${prefix}${fingerprint}`;
}

/** The label of a create whose outcome never became known, or undefined for an ordinary id. */
export function unresolvedFingerprint(id: string): string | undefined {
  return id.startsWith(prefix) ? id.slice(prefix.length) : undefined;
}

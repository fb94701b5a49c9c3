import type { Values } from "./values";

/** A create whose reply was lost and whose result was not seen in time. */
export interface Unresolved {
  /** The label, or what stands in for it. */
  fingerprint: string;
  /** Whether the label was chosen for this very create, or its names are known: then whatever has them is its outcome. */
  isProof: boolean;
  /** What the answer has called it, where there was one. */
  names?: readonly string[] | undefined;
  /** What was there before the request, where the label alone is no proof; undefined where that is not known. */
  idsBefore: readonly string[] | undefined;
  /** What was asked for, as the state has it. */
  asked: Values;
  /** What the state keeps secret of that: whatever is listed may be as it was asked for there. */
  secrets?: readonly string[] | undefined;
  /** The id of the answer, where a label speaks against it: nothing proves that it is the outcome, or is not. */
  answered?: string | undefined;
  /** From when on it may have been sent, by the clock. Counts where nobody knows what was there before. */
  since: number;
  /** The same moment by the service's clock. States of older versions do not have it. */
  madeAt?: string | undefined;
}

/** These creates, each once: what came by in this process is in the state, too, and may be encrypted there. */
export function eachCreate(creates: readonly Unresolved[]): Unresolved[] {
  const isSame = (one: Unresolved, other: Unresolved) =>
    one.since === other.since && (!one.isProof || one.fingerprint === other.fingerprint);
  return creates.filter((create, index) => creates.findIndex((one) => isSame(one, create)) === index);
}

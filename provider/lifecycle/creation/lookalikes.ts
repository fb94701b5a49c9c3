import type { Unreadable } from "../../service";
import { hasWhole, readLabel } from "../../shared/label";
import { namesOfUnreadable } from "../../shared/namesOfUnreadable";
import { readTimestamp } from "../../shared/timestamp";
import type { Operation, OperationContext } from "../definition";
import type { IsHeld } from "../holders";
import { isOtherLabel, type Snapshot, type Unresolved, unresolvedId, type Values, type View } from "../model";
import { differences, isFree, mayBeMadeOf } from "./ownership";

/** Between the request and its record, by clocks that agree only roughly. */
const slack = 60_000;

/** What is listed and may be the outcome, although nothing proves it: with the label, or with what a service may have made of it. */
export function lookalikesIn(...look: Parameters<typeof rewrittenIn>): View[] {
  const [, , unresolved] = look;
  const candidates = unresolved.isProof ? [] : candidatesIn(...look);
  return likeliest(unresolved, candidates, rewrittenIn(...look));
}

/** Of those with the label and those that may have had it: what the answer named comes first, whatever its label. */
export function likeliest(
  { answered }: Pick<Unresolved, "answered">,
  labelled: readonly View[],
  rewritten: readonly View[],
): View[] {
  const named = rewritten.filter(({ id }) => id === answered);
  const others = labelled.length > 0 ? labelled : rewritten;
  return [...named, ...others.filter(({ id }) => id !== answered || named.length === 0)];
}

/**
 * What may be the outcome of a create whose label no list shows: a service may rewrite labels, or drop them. Nothing proves it, so a
 * person settles it.
 */
export function rewrittenIn(
  context: OperationContext,
  snapshot: Snapshot<unknown>,
  { fingerprint, isProof, names, answered, asked, secrets, since, idsBefore }: Unresolved,
  isHeld: IsHeld,
): View[] {
  if (names) return [];
  const { client, clock } = context.runtime;
  const earliest = since + (client.serviceNow() - clock.now()) - slack;
  // Its time says little: a reply may be waited for long, and clocks differ. What was there before tells more, where that is known.
  const isEarlier = ({ id, createdAt }: View) =>
    idsBefore ? idsBefore.includes(id) : (readTimestamp(createdAt) ?? earliest) < earliest;
  // An automatic label is chosen for one create: what has all of it is not older than that.
  const isWhole = ({ label }: View) => isProof && hasWhole(label, fingerprint);
  // Which label a service has made of a secret one, nothing here tells; only that an automatic one was not made of it.
  const isMadeOf = (label: string) =>
    isSecretLabel({ isProof, secrets }) ? readLabel(label) === undefined : mayBeMadeOf(fingerprint, label);
  const isLikely = (view: View) => {
    if (view.id === answered || isWhole(view)) return true;
    if (isEarlier(view)) return false;
    const isAlike = isAsAsked(view, { ...asked, label: undefined }, secrets);
    if (!view.label) return isAlike;
    // Of a label that a person chose, others may have one that is much the same.
    return isMadeOf(view.label) && (isProof || isAlike);
  };
  const isOpen = (view: View) => isFree(context, view) && !isHeld(view);
  return snapshot.views().filter((view) => isOpen(view) && isLikely(view));
}

/** Whether the label was chosen, and only the id of the entry tells whether another one is the same. */
function isSecretLabel({ isProof, secrets = [] }: Pick<Unresolved, "isProof" | "secrets">): boolean {
  return !isProof && secrets.includes("label");
}

/** Whether nothing that a record shows differs from what was asked for, in one of the regions that may have been tried. */
function isAsAsked(view: View, asked: Values, secrets: readonly string[] = []): boolean {
  const { region, fallbackRegions, ...rest } = asked;
  const regions = [region, ...(Array.isArray(fallbackRegions) ? fallbackRegions : [])].filter(
    (one) => one !== undefined,
  );
  const isOpen = secrets.includes("region") || secrets.includes("fallbackRegions") || regions.length === 0;
  const isThere = view.region === undefined || isOpen || regions.includes(view.region);
  return isThere && differences(view, rest).length === 0;
}

/** What cannot be read and may be the outcome: what the answer named, and what was not there before and has no label that is certainly another's. */
export function unreadableIn(
  { runtime, type }: Operation,
  unreadable: readonly Unreadable[],
  { answered, asked, idsBefore = [] }: Pick<Unresolved, "answered" | "asked" | "idsBefore">,
  isHeld: IsHeld,
): Unreadable[] {
  // Not by another name: that may be the id of another one.
  const isTaken = ({ id, label }: Unreadable) =>
    id !== undefined && (!runtime.memory.isFree(type, id) || isHeld({ id, label }));
  const isAnswered = (one: Unreadable) => answered !== undefined && namesOfUnreadable(one).includes(answered);
  const isLikely = (one: Unreadable) =>
    !(one.id !== undefined && idsBefore.includes(one.id)) && !isOtherLabel(asked["label"], one.label);
  return unreadable.filter((one) => !isTaken(one) && (isAnswered(one) || isLikely(one)));
}

/** What is listed with the label that proves it, or under a name that the answer gave. */
export function outcomesIn(
  snapshot: Snapshot<unknown>,
  { fingerprint, names }: Pick<Unresolved, "fingerprint" | "names">,
) {
  return names ? snapshot.withNames(names) : snapshot.withLabel(fingerprint);
}

/** What is listed and may be the outcome: with proof, that is it; otherwise everything that nothing rules out. */
export function candidatesIn(
  context: OperationContext,
  snapshot: Snapshot<unknown>,
  { fingerprint, isProof, names, idsBefore, asked, secrets }: Omit<Unresolved, "since">,
  isHeld: IsHeld,
): View[] {
  const isOpen = (view: View) => isFree(context, view) && !isHeld(view);
  // A name that somebody else's has had before is not the one.
  const isEarlier = ({ id }: View) => names !== undefined && idsBefore?.includes(id) === true;
  if (isProof) {
    return outcomesIn(snapshot, { fingerprint, names }).filter((view) => isOpen(view) && !isEarlier(view));
  }
  const isRuledOut = (view: View) =>
    !isOpen(view) || (idsBefore?.includes(view.id) ?? false) || !isAsAsked(view, asked, secrets);
  const isLabelled = ({ label }: View) => label && unresolvedId(label, true) === unresolvedId(fingerprint, false);
  const labelled = isSecretLabel({ isProof, secrets })
    ? snapshot.views().filter(isLabelled)
    : snapshot.withLabel(fingerprint);
  const alike = "label" in context.definition.inputs.shape ? labelled : snapshot.views();
  return alike.filter((view) => !isRuledOut(view));
}

import type { Service } from "../../provider/lifecycle";
import { readLabel } from "../../provider/shared/label";
import { readTimestamp } from "../../provider/shared/timestamp";
import type { Holding } from "./holdings";

/** What one API key shows of a service. */
export interface Seen {
  service: Service;
  holdings: readonly Holding[];
}

/**
 * These by account. An account is known by whose its records are, not by the key: several keys may be of one account, and what each
 * of them lists must not be counted for each.
 */
export function groupByAccount<One extends Seen>(all: readonly One[]): One[][] {
  const groups: One[][] = [];
  for (const one of all) {
    const same = groups.filter((group) => group.some((other) => isSameAccount(one, other)));
    const [first, ...others] = same;
    if (!first) {
      groups.push([one]);
      continue;
    }
    first.push(one, ...others.flat());
    for (const other of others) groups.splice(groups.indexOf(other), 1);
  }
  return groups;
}

function isSameAccount(one: Seen, other: Seen): boolean {
  const [mine, theirs] = [one.service, other.service];
  const isSameAddress = mine.addresses.v2 === theirs.addresses.v2 && mine.addresses.v1 === theirs.addresses.v1;
  // A service may have several addresses: a label that nobody else has shows that it is the same one.
  if (!isSameAddress) return hasRecordInCommon(one, other, false);
  return mine.key === theirs.key || hasOwnerInCommon(one, other) || hasRecordInCommon(one, other);
}

/**
 * The organization or the user: one of them is enough, as for the provider. But not the user where each names an
 * organization of that user, and another one.
 */
function hasOwnerInCommon(one: Seen, other: Seen): boolean {
  const [mine, theirs] = [ownersIn(one), ownersIn(other)];
  return [...mine.all].some(
    (owner) => theirs.all.has(owner) && !(mine.members.has(owner) && theirs.members.has(owner)),
  );
}

/** Whose these are, and which of them are named as users of an organization. */
function ownersIn({ holdings }: Seen) {
  const accounts = holdings.map(({ account = [] }) => account);
  return { all: new Set(accounts.flat()), members: new Set(accounts.flatMap(([, user]) => user ?? [])) };
}

/** Records that do not say whose they are. Ids may be counted anew in each account; an automatic label or the moment of creation is not. */
function hasRecordInCommon({ holdings }: Seen, other: Seen, isTimeProof = true): boolean {
  const known = new Map(holdings.map((holding) => [`${holding.type} ${holding.id}`, holding]));
  return other.holdings.some((holding) => {
    const same = known.get(`${holding.type} ${holding.id}`);
    if (!same) return false;
    if (readLabel(holding.label) !== undefined) return holding.label === same.label;
    const created = readTimestamp(holding.createdAt);
    return isTimeProof && created !== undefined && created === readTimestamp(same.createdAt);
  });
}

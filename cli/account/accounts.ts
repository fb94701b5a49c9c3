import { groupByAccount } from "./sameAccount";
import type { Situation } from "./situation";

/** The number of each one's account. */
export function accountsAmong(situations: readonly Situation[]): ReadonlyMap<Situation, number> {
  const seen = situations.map((situation) => {
    const { runtime, own, others } = situation;
    return { situation, service: runtime.service, holdings: [...own, ...others] };
  });
  return new Map(
    groupByAccount(seen).flatMap((group, index) =>
      group.map(({ situation }): [Situation, number] => [situation, index]),
    ),
  );
}

/** Names things of these situations: two accounts may have the same ids, and one account may be seen with several keys. */
export function keysAmong(
  situations: readonly Situation[],
): (situation: Situation, one: { type: string; id: string }) => string {
  const accounts = accountsAmong(situations);
  return (situation, { type, id }) => `${accounts.get(situation)} ${type} ${id}`;
}

/**
 * What each one's account is called: null is that of the configuration, where all are of one stack. No two accounts are called the same.
 * Undefined where there is only one.
 */
export function accountNames(situations: readonly Situation[]): ReadonlyMap<Situation, string | null> | undefined {
  const accounts = accountsAmong(situations);
  const isOneStack = new Set(situations.map(({ name }) => name)).size === 1;
  const names = new Map<number | undefined, string | null>();
  for (const situation of situations) {
    const account = accounts.get(situation);
    if (!names.has(account)) names.set(account, unlike([...names.values()], nameOf(situation, isOneStack)));
  }
  if (names.size < 2) return undefined;
  return new Map(situations.map((situation) => [situation, names.get(accounts.get(situation)) ?? null]));
}

function nameOf({ account, name }: Situation, isOneStack: boolean): string | null {
  if (isOneStack) return account ?? null;
  return `${account ?? "account"} of ${name}`;
}

/** `provider "other" (2)`, where another is called so. */
function unlike(taken: readonly (string | null)[], name: string | null): string | null {
  if (name === null || !taken.includes(name)) return name;
  let number = 2;
  while (taken.includes(`${name} (${number})`)) number += 1;
  return `${name} (${number})`;
}

/** What people read for an account; null or nothing is that of the configuration. */
export function accountName(account: string | null | undefined): string {
  return account ?? "account of the configuration";
}

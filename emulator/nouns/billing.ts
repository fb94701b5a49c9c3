import { Refusal } from "../refusal";
import type { Call, World } from "../state";
import { centsOf, costUntil, roundUsd } from "./price";

const nanoUsd = 1e-9;

/** The cost of everything so far, inference included, in USD: of an account, or of all where none is given. */
export function spentUntil({ store }: Pick<World, "store">, at: number, account?: string): number {
  let spent = store.inferenceCostNanoUsd(account) * nanoUsd;
  for (const objects of store.billed) {
    for (const { account: owner, price, life } of objects.values()) {
      if (account === undefined || owner === account) spent += costUntil(price, life, at);
    }
  }
  return spent;
}

/** In USD. */
export function balanceAt(world: World, at: number, account?: string): number {
  return world.settings.balance - spentUntil(world, at, account);
}

export function refuseWithoutFunds(world: World, { at, account }: Call): void {
  if (world.settings.balanceIsLimit && balanceAt(world, at, account) <= 0)
    throw new Refusal(400, "insufficient balance");
}

export function getBalance(
  world: World,
  { at, account }: Call,
): { balance?: number | string; balanceCents?: number; credits?: number } {
  const usd = balanceAt(world, at, account);
  switch (world.dialect.balance) {
    case "balance":
      return { balance: roundUsd(usd) };
    case "text":
      return { balance: usd.toFixed(2) };
    case "balanceCents":
      return { balanceCents: centsOf(usd) };
    case "credits":
      return { credits: centsOf(usd) };
  }
}

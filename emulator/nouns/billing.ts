import { Refusal } from "../refusal";
import type { World } from "../state";
import { centsOf, costUntil, roundUsd } from "./price";

const nanoUsd = 1e-9;

/** The cost of everything so far, inference included, in USD. */
export function spentUntil({ store }: Pick<World, "store">, at: number): number {
  let spent = store.inferenceCostNanoUsd * nanoUsd;
  for (const { price, life } of store.rentals.values()) spent += costUntil(price, life, at);
  for (const { price, life } of store.storageVolumes.values()) spent += costUntil(price, life, at);
  for (const { price, life } of store.marketplaceInstances.values()) spent += costUntil(price, life, at);
  return spent;
}

/** In USD. */
export function balanceAt(world: World, at: number): number {
  return world.settings.balance - spentUntil(world, at);
}

export function refuseWithoutFunds(world: World, at: number): void {
  if (world.settings.balanceIsLimit && balanceAt(world, at) <= 0) throw new Refusal(400, "insufficient balance");
}

export function getBalance(world: World, at: number): { balance?: number; balanceCents?: number; credits?: number } {
  const usd = balanceAt(world, at);
  switch (world.dialect.balance) {
    case "balance":
      return { balance: roundUsd(usd) };
    case "balanceCents":
      return { balanceCents: centsOf(usd) };
    case "credits":
      return { credits: centsOf(usd) };
  }
}

import { RefusedError, type Runtime } from "../../../provider/lifecycle";
import { atOtherAddress, identityOf, inOtherAccount, listHoldings, refuseMisplaced } from "../../account";
import {
  accountsOf,
  commandRuntime,
  gpufleetType,
  leftOutNotes,
  otherPartOf,
  otherStacksOf,
  partOf,
  resourcesOf,
  type Stack,
  type StackAccount,
  type State,
  withOtherAccounts,
  witnessOf,
} from "../../stack";
import type { Pending } from "./plan";

/** An account that the stack rents from, with its part of the state. */
export interface OpenAccount {
  account: StackAccount;
  part: State;
  runtime: Runtime;
}

/**
 * The accounts of a stack, and in words those that cannot be asked; `isWhole` unless the stack has something in one of those. One that cannot be asked is refused where a create of it was interrupted: nobody could look for it.
 */
export async function openAccounts(
  stack: Stack,
  state: State,
  pending?: Pending,
): Promise<{ opened: OpenAccount[]; notes: string[]; isWhole: boolean }> {
  const identity = await identityOf(state, stack);
  const others = otherStacksOf(stack, async () => identity);
  const { accounts, leftOut } = await accountsOf(stack, state);
  const notes = leftOutNotes(leftOut);
  const isOpen = ({ managed }: Pending["ours"][number]) => accounts.some(({ has }) => has(managed.resource));
  if (pending && !pending.ours.every(isOpen)) {
    throw new RefusedError(
      `refused, and nothing was changed: an interrupted operation cannot be settled. ${notes.join(" ")}`,
    );
  }
  const opened = accounts.map((account) => {
    const part = partOf(state, account);
    const witness = witnessOf(part, withOtherAccounts(others, identity, otherPartOf(state, account)));
    return { account, part, runtime: commandRuntime(account.config, process.env, witness) };
  });
  return { opened, notes, isWhole: leftOut.every(({ resources }) => resources.length === 0) };
}

/** Remembers the ids of the state, so that nothing that it has is taken for what was lost. Refuses another address. */
export function rememberState({ part, runtime }: OpenAccount): void {
  refuseMisplaced(atOtherAddress(part, runtime.service));
  for (const resource of resourcesOf(part)) {
    const type = gpufleetType(resource);
    if (type !== undefined && resource.id !== undefined) runtime.memory.remember(type, resource.id, resource.urn);
  }
}

export async function refuseOtherAccount({ part, runtime }: OpenAccount): Promise<void> {
  const { lists } = await listHoldings(runtime, part);
  refuseMisplaced(inOtherAccount(part, runtime, lists));
}

/** The pending operations that an account can settle. Those of other providers are for nobody, and go with the first. */
export function pendingIn(pending: Pending, { account }: OpenAccount, isFirst: boolean): Pending {
  return {
    ours: pending.ours.filter(({ managed }) => account.has(managed.resource)),
    foreignCreates: isFirst ? pending.foreignCreates : [],
    foreignOthers: isFirst ? pending.foreignOthers : [],
  };
}

/** A runtime without an address has no client to close. */
export async function closeAll(opened: readonly OpenAccount[]): Promise<void> {
  for (const { runtime } of opened) if (runtime.isConfigured) await runtime.client.close();
}

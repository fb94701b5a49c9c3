import { firstAccount } from "../options";
import type { Call } from "../state";

/** The one user of an account. */
export function userOf(account: string) {
  const name = account === firstAccount ? "Emulator" : account;
  return { id: `user-${account}`, name, email: `user@${account}.invalid`, picture: null };
}

/** The record, where it is of the account whose request this is: the others' do not exist for it. */
export function own<Record extends { account: string }>({ account }: Call, record: Record | undefined) {
  return record?.account === account ? record : undefined;
}

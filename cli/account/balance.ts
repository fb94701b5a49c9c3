import type { Client } from "../../provider/client";
import { messageOf } from "../../provider/shared/messageOf";
import { statusLine } from "../terminal";
import { balanceGap, type Gap } from "./gaps";

/** The balance of the account, in USD. */
export async function readBalance(client: Client): Promise<number> {
  const { usd } = await statusLine.during("Reading the balance…", () => client.getBalance());
  return usd;
}

/** The same where the rest is of use without it. */
export async function findBalance(client: Client): Promise<{ balance: number | undefined; gaps: Gap[] }> {
  try {
    return { balance: await readBalance(client), gaps: [] };
  } catch (error) {
    return { balance: undefined, gaps: [{ what: balanceGap, reason: messageOf(error) }] };
  }
}

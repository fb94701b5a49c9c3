import type { Client } from "../../provider/client";
import { statusLine } from "../terminal";

/** The balance of the account, in USD. */
export async function readBalance(client: Client): Promise<number> {
  const { usd } = await statusLine.during("Reading the balance…", () => client.getBalance());
  return usd;
}

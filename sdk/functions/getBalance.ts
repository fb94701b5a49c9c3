import type { Output } from "@pulumi/pulumi";
import type { CallOptions } from "../connection";
import { callService } from "../service";
import { type OutputCallOptions, whenKnown } from "./invoke";

export interface GetBalanceResult {
  /** Balance in USD. */
  usd: number;
}

/** Returns the account's current balance. */
export async function getBalance(options: CallOptions = {}): Promise<GetBalanceResult> {
  return callService("getBalance", {}, options, async ({ client }) => {
    const { usd } = await client.getBalance({ signal: options.signal });
    return { usd };
  });
}

export function getBalanceOutput(options: OutputCallOptions = {}): Output<GetBalanceResult> {
  return whenKnown({}, options).apply(() => getBalance(options));
}

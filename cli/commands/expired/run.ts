import { atOtherAddress, inOtherAccount, listHoldings, refuseMisplaced } from "../../account";
import { exitCodes, placeOf, type StackFlags } from "../../options";
import { commandRuntime, Stack, type State } from "../../stack";
import { paintFor } from "../../terminal";
import { destroyExpired } from "./destroy";
import { findExpired } from "./find";
import { expiredJson, showExpired } from "./show";

export interface Flags extends StackFlags {
  json?: boolean;
  destroy?: boolean;
  yes?: boolean;
  allowDataLoss?: boolean;
}

export async function run({
  json,
  destroy = false,
  yes = false,
  allowDataLoss = false,
  ...flags
}: Flags): Promise<void> {
  const stack = new Stack(placeOf(flags));
  const state = await stack.exportState();
  const now = (await refuseOtherService(stack, state, destroy)) ?? Date.now();
  const expired = findExpired(state, now);
  console.log(json ? expiredJson(expired, now) : showExpired(expired, now, paintFor(process.stdout)));
  if (expired.length === 0) return;
  const say = (line: string) => (json ? console.error(line) : console.log(line));
  const destroyed = destroy && (await destroyExpired(stack, expired, { yes, allowDataLoss, say }));
  if (!destroyed) process.exitCode = exitCodes.found;
}

/**
 * What has expired is told from the state alone: only before something is destroyed need the account be asked for. Gives the
 * time by the service's clock where it was asked.
 */
async function refuseOtherService(stack: Stack, state: State, destroy: boolean): Promise<number | undefined> {
  const runtime = commandRuntime(await stack.readConfig());
  if (!runtime.isConfigured) return undefined;
  refuseMisplaced(atOtherAddress(state, runtime.service));
  if (!destroy) return undefined;
  try {
    refuseMisplaced(inOtherAccount(state, runtime, (await listHoldings(runtime)).lists));
    return runtime.client.serviceNow();
  } finally {
    await runtime.client.close();
  }
}

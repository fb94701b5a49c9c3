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
  const now = Date.now();
  const state = await stack.exportState();
  await refuseOtherService(stack, state, destroy);
  const expired = findExpired(state, now);
  console.log(json ? expiredJson(expired, now) : showExpired(expired, now, paintFor(process.stdout)));
  if (expired.length === 0) return;
  const say = (line: string) => (json ? console.error(line) : console.log(line));
  const destroyed = destroy && (await destroyExpired(stack, expired, { yes, allowDataLoss, say }));
  if (!destroyed) process.exitCode = exitCodes.found;
}

/** What has expired is told from the state alone: only before something is destroyed need the account be asked for. */
async function refuseOtherService(stack: Stack, state: State, destroy: boolean): Promise<void> {
  const runtime = commandRuntime(await stack.readConfig());
  if (!runtime.isConfigured) return;
  refuseMisplaced(atOtherAddress(state, runtime.service));
  if (!destroy) return;
  try {
    refuseMisplaced(inOtherAccount(state, runtime, (await listHoldings(runtime)).lists));
  } finally {
    await runtime.client.close();
  }
}

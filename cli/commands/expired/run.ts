import { atOtherAddress, inOtherAccount, listHoldings, refuseMisplaced } from "../../account";
import { destroyExpired, findExpired } from "../../expired";
import { exitCodes, placeOf, type StackFlags } from "../../options";
import { accountsOf, commandRuntime, partOf, Stack, type State } from "../../stack";
import { complain, paintFor, print } from "../../terminal";
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
  // On standard error: the list itself is from the state, and complete.
  const { now, notes } = await refuseOtherService(stack, state, destroy);
  for (const note of notes) complain(note);
  const expired = findExpired(state, now);
  print(json ? expiredJson(expired, now) : showExpired(expired, now, paintFor(process.stdout)));
  if (expired.length === 0) return;
  const say = (line: string) => (json ? complain(line) : print(line));
  const destroyed = destroy && (await destroyExpired(stack, expired, { yes, allowDataLoss, now, say }));
  if (!destroyed) process.exitCode = exitCodes.found;
}

/**
 * What has expired is told from the state alone: only before something is destroyed need the accounts be asked for. Returns
 * what could not be asked, in words, and the time: by the service's clock where it was asked.
 */
async function refuseOtherService(
  stack: Stack,
  state: State,
  destroy: boolean,
): Promise<{ now: number; notes: string[] }> {
  const { accounts, leftOut } = await accountsOf(stack, state);
  let now: number | undefined;
  for (const account of accounts) {
    const runtime = commandRuntime(account.config);
    const part = partOf(state, account);
    if (!runtime.isConfigured) continue;
    refuseMisplaced(atOtherAddress(part, runtime.service));
    if (!destroy) continue;
    try {
      refuseMisplaced(inOtherAccount(part, runtime, (await listHoldings(runtime)).lists));
      now ??= runtime.client.serviceNow();
    } finally {
      await runtime.client.close();
    }
  }
  const notes = leftOut.map(
    ({ provider, resources, reason }) =>
      `Not checked against the account of ${provider}: ${resources.join(", ") || "nothing"}. ${reason}`,
  );
  return { now: now ?? Date.now(), notes };
}

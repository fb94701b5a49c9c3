import type { Runtime } from "../../../provider/lifecycle";
import { messageOf } from "../../../provider/shared/messageOf";
import { type Account, atOtherAddress, inOtherAccount, listHoldings, refuseMisplaced } from "../../account";
import { type Expired, findExpired, type Judgement } from "../../expired";
import { accountsOf, commandRuntime, partOf, restOf, type Stack, type State } from "../../stack";

/** What has expired, and in words what could not be asked about it. */
export interface Judged {
  expired: Expired[];
  notes: string[];
}

/**
 * What has expired is told from the state, by the clock of the service that has it, which is asked for its time, and by this machine's where a
 * person has named the time. Before something is
 * destroyed, it is also asked whether it is the one with these machines.
 */
export async function judgeExpired(stack: Stack, state: State, { destroy }: { destroy: boolean }): Promise<Judged> {
  const { accounts, leftOut } = await accountsOf(stack, state);
  const judged: { state: State; by: Judgement }[] = [];
  const notes: string[] = [];
  for (const account of accounts) {
    const part = partOf(state, account);
    const by = await judgeBy(commandRuntime(account.config), part, destroy);
    judged.push({ state: part, by });
    if (by.unasked === undefined) continue;
    const service = account.title === undefined ? "the service" : `the service of ${account.title}`;
    notes.push(`Judged by this machine's clock, because ${service} could not be asked for the time: ${by.unasked}`);
  }
  const reasons = leftOut.map(({ reason }) => reason).join(" ");
  judged.push({ state: restOf(state, accounts), by: { at: Date.now(), unasked: reasons } });
  for (const { provider, resources, reason } of leftOut) {
    const which = resources.join(", ") || "nothing";
    notes.push(
      `Judged by this machine's clock, because the account of ${provider} could not be asked: ${which}. ${reason}`,
    );
  }
  return { expired: findExpired(...judged), notes };
}

async function judgeBy(runtime: Runtime, part: State, destroy: boolean): Promise<Judgement> {
  if (!runtime.isConfigured) return { at: Date.now(), unasked: runtime.missing };
  refuseMisplaced(atOtherAddress(part, runtime.service));
  const asked = await ask(runtime, destroy);
  if (asked.lists) refuseMisplaced(inOtherAccount(part, runtime, asked.lists));
  return asked;
}

async function ask(runtime: Runtime, destroy: boolean): Promise<Judgement & Partial<Pick<Account, "lists">>> {
  const { client } = runtime;
  try {
    const lists = destroy ? { lists: (await listHoldings(runtime)).lists } : {};
    return { at: await client.serviceTime(), here: Date.now(), ...lists };
  } catch (error) {
    return { at: Date.now(), unasked: messageOf(error) };
  } finally {
    await client.close();
  }
}

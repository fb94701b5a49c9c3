import {
  clearStatus,
  type Kind,
  type Operation,
  type Snapshot,
  WaitTimeoutError,
  waitUntil,
  waitUntilSshAnswers,
} from "../../lifecycle";
import { showDuration } from "../../shared/duration";
import { showPerHour } from "../../shared/money";
import { costOf, countReady, describeMembers, hasFailed, isReady, type Member } from "./members";

export interface FleetWait {
  kind: Kind<unknown>;
  /** All members, as this list shows them. */
  look(snapshot: Snapshot<unknown>): Member[];
  /** Whether to wait for this one. */
  isAwaited(member: Member): boolean;
}

/** Waits until the awaited members are ready, with one shared list per tick for all. The first that fails is told at once. */
export async function waitForMembers(operation: Operation, { kind, look, isAwaited }: FleetWait): Promise<void> {
  const { clock, lists, settings } = operation.runtime;
  const patience = clock.now() + settings.listLagMs;
  let members: Member[] = [];
  try {
    await waitUntil({
      operation,
      list: lists.of(kind),
      prompt: true,
      judge: (snapshot) => {
        members = look(snapshot);
        const awaited = members.filter(isAwaited);
        // A fresh one may be missing from lists that lag behind, but not for ever.
        const isLost = ({ view }: Member) => !view && clock.now() > patience;
        const failed = awaited.filter((member) => hasFailed(member) || isLost(member));
        if (failed.length > 0) {
          return { kind: "failed", reason: `${failed.length} of ${members.length} failed: ${describeMembers(failed)}` };
        }
        if (awaited.every(isReady)) return { kind: "done", result: undefined };
        return { kind: "pending", status: countReady(kind, members) };
      },
      progress: (status, elapsed) => `${status}, ${showDuration(elapsed)}, ${showPerHour(costOf(members))}`,
    });
  } catch (error) {
    const late = members.filter((member) => isAwaited(member) && !isReady(member));
    if (!(error instanceof WaitTimeoutError) || late.length === 0) throw error;
    throw new WaitTimeoutError(`${error.message}: ${describeMembers(late)}`, { cause: error });
  }
}

/** Waits until ssh answers on all of these, which are ready. */
export async function waitForGreetings(operation: Operation, members: readonly Member[]): Promise<void> {
  const greetings = members.map(async ({ name, view }) => {
    if (!view) return;
    try {
      await waitUntilSshAnswers({ ...operation, noun: "rental" }, view);
    } catch (error) {
      if (!(error instanceof WaitTimeoutError)) throw error;
      throw new WaitTimeoutError(`${name}: ${error.message}`, { cause: error });
    }
  });
  await Promise.all(greetings);
  clearStatus(operation);
}

import {
  clearStatus,
  type Kind,
  type Snapshot,
  showPerHour,
  WaitTimeoutError,
  type Work,
  waitUntil,
} from "../../lifecycle";
import { waitUntilSshAnswers } from "../../lifecycle/waiting/ready";
import { showDuration } from "../../shared/duration";
import { costOf, countReady, describeMembers, hasFailed, isReady, type Member } from "./members";

export interface FleetWait {
  kind: Kind<unknown>;
  /** All members, as this list shows them. */
  look(snapshot: Snapshot<unknown>): Member[];
  /** Whether to wait for this one. */
  isAwaited(member: Member): boolean;
}

/** Waits until the awaited members are ready, with one shared list per tick for all. The first that fails is told at once. */
export async function waitForMembers(work: Work<unknown>, { kind, look, isAwaited }: FleetWait): Promise<void> {
  const { clock, lists, settings } = work.runtime;
  const patience = clock.now() + settings.reconcileSeconds * 1000;
  let members: Member[] = [];
  try {
    await waitUntil({
      work,
      list: lists.of(kind),
      prompt: true,
      judge: (snapshot) => {
        members = look(snapshot);
        const awaited = members.filter(isAwaited);
        // A fresh one may be missing from lists that lag behind, but not for ever.
        const isLost = ({ view }: Member) => !view && clock.now() > patience;
        const failed = awaited.filter((member) => hasFailed(member) || isLost(member));
        if (failed.length > 0) {
          return { is: "failed", reason: `${failed.length} of ${members.length} failed: ${describeMembers(failed)}` };
        }
        if (awaited.every(isReady)) return { is: "done", result: undefined };
        return { is: "pending", status: countReady(kind, members) };
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
export async function waitForGreetings(work: Work<unknown>, members: readonly Member[]): Promise<void> {
  const greetings = members.map(async ({ name, view }) => {
    if (!view) return;
    try {
      await waitUntilSshAnswers({ ...work, noun: "rental" }, view);
    } catch (error) {
      if (!(error instanceof WaitTimeoutError)) throw error;
      throw new WaitTimeoutError(`${name}: ${error.message}`, { cause: error });
    }
  });
  await Promise.all(greetings);
  clearStatus(work);
}

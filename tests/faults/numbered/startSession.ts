import type { ObjectState } from "../../../emulator";
import type { Kill } from "../simulation/command";
import type { FaultName } from "../simulation/faultKinds";
import { nameOfPlanned, type PlannedKind } from "../simulation/resourceKinds";
import { Session } from "../simulation/session";

/** A session in which nothing happens by itself: a test says what does. */
export async function begin(kinds: PlannedKind[]): Promise<Session> {
  const session = new Session({ seed: 1, kinds, steps: [], faults: [], kills: [] }, { alone: true });
  await session.play();
  return session;
}

export const undisturbed = { faults: [] };

export function fault(kind: FaultName, at: number, times = 1) {
  return { faults: [{ kind, at, times }] };
}

export function killed(who: Kill["who"], at: number, when: Kill["when"]) {
  return { faults: [], kill: { who, at, when } };
}

/** Everything that was ever made beside what strangers have. */
export function ours({ rig, foreign }: Session): ObjectState[] {
  return rig.emulator.state().filter(({ id }) => !foreign?.ids.has(id));
}

export function made(session: Session): number {
  return ours(session).length;
}

/** What bills and is not on its way out: ids. */
export function live(session: Session): string[] {
  return ours(session)
    .filter(({ billing, status }) => billing && !/terminating|stopping/i.test(status))
    .map(({ id }) => String(id));
}

/** The id in the state. */
export function idOf(session: Session, index = 0): string {
  return session.stack.get(nameOfPlanned(index)).id;
}

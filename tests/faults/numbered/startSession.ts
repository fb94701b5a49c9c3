/** For tests that say themselves what happens: a session in which nothing happens on its own, and what is asked of it. */
import type { ObjectState } from "../../../emulator";
import type { FrontName } from "../simulation/circumstances";
import type { Disturbances, Kill } from "../simulation/disturbances";
import type { FaultName } from "../simulation/faultKinds";
import { resourceName } from "../simulation/program";
import type { ResourceKindName } from "../simulation/resourceKinds";
import { Session } from "../simulation/session";

export function startSession(front: FrontName, resources: ResourceKindName[]): Promise<Session> {
  return Session.start({ seed: 1, resources, circumstances: { neighbours: false, front } });
}

export function fault(kind: FaultName, at: number, times = 1): Disturbances {
  return { faults: [{ kind, at, times }] };
}

export function killed(who: Kill["who"], at: number, when: Kill["when"]): Disturbances {
  return { faults: [], kill: { who, at, when } };
}

/** Everything that this stack has ever made. */
export function ourObjects({ rig, ledger: { made } }: Session): ObjectState[] {
  const ours = new Set(made.map(({ id }) => id));
  return rig.emulator.state().filter(({ id }) => ours.has(String(id)));
}

export function countCreated(session: Session): number {
  return ourObjects(session).length;
}

/** Ids of what bills and is not about to end. */
export function liveIds(session: Session): string[] {
  return ourObjects(session)
    .filter(({ billing, status }) => billing && !/terminating|stopping/i.test(status))
    .map(({ id }) => String(id));
}

/** The id in the state. */
export function idOf(session: Session, index = 0): string {
  return session.stack.get(resourceName(index)).id;
}

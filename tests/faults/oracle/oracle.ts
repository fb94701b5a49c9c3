import { undisturbed } from "../simulation/disturbances";
import type { Session } from "../simulation/session";
import {
  duplicates,
  failures,
  keyLeaks,
  leftAfterDestroy,
  notInState,
  notReady,
  overdueCalls,
  touchedForeign,
  type Violation,
} from "./laws";
import { endUnproven, noteAmbiguous } from "./unproven";

/** Longer than lists may lag: what is not listed by then is known to be gone. */
const settledSeconds = 130;

/**
 * Brings a played session to rest the way a person would: `up`; where a run was killed, `gpufleet recover` (and `--adopt` where it
 * says so); `up`; `destroy`. Gives what did not hold on the way.
 */
export async function judge(session: Session): Promise<Violation[]> {
  noteAmbiguous(session, await session.up(undisturbed));
  if (session.wasKilled) await session.recover();
  await session.wait(settledSeconds);
  const second = await session.up(undisturbed, { refresh: true });
  noteAmbiguous(session, second);
  const afterUp = [
    ...failures(session, "the second up", second),
    ...notInState(session),
    ...duplicates(session),
    ...notReady(session, second),
  ];
  await endUnproven(session);
  const destroyed = await session.destroy(undisturbed);
  return [
    ...afterUp,
    ...failures(session, "destroy", destroyed),
    ...leftAfterDestroy(session),
    ...touchedForeign(session),
    ...keyLeaks(session),
    ...overdueCalls(session),
  ];
}

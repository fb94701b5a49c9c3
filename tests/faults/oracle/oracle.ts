import { isExpired, wasListed } from "../../../provider/lifecycle";
import { undisturbed } from "../simulation/disturbances";
import { keyOf } from "../simulation/ledger";
import type { Session } from "../simulation/session";
import { settleVolumes } from "../simulation/volumesByHand";
import { awaitsItsRental, failures, leftAfterDestroy, notAttached, notInState, notReady } from "./finalLaws";
import { type Violation, Witness } from "./laws";

/** Longer than lists may lag: what is not listed by then is known to be gone. */
const settledSeconds = 130;

/** Judges a session from here on, after every command. */
export function watch(session: Session): Witness {
  const witness = new Witness(session);
  session.onEnd = (result) => witness.judge(result);
  return witness;
}

/**
 * Brings a played session to rest the way a person would: `up`; where a run was killed, `gpufleet recover` in the wrong place, and then
 * in the right one (and `--adopt` where it says so); what only a person can settle; `up`; `destroy`. Gives all that did not hold.
 */
export async function judge(session: Session, witness: Witness): Promise<Violation[]> {
  const add = (whats: readonly string[]) => {
    for (const what of whats) witness.add("O", what);
  };
  await session.up(undisturbed);
  if (session.wasKilled) {
    await session.recoverElsewhere();
    await session.recover();
  }
  await session.settle();
  await session.wait(settledSeconds);
  // What a killed destroy was ending has ended by now.
  session.dropVainAdoptions();
  session.outside.dropGivenAway();
  confirm(session);
  let second = await session.up(undisturbed, { refresh: true });
  if (await settleVolumes(session)) second = await session.up(undisturbed, { refresh: true });
  add(failures(session, "the second up", second));
  const canEnd = session.circumstances.dialect !== "none";
  if (canEnd || !session.wasKilled) add(notInState(session, witness.named));
  add(notReady(session, second));
  add(await notAttached(session, second));
  // Where somebody has the same, that up may have come into doubt as well.
  if (session.hasLookalikes) await session.settle();
  let destroyed = await session.destroy(undisturbed);
  // What was adopted after a kill may be attached, and no resource has that.
  if (await settleVolumes(session)) destroyed = await session.destroy(undisturbed);
  if (!canEnd) return witness.violations;
  add(failures(session, "destroy", destroyed));
  await session.wait(60);
  add(leftAfterDestroy(session, keptVolumes(session, witness)));
  return witness.violations;
}

/** Where much has vanished at once, or what no list has shown yet, a person looks whether it is so, and says so. */
function confirm(session: Session): void {
  const billing = session.ledger.billing();
  const held = session.ledger.entries.filter(({ id, outputs }) => /^\w/.test(id) && !isExpired(outputs));
  const gone = held.filter((one) => !billing.has(keyOf(one)));
  if (gone.length > 1 || gone.some(({ outputs }) => !wasListed(outputs))) session.confirmGone = true;
}

/** Volumes that were named when their rental ended: they are the user's. */
function keptVolumes(session: Session, { named }: Witness): Set<string> {
  const volumes = session.ledger.made.filter(({ rentalId }) => rentalId !== undefined);
  return new Set(volumes.filter((one) => named.has(keyOf(one)) || awaitsItsRental(session, one)).map(keyOf));
}

/** What must hold when a session has come to rest. */
import { isExpired, isPastExpiry, phaseOf } from "../../../provider/lifecycle";
import { getHandler } from "../../lifecycle/fakeEngine";
import { isProvable, keyOf } from "../simulation/ledger";
import type { CommandResult, Session } from "../simulation/session";
import { isNamed } from "./laws";

/** Errors that are the truth, and that no further `up` heals. */
const lasting =
  /maxCostPerHour|no list to look it up in|so none can be adopted|cannot be adopted, because it differs|not available on node|gpufleet:operations|no capacity|cannot be detached while rental|rental \d+ is Failed|what it depends on is not there|which has not taken it over/;
/**
 * An attachment bills nothing. One that a kill kept out of the state holds its volume until its rental ends; and so does one that cannot be
 * changed, because something else fails for good, while `--continue-on-error` has what it no longer needs deleted.
 */
const attached = /attached to rental/;

/** O: nothing fails for good. */
export function failures(session: Session, what: string, { outcome }: CommandResult): string[] {
  const { wasKilled, wasProviderKilled, circumstances } = session;
  // `recover` names it, and nobody can end it: a person would take it over.
  const isLeft = wasProviderKilled && circumstances.dialect === "none" && circumstances.labels === "capitals";
  const mayStay = wasKilled || ["none", "tied"].includes(circumstances.dialect) || circumstances.continueOnError;
  return Object.entries(outcome?.errors ?? {})
    .filter(([, message]) => !lasting.test(message) && !(mayStay && attached.test(message)))
    .filter(([, message]) => !(isLeft && message.includes("but is missing from the state")))
    .map(([name, message]) => `${what} still fails on ${name}: ${message}`);
}

/** O: what bills is in the state. (An error that names it would do as well, but by now there should be none.) */
export function notInState(session: Session, named: ReadonlySet<string>): string[] {
  return (
    session.ledger
      .lost()
      .filter((one) => !(one.isRefused && session.ledger.isUnlisted(one)) && !awaitsItsRental(session, one))
      // Whoever is told that there is no such thing to end, and no list has it for minutes, must take it to be gone.
      .filter((one) => !(session.circumstances.dialect === "none" && session.ledger.wasHidden(one)))
      .filter((one) => !isNamed(session, named, one) && !(session.ledger.isRepeated(one) && isProvable(one)))
      .map((one) => `${keyOf(one)} "${one.label}" of ${one.name} bills and is not in the state`)
  );
}

/** What a kill has left, and a person cannot delete before the rental that was taken over has ended. */
export function awaitsItsRental(
  { circumstances, wasKilled }: Session,
  { rentalId }: { rentalId?: string | undefined },
): boolean {
  return wasKilled && circumstances.dialect === "tied" && rentalId !== undefined;
}

/** O: what `up` says is done can be used. */
export function notReady({ stack, program, circumstances, serviceNow }: Session, { outcome }: CommandResult): string[] {
  return [...stack.state.values()].flatMap(({ name, type, outputs, inputs }) => {
    const kind = getHandler(type).owned?.kind;
    // Where the service has no list of them, nobody can tell.
    if (type === "VmRental" && circumstances.dialect === "none") return [];
    if (!kind || !(name in program) || outcome?.errors[name] !== undefined || inputs["waitForReady"] === false)
      return [];
    // What has failed after its time is not replaced, and its row says so.
    if (isExpired(outputs) || isPastExpiry(outputs, serviceNow())) return [];
    const status = String(outputs["status"]);
    return phaseOf(status, kind.statuses) === "ready" ? [] : [`${name} is said to be up: ${status}`];
  });
}

/** O: what `up` says is attached is attached. */
export async function notAttached({ stack, program, rig }: Session, { outcome }: CommandResult): Promise<string[]> {
  if (Object.keys(outcome?.errors ?? {}).length > 0) return [];
  const listed = await rig.run(rig.client.listStorageVolumes());
  // Nothing is attached to what has expired and ended, and nobody says so.
  const expired = new Set([...stack.state.values()].filter(({ outputs }) => isExpired(outputs)).map(({ id }) => id));
  return [...stack.state.values()].flatMap(({ name, type, id, outputs }) => {
    const wanted: unknown = outputs["rentalIds"];
    if (!(name in program) || !Array.isArray(wanted)) return [];
    const volumeId = Number(type === "StorageVolume" ? id : outputs["storageVolumeId"]);
    const byOwnId = listed.find(({ storageVolumeId }) => storageVolumeId === volumeId);
    const volume = byOwnId ?? listed.find(({ id }) => id === volumeId);
    return wanted
      .filter((rental) => !volume?.attachedRentals.includes(Number(rental)) && !expired.has(String(rental)))
      .map((rental) => `${name} is said to attach volume ${volumeId} to ${rental}, which it is not`);
  });
}

/** O: after destroy nothing of ours bills, but for what is to be kept. */
export function leftAfterDestroy(session: Session, kept: ReadonlySet<string>): string[] {
  const ids = new Set(session.ledger.live().map(keyOf));
  const bills = [...ids].filter((one) => !kept.has(one)).map((one) => `${one} still bills after destroy`);
  return [
    ...bills,
    ...session.ledger.entries.map((one) => `${one.name} ${one.id} is still in the state after destroy`),
  ];
}

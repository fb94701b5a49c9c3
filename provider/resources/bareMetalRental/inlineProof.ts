import {
  holdersElsewhere,
  isEntryHere,
  isOtherKey,
  isOtherTime,
  type Machine,
  mayBe,
  mayBeMadeOf,
  type Operation,
  type SharedList,
  type Snapshot,
  type StateEntry,
  type View,
  whereKey,
} from "../../lifecycle";
import { readTimestamp } from "../../shared/timestamp";
import { numbers, storageVolume, storageVolumes } from "../storageVolume";
import { type InlineVolume, keptVolume, type Sought, sizeShownBy } from "./inlineVolume";
import { namedByRentals } from "./namedVolume";
import { bareMetalRentals } from "./record";

/**
 * Which volume was made along with a rental. Its label is the user's, so it is no proof, and neither are its size and its age. Proof is
 * that a record shows the two attached to each other; and that the volume has the label that was asked for, was not there before the
 * create, is of the same account, and is held by nobody else. Nothing is taken or deleted without it.
 */
export async function findProven(
  operation: Operation,
  sought: Sought,
  snapshot: Snapshot<unknown>,
): Promise<View | undefined> {
  const open = snapshot.views().filter((volume) => isOpen(operation, sought, volume));
  if (open.length === 0) return undefined;
  const isHeld = await heldByOthers(operation, sought.rentalId);
  const free = open.filter((volume) => !isHeld(volume) && isItsLabel(operation, sought, volume));
  const seen = free.filter((volume) => isAttached(sought, volume));
  const attached = seen.length > 0 || free.length === 0 ? seen : await attachedByRental(operation, sought, free);
  const exact = attached.filter((volume) => sizeShownBy(volume) === sought.sizeInGb);
  return onlyOne(exact.length > 0 ? exact : attached);
}

function onlyOne<One>(some: readonly One[]): One | undefined {
  return some.length === 1 ? some[0] : undefined;
}

/** Whether its record does not speak against it. */
function isOpen({ runtime }: Operation, { known, sizeInGb, state }: Sought, volume: View): boolean {
  return (
    volume.phase !== "ended" &&
    !known.before.includes(volume.id) &&
    // Services round up.
    (sizeShownBy(volume) ?? sizeInGb) >= sizeInGb &&
    mayBe({ [whereKey]: state[whereKey] }, { account: volume.account }, runtime.service)
  );
}

/** Whether it has the label that was asked for, or what a service may have made of that. */
function mayBeLabelled({ label }: Sought, volume: View): boolean {
  return volume.label !== undefined && volume.label !== "" && mayBeMadeOf(label, volume.label);
}

/** What a service has made of a label is told from what a person has added to it by the time: the two are created at once. */
function isItsLabel(operation: Operation, sought: Sought, volume: View): boolean {
  if (!mayBeLabelled(sought, volume)) return false;
  return hasLabel(operation, sought, volume) || isCreatedWith(sought, volume);
}

const createdWithinMs = 60_000;

function isCreatedWith({ state }: Sought, { createdAt }: View): boolean {
  const [rental, volume] = [readTimestamp(state["createdAt"]), readTimestamp(createdAt)];
  return rental !== undefined && volume !== undefined && Math.abs(rental - volume) <= createdWithinMs;
}

function hasLabel({ runtime }: Operation, { label }: Sought, volume: View): boolean {
  return mayBe({ label }, { label: volume.label }, runtime.service);
}

/** Whether its record, or that of the rental as the state has it, shows them attached to each other. */
function isAttached({ rentalId, state }: Sought, volume: View): boolean {
  const rentals = rentalsOf(volume);
  // Some have the ids of records in the rental: what the volume itself says counts first.
  if (rentals.length > 0) return rentals.includes(Number(rentalId));
  return idsIn(state["attachedStorage"]).includes(volume.id);
}

/** The volumes that their own records, or that of the rental, show attached to it. */
export function attachedIn(snapshot: Snapshot<unknown>, { id, outputs }: View): View[] {
  const ids = idsIn(outputs?.["attachedStorage"]);
  return snapshot
    .views()
    .filter((one) => one.phase !== "ended" && (rentalsOf(one).includes(Number(id)) || ids.includes(one.id)));
}

export function isUsedByOthers({ rentalId }: Sought, volume: View): boolean {
  return rentalsOf(volume).some((rental) => rental !== Number(rentalId));
}

function isOnlyAtOthers(sought: Sought, volume: View): boolean {
  return isUsedByOthers(sought, volume) && !isSeenAttached(sought, volume);
}

function rentalsOf(volume: View): number[] {
  return numbers(volume.outputs?.["attachedRentals"]);
}

function idsIn(attachedStorage: unknown): string[] {
  return Array.isArray(attachedStorage) ? attachedStorage.map((volume) => String(volume?.id)) : [];
}

/** The same by the rental's present record. */
async function attachedByRental({ runtime }: Operation, { rentalId }: Sought, volumes: View[]): Promise<View[]> {
  const rentals = await runtime.lists.of(bareMetalRentals).fresh();
  const rental = rentals.isUnreadable(rentalId) ? undefined : rentals.find(rentalId);
  const ids = idsIn(rental?.outputs?.["attachedStorage"]);
  const named = volumes.filter(({ id }) => ids.includes(id));
  // Some have the ids of records there. As long as the rental shows it, one with the other id would be listed, too.
  return named.length > 0 ? named : volumes.filter(({ recordId = "" }) => ids.includes(recordId));
}

/**
 * The volume that the answer to a create, or the rental's record, has named. Some name it by the id of its record and not by the one that
 * requests take, which may be another's there: then it is the one that is proven, if that has this record.
 */
export async function findNamed(
  operation: Operation,
  sought: Sought,
  snapshot: Snapshot<unknown>,
  id: string,
): Promise<View | undefined> {
  const named = snapshot.find(id, sought.label);
  if (named && mayBeLabelled(sought, named) && !isUsedByOthers(sought, named)) return named;
  const proven = await findProven(operation, sought, snapshot);
  return proven?.recordId === id ? proven : named;
}

/** The volume that is known by its id, where the records show it attached to the rental as they are now. */
export async function findAttached(operation: Operation, sought: Sought, id: string): Promise<View | undefined> {
  const { lists } = operation.runtime;
  const [volumes, rentals] = await Promise.all([volumesOf(operation).latest(), lists.of(bareMetalRentals).latest()]);
  const volume = await findNamed(operation, sought, volumes, id);
  const rental = rentals.find(sought.rentalId);
  if (!volume || !rental || isOnlyAtOthers(sought, volume)) return undefined;
  return attachedIn(volumes, rental).find((one) => one.id === volume.id);
}

/** Whether one that is attached to nothing any more may have been named by the id of its record. */
export function isNamedByRecord(sought: Sought, snapshot: Snapshot<unknown>, id: string): boolean {
  return snapshot.views().some((one) => one.recordId === id && one.id !== id && mayBeLabelled(sought, one));
}

/** Nobody else can have it from here on. */
export function claimVolume({ runtime }: Operation, { rentalId }: Sought, id: string): void {
  runtime.memory.noteAlong(storageVolume.type, id, rentalId);
}

/** Whether the volume in the answer to a create can be the one that it made. */
export async function isFreeVolume(operation: Operation, { known, rentalId }: Sought, id: string): Promise<boolean> {
  return !known.before.includes(id) && !(await heldByOthers(operation, rentalId))({ id });
}

/** Tells what is a resource of its own, was made along with another rental, or is one that exists to a rental. Before data is deleted, other stacks are asked, too. */
export async function heldByOthers(operation: Operation, rentalId: string): Promise<(volume: Machine) => boolean> {
  const { runtime, stack } = operation;
  const { type } = storageVolume.definition;
  const isOther = (entry: StateEntry) => entry.type !== "BareMetalRental" || entry.id !== rentalId;
  const volumes = { ...operation, type };
  const isHeld = await isEntryHere(volumes);
  const holderElsewhere = operation.endsForGood ? await holdersElsewhere(volumes, isOther) : () => undefined;
  const entries = (await runtime.state.entries(stack)) ?? [];
  const others = entries.filter((entry) => entry.type === "BareMetalRental" && isOther(entry));
  const inline = new Set(others.map(({ outputs }) => keptVolume(outputs)?.id));
  const isNamed = await namedByRentals(operation);
  return (volume) =>
    isHeld(volume) ||
    holderElsewhere(volume) !== undefined ||
    isNamed(volume) ||
    !runtime.memory.isFree(type, volume.id) ||
    runtime.memory.adoptedInVainBy(type, volume.id) !== undefined ||
    inline.has(volume.id) ||
    (runtime.memory.cameAlongWith(type, volume.id) ?? rentalId) !== rentalId;
}

/** Whether a volume that no record proves may be it all the same: then a person says so. */
export async function candidatesIn(operation: Operation, sought: Sought, snapshot: Snapshot<unknown>): Promise<View[]> {
  const isAlike = (volume: View) =>
    volume.label ? mayBeLabelled(sought, volume) : sizeShownBy(volume) === sought.sizeInGb;
  const isLikely = (volume: View) => volume.id === sought.known.id || isAlike(volume);
  const likely = snapshot
    .views()
    .filter((volume) => isOpen(operation, sought, volume) && isLikely(volume) && !isUsedByOthers(sought, volume));
  if (likely.length === 0) return [];
  const isHeld = await heldByOthers(operation, sought.rentalId);
  return likely.filter((volume) => !isHeld(volume));
}

/** What is to be thought of the volume that has the id of the one that was proven once. */
export type Standing =
  | { kind: "ours" }
  /** Its label is not quite the one that was asked for, and nothing shows them attached any more. */
  | { kind: "unproven" }
  /** A rental has it as one that exists. */
  | { kind: "named" }
  /** The id was given to another one, or to another resource. */
  | { kind: "others"; why: string };

export async function standingOf(operation: Operation, sought: Sought, volume: View): Promise<Standing> {
  const { known, state } = sought;
  const { service } = operation.runtime;
  if (!mayBe({ [whereKey]: state[whereKey] }, { account: volume.account }, service)) {
    return { kind: "others", why: "it is in another account" };
  }
  if (volume.label && !mayBeMadeOf(sought.label, volume.label)) return { kind: "others", why: "its label differs" };
  const size = compareSize(sought, volume);
  if (size === "other") return { kind: "others", why: "its size differs" };
  if (isOtherTime(known, volume)) return { kind: "others", why: "it was created at another time" };
  if ((await namedByRentals(operation))(volume)) return { kind: "named" };
  if ((await heldByOthers(operation, sought.rentalId))(volume)) {
    return { kind: "others", why: "another resource has it" };
  }
  const isKnownByTime = isAtItsTime(known, volume);
  if (!isKnownByTime && isOnlyAtOthers(sought, volume)) {
    return { kind: "others", why: "it is attached to other rentals, and no list has shown when ours was created" };
  }
  const isIts = hasLabel(operation, sought, volume) && (isKnownByTime || !isCreatedApart(sought, volume));
  return size === "same" && (isIts || isSeenAttached(sought, volume)) ? { kind: "ours" } : { kind: "unproven" };
}

/** Whether it was created when the noted one was. */
function isAtItsTime(known: InlineVolume, volume: View): boolean {
  const isReadable = readTimestamp(known.created) !== undefined && readTimestamp(volume.createdAt) !== undefined;
  return isReadable && !isOtherTime(known, volume);
}

/** Whether its time, where the two have one, is not that of the rental that it was created with. */
function isCreatedApart(sought: Sought, volume: View): boolean {
  const times = [sought.state["createdAt"], volume.createdAt].map(readTimestamp);
  return !times.includes(undefined) && !isCreatedWith(sought, volume);
}

/**
 * Whether its size can be the noted one. Lists may show that rounded up: what was created at its time is still it; or, where no list
 * has shown when, what was created with its rental, which has it.
 */
function compareSize(sought: Sought, volume: View): "same" | "other" | "in doubt" {
  const { known, sizeInGb } = sought;
  const [noted, shown] = [known.sizeInGb ?? sizeInGb, sizeShownBy(volume)];
  if (shown === undefined || shown === noted) return "same";
  if (shown < noted) return "other";
  if (known.created !== undefined)
    return readTimestamp(volume.createdAt) !== undefined && !isOtherTime(known, volume) ? "same" : "other";
  if (!isCreatedWith(sought, volume)) return "other";
  return isSeenAttached(sought, volume) ? "same" : "in doubt";
}

function isSeenAttached({ rentalId }: Sought, volume: View): boolean {
  return rentalsOf(volume).includes(Number(rentalId));
}

/** Whether its id is enough to end it, although no list shows it: as long as it was last seen with this very key. */
export function isEnoughToEnd({ runtime }: Operation, { state }: Sought): boolean {
  return !isOtherKey(state, runtime.service);
}

/** The list of volumes. */
export function volumesOf({ runtime }: Operation): SharedList<unknown> {
  return runtime.lists.of(storageVolumes);
}

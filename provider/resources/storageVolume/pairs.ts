import {
  isLeaving,
  mayBe,
  type Operation,
  partsKey,
  type StateEntry,
  type Values,
  withTheirsNow,
} from "../../lifecycle";
import { nameOf, readUrn } from "../../shared/urn";
import { numbers, storageVolumes } from "./record";

/** What this process knows of a volume and a rental that belong together is kept under this name. */
const pair = "attachment";

const keyOf = (storageVolumeId: number, rental: number) => `${storageVolumeId}:${rental}`;

/** Runs what must not run side by side with anything else that is about one of these pairs. */
export function inTurn<Result>(
  { runtime: { memory } }: Operation,
  storageVolumeId: number,
  rentalIds: readonly number[],
  run: () => Promise<Result>,
): Promise<Result> {
  return memory.inTurn(
    rentalIds.map((rental) => keyOf(storageVolumeId, rental)),
    run,
  );
}

/** A resource of this run has these pairs: whoever held them before lets go of them without detaching. */
export function claimPairs({ runtime: { memory } }: Operation, storageVolumeId: number, rentals: readonly number[]) {
  for (const rental of rentals) memory.claim(pair, keyOf(storageVolumeId, rental));
}

/** Those of these rentals whose pair this process has attached or taken over. */
export function claimedAmong(
  { runtime: { memory } }: Operation,
  storageVolumeId: number,
  rentals: readonly number[],
): number[] {
  return rentals.filter((rental) => memory.isClaimed(pair, keyOf(storageVolumeId, rental)));
}

/**
 * The rentals of a state that a refresh has found detached since. One list may have been of before the attach: they are detached with
 * the others when they are no longer wanted, which changes nothing where they are not attached.
 */
export function doubtfulRentals(state: Values): number[] {
  const rentals: unknown = Reflect.get(Object(state[partsKey]), "rentals");
  const attached = numbers(state["rentalIds"]);
  return Object.keys(Object(rentals))
    .map(Number)
    .filter((rental) => !attached.includes(rental));
}

/** Those of them that this process has not let go of. */
export function stillDoubtful({ runtime: { memory } }: Operation, storageVolumeId: number, state: Values): number[] {
  return doubtfulRentals(state).filter((rental) => memory.deletionsOf(pair, keyOf(storageVolumeId, rental)) === 0);
}

/** The entries that may hold pairs: another provider may have attached since this process first asked. */
export async function holdersOfPairs(operation: Operation): Promise<readonly StateEntry[]> {
  const { runtime, stack } = operation;
  return withTheirsNow(operation, (await runtime.state.entries(stack)) ?? []);
}

/** Says that these pairs are let go of. Gives those that no other resource of this stack, and no other stack of the backend, holds. */
export async function releasePairs(
  operation: Operation,
  entries: readonly StateEntry[],
  storageVolumeId: number,
  rentals: readonly number[],
): Promise<number[]> {
  const free = rentals.filter((rental) => isLast(operation, entries, keyOf(storageVolumeId, rental)));
  // All stacks of the backend are exported for this: not for a pair of which this stack has both the volume and the rental.
  const has = (type: string, id: number) => entries.some((entry) => entry.type === type && entry.id === String(id));
  const isOwn = (rental: number) => has("StorageVolume", storageVolumeId) && has("BareMetalRental", rental);
  const holderOf = free.every(isOwn) ? () => undefined : await holdersElsewhere(operation, storageVolumeId);
  return free.filter((rental) => {
    const holder = isOwn(rental) ? undefined : holderOf(rental);
    if (!holder) return true;
    operation.runtime.engine.info(
      operation.urn,
      `volume ${storageVolumeId} stays attached to rental ${rental}: ${describe(operation, holder)} holds that, too`,
    );
    return false;
  });
}

/**
 * Whether no other resource holds this pair: none that has attached it in this process, and none that the state has. A pair that
 * moves from one resource to another (a rename, a swap, to or from `rentalIds`) stays attached.
 */
function isLast({ runtime: { memory } }: Operation, entries: readonly StateEntry[], key: string): boolean {
  if (memory.isClaimed(pair, key)) return false;
  const holding = entries.filter((entry) => !isLeaving(entry) && pairsOf(entry).includes(key));
  const holders = holding.length - memory.deletionsOf(pair, key);
  memory.noteDeletion(pair, key);
  return holders <= 1;
}

function pairsOf({ type, id, outputs }: StateEntry): string[] {
  if (type !== "VolumeAttachment" && type !== "StorageVolume") return [];
  const volume = Number(type === "StorageVolume" ? id : outputs["storageVolumeId"]);
  return [...numbers(outputs["rentalIds"]), ...doubtfulRentals(outputs)].map((rental) => keyOf(volume, rental));
}

/** Finds the entry of another stack or account that holds a pair of this volume. Other stacks that cannot be read hold nothing. */
async function holdersElsewhere(
  { runtime, stack }: Operation,
  storageVolumeId: number,
): Promise<(rental: number) => StateEntry | undefined> {
  const { lists, service, state } = runtime;
  const entries = await state.elsewhere(stack).catch(() => []);
  const snapshot = await lists
    .of(storageVolumes)
    .latest()
    .catch(() => undefined);
  const id = String(storageVolumeId);
  const { account, label } = (snapshot?.isUnreadable(id) ? undefined : snapshot?.find(id)) ?? {};
  // An attachment has no label of its own.
  const isSameVolume = ({ type, outputs }: StateEntry) =>
    mayBe(outputs, { account, label: type === "StorageVolume" ? label : undefined }, service);
  return (rental) =>
    entries.find((entry) => pairsOf(entry).includes(keyOf(storageVolumeId, rental)) && isSameVolume(entry));
}

/** What holds a pair of this volume, in words; undefined where no stack of the backend does. */
export async function holderOfPair(
  operation: Operation,
  storageVolumeId: number,
  rental: number,
): Promise<string | undefined> {
  const { runtime, stack, urn } = operation;
  const entries = (await runtime.state.entries(stack)) ?? [];
  const key = keyOf(storageVolumeId, rental);
  const holders = entries.filter((entry) => pairsOf(entry).includes(key));
  const isLetGo = holders.length <= runtime.memory.deletionsOf(pair, key);
  const own = isLetGo ? undefined : holders.find((entry) => entry.urn !== urn);
  const holder = own ?? (await holdersElsewhere(operation, storageVolumeId))(rental);
  return holder && describe(operation, holder);
}

/** `VolumeAttachment "link" of stack "dev"` */
function describe({ urn: own }: Operation, { type, urn }: StateEntry): string {
  const here = readUrn(own);
  const { project, stack } = readUrn(urn);
  const of = project === here.project ? stack : `${project}/${stack}`;
  const isHere = project === here.project && stack === here.stack;
  return `${type} "${nameOf(urn)}"${isHere ? "" : ` of stack "${of}"`}`;
}

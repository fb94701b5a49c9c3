import {
  BadRequestError,
  ForbiddenError,
  NotFoundError,
  OperationUnavailableError,
  OutcomeUnknownError,
} from "../../client";
import {
  EndRefusedError,
  findRecordOrProveAbsent,
  type Operation,
  type Snapshot,
  saysItIsGone,
  WaitFailedError,
  WaitTimeoutError,
  waitUntil,
} from "../../lifecycle";
import { refusalIn } from "../../service";
import { rentalsIn } from "./detached";
import { numbers, storageVolumes } from "./record";

/** Before a lost request is sent again. */
const pause = 2000;
/** How long a volume that is not active yet may refuse what it accepts later. */
const youth = 120_000;
/** How long a list may take to show that what was refused holds all the same. */
export const patience = 5000;

/** What the record shows the volume attached to, if it tells; undefined where the list does not show the record. */
function attachedIn(snapshot: Snapshot<unknown>, volume: number): number[] | "untold" | undefined {
  const id = String(volume);
  const record = snapshot.isUnreadable(id) ? undefined : snapshot.find(id);
  const shown = record?.outputs?.["attachedRentals"];
  return record && (shown === undefined ? "untold" : numbers(shown));
}

/** Those that the record lacks, none where it does not tell; undefined where the list does not show the record. */
export function missingIn(
  snapshot: Snapshot<unknown>,
  volume: number,
  rentalIds: readonly number[],
): number[] | undefined {
  const attached = attachedIn(snapshot, volume);
  return attached === "untold" ? [] : attached && rentalIds.filter((rental) => !attached.includes(rental));
}

/** The service does not attach or detach them, and lists show that it has not, or only some (`isPartly`). */
export class PairRefusedError extends WaitFailedError {
  readonly isPartly: boolean;

  constructor(message: string, { isPartly = false, ...options }: ErrorOptions & { isPartly?: boolean } = {}) {
    super(message, options);
    this.isPartly = isPartly;
  }
}

/** How a volume and rentals are to be. */
interface Wanted {
  storageVolumeId: number;
  rentalIds: readonly number[];
  goal: "attached" | "detached";
  /** Whether things may stay as they are, so that it is given up where reply after reply is lost. */
  mayStay?(): Promise<boolean>;
}

/** Whether its record shows that, if it tells; undefined where the list lacks the record, which says nothing. */
function holds(
  snapshot: Snapshot<unknown>,
  { storageVolumeId, rentalIds, goal }: Wanted,
): boolean | "untold" | undefined {
  const attached = attachedIn(snapshot, storageVolumeId);
  if (attached === undefined || attached === "untold") return attached;
  return rentalIds.every((rental) => attached.includes(rental) === (goal === "attached"));
}

/**
 * Sends a request until its reply arrives: attaching twice is attaching once, whereas a list that lags behind could show what
 * was before. Only of replies that are lost again and again the list tells what has come. Where it is refused, things may be as they
 * should be all the same, and only the list can tell.
 */
export async function reach(
  operation: Operation,
  wanted: Wanted,
  send: (rentals: number[]) => Promise<unknown>,
): Promise<void> {
  const { clock, lists } = operation.runtime;
  let asked = [...wanted.rentalIds];
  const list = lists.of(storageVolumes);
  const startedAt = clock.now();
  for (let accepted = 0, lost = 0; ; ) {
    const since = list.cursor();
    const trouble = await troubleWith(() => send(asked));
    if (!trouble) {
      accepted += 1;
      // Whoever attaches waits for the list afterwards.
      if (wanted.goal === "attached" && accepted >= mostTimes) return;
      // A 2xx without an effect is seen in the list. Where that does not tell, the answer must do.
      if (await look(operation, since, (snapshot) => holds(snapshot, wanted) || undefined)) return;
      if (accepted >= mostTimes) return waitForLists(operation, wanted);
      continue;
    }
    if (trouble.isRefused) {
      const seen = await lookAfterRefusal(operation, wanted, {
        since,
        mayBeYoung: clock.now() - startedAt < youth,
        reason: trouble.error.message,
      });
      if (seen === "holds") return;
      // Some refuse all for one that is as it should be already.
      const attached = seen === "refused" ? attachedIn(await list.latest(), wanted.storageVolumeId) : undefined;
      const left = Array.isArray(attached)
        ? asked.filter((one) => attached.includes(one) !== (wanted.goal === "attached"))
        : asked;
      if (left.length > 0 && left.length < asked.length) {
        asked = left;
        continue;
      }
      if (seen === undefined && wanted.goal === "detached" && (await isGone(operation, wanted.storageVolumeId))) return;
      if (seen === "refused" || (seen === undefined && wanted.goal === "attached"))
        throw new PairRefusedError(trouble.error.message, { isPartly: left.length < wanted.rentalIds.length });
    } else {
      lost += 1;
      const isShown = (snapshot: Snapshot<unknown>) => holds(snapshot, wanted) === true || undefined;
      if (lost >= mostTimes && (await look(operation, since, isShown))) return;
      if (lost === mostTimes && (await wanted.mayStay?.())) throw trouble.error;
    }
    if (clock.now() + pause >= operation.deadline) throw trouble.error;
    await clock.sleep(pause);
  }
}

/** A refusal that says that things are as they should be is a claim, which lists that lag may not bear out yet. */
const saysThatItHolds = {
  attached: /\balready\b.*\b(attach|mount)/i,
  detached: /\b(already|not|no longer)\b.*\b(attach|detach|mount)/i,
};

/** Whether a refusal to detach says that the volume or all of the rentals are gone, and the attachment with them. */
function saysPartIsGone({ storageVolumeId, rentalIds, goal }: Wanted, reason: string): boolean {
  const isGone = (id: number, isVolume: boolean) => saysItIsGone(reason, { id: String(id), isVolume });
  return goal === "detached" && (isGone(storageVolumeId, true) || rentalIds.every((rental) => isGone(rental, false)));
}

/** What the lists say after a refusal; undefined where they lack the volume. */
async function lookAfterRefusal(
  operation: Operation,
  wanted: Wanted,
  { since, mayBeYoung, reason }: { since: number; mayBeYoung: boolean; reason: string },
): Promise<"holds" | "young" | "refused" | undefined> {
  const isSaidToHold = saysThatItHolds[wanted.goal].test(reason);
  let isListed = false;
  const judge = (snapshot: Snapshot<unknown>) => {
    const isSo = holds(snapshot, wanted);
    isListed = isSo !== undefined;
    if (isSo === undefined) return undefined;
    if (isSo === true || (isSo === "untold" && (isSaidToHold || saysPartIsGone(wanted, reason)))) return "holds";
    if (mayBeYoung && snapshot.find(String(wanted.storageVolumeId))?.phase === "pending") return "young";
    return isSaidToHold ? undefined : "refused";
  };
  const { listLagMs } = operation.runtime.settings;
  const seen = await look(operation, since, judge, isSaidToHold ? Math.max(patience, listLagMs) : patience);
  return seen ?? (isListed ? "refused" : undefined);
}

/** How often a request is sent that lists do not show, or whose reply is lost. */
const mostTimes = 3;

/** One that lags says the same for a while. What lists show after as long as they may lag has not been detached. */
async function waitForLists(operation: Operation, wanted: Wanted): Promise<void> {
  const { clock, lists, settings } = operation.runtime;
  const list = lists.of(storageVolumes);
  const { storageVolumeId, rentalIds } = wanted;
  const leftIn = (snapshot: Snapshot<unknown>) => {
    const attached = attachedIn(snapshot, storageVolumeId);
    // What is not listed at all is not known to be attached.
    return Array.isArray(attached) ? rentalIds.filter((rental) => attached.includes(rental)) : [];
  };
  let left: number[] = [];
  try {
    return await waitUntil<unknown, void>({
      operation,
      list,
      deadline: Math.min(clock.now() + settings.listLagMs, operation.deadline),
      judge: (snapshot) => {
        left = leftIn(snapshot);
        if (holds(snapshot, wanted)) return { kind: "done", result: undefined };
        return { kind: "pending", status: left.length > 0 ? `attached to ${rentalsIn(left)}` : "not listed" };
      },
      progress: (status) => `${status}; lists may lag, so it is looked at again`,
    });
  } catch (error) {
    if (error instanceof OperationUnavailableError) return;
    if (!(error instanceof WaitTimeoutError)) throw error;
    // The last of them may have been taken a while ago.
    left = await list.fresh().then(leftIn, () => left);
    if (left.length === 0) return;
    throw new PairRefusedError(
      `the service accepted ${mostTimes} times to detach volume ${storageVolumeId} from ${rentalsIn(left)}, but still lists it as attached`,
      { cause: error },
    );
  }
}

/** What the judge makes of the lists of the next moment, or of so many milliseconds; undefined if it makes nothing of any of them. */
async function look<Result>(
  operation: Operation,
  since: number,
  judge: (snapshot: Snapshot<unknown>) => Result | undefined,
  milliseconds = patience,
): Promise<Result | undefined> {
  const { clock, lists } = operation.runtime;
  try {
    return await waitUntil<unknown, Result>({
      operation,
      list: lists.of(storageVolumes),
      prompt: true,
      since,
      deadline: Math.min(clock.now() + milliseconds, operation.deadline),
      judge: (snapshot) => {
        const result = judge(snapshot);
        return result === undefined ? { kind: "pending", status: "not as asked for" } : { kind: "done", result };
      },
    });
  } catch (error) {
    // Where the service has no list, only its word can be had.
    if (error instanceof WaitTimeoutError || error instanceof OperationUnavailableError) return undefined;
    throw error;
  }
}

/** Whether the volume itself is gone, and what it was attached to with it. */
async function isGone(operation: Operation, storageVolumeId: number): Promise<boolean> {
  const list = operation.runtime.lists.of(storageVolumes);
  return (await findRecordOrProveAbsent(operation, list, { id: String(storageVolumeId) })) === undefined;
}

/** Undefined when all went well. What cannot be met by looking at the list is thrown. */
async function troubleWith(send: () => Promise<unknown>): Promise<{ error: Error; isRefused: boolean } | undefined> {
  try {
    const answer = await send();
    const refusal = refusalIn(bodyOf(answer));
    return refusal === undefined ? undefined : { error: new EndRefusedError(refusal), isRefused: true };
  } catch (error) {
    if (error instanceof BadRequestError || error instanceof ForbiddenError || error instanceof NotFoundError)
      return { error, isRefused: true };
    if (error instanceof OutcomeUnknownError) return { error, isRefused: false };
    throw error;
  }
}

/** Attach and detach hand on their body as it came: some services put their errors into the body of a 200. */
function bodyOf(answer: unknown): unknown {
  return typeof answer === "object" && answer !== null && "body" in answer ? answer.body : undefined;
}

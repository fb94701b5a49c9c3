import { showDuration } from "../../shared/duration";
import type { Operation } from "../definition";
import {
  type Absence,
  type Settings,
  type SharedList,
  type Snapshot,
  UnprovenAbsenceError,
  type View,
  WaitTimeoutError,
} from "../model";
import { waitUntil } from "./wait";

/** How many complete lists must lack something before it counts as absent, spread over the time that lists may lag. */
export const fewestLooks = 6;
const usualSpacing = 2000;
const leastSpacing = 200;
const patienceWithUnreadable = 30_000;

/** How long something is looked for in lists that cannot be read in full. Waiting on does not make them readable. */
export function patienceInDoubt({ listLagMs }: Pick<Settings, "listLagMs">): number {
  return patienceWithUnreadable + listLagMs;
}

interface Search<Item, Found> {
  operation: Operation;
  list: SharedList<Item>;
  /** What is looked for, where this list shows it. */
  find(snapshot: Snapshot<Item>): Found | undefined | Promise<Found | undefined>;
  /** Whether it would be in this list if it were anywhere; where that takes less than that all of it can be read. */
  isConclusive?(snapshot: Snapshot<Item>): boolean;
  /** Why this list says nothing of it for certain, in words, where it is not conclusive and will not become so. */
  unproven?(snapshot: Snapshot<Item>): Error | undefined;
  /** How long it has been absent so far, where others have looked for it already. */
  absence?(): Absence;
  /** What the row says meanwhile. */
  progress(elapsed: number): string;
}

/**
 * Looks for something until it is found, or absent for certain: from every complete list of the whole time that lists may lag.
 * One list proves nothing, nor do two in a row: a list may be stale, or leave something out for a moment.
 */
export async function findOrProveAbsent<Item, Found>(search: Search<Item, Found>): Promise<Found | undefined> {
  const { operation, list, find, progress } = search;
  const { clock, settings } = operation.runtime;
  const own = new AbsenceTracker();
  const startedAt = clock.now();
  return waitUntil<Item, Found | undefined>({
    operation,
    list,
    prompt: true,
    spacing: Math.max(leastSpacing, Math.min(usualSpacing, settings.listLagMs / fewestLooks)),
    judge: async (snapshot) => {
      const found = await find(snapshot);
      if (found !== undefined) return { kind: "done", result: found };
      const isConclusive = search.isConclusive?.(snapshot) ?? snapshot.isComplete;
      if (isConclusive) own.note(clock.now());
      else own.reset();
      if (isConclusive && isProvenAbsence(operation, search.absence?.() ?? own))
        return { kind: "done", result: undefined };
      const [first] = snapshot.unreadable;
      if (!first || isConclusive) return { kind: "pending", status: "not listed" };
      const status = `not listed, and the list cannot be read in full (${first.reason})`;
      // What cannot be read may be the one that is looked for.
      const isOver = clock.now() - startedAt >= patienceInDoubt(settings);
      if (isOver) throw search.unproven?.(snapshot) ?? new WaitTimeoutError(status);
      return { kind: "pending", status };
    },
    progress: (_, elapsed) => progress(elapsed),
  });
}

/** Whether something has been absent for so long that it is not there. */
export function isProvenAbsence({ runtime: { settings } }: Operation, { looks, milliseconds }: Absence): boolean {
  return looks >= fewestLooks && milliseconds >= settings.listLagMs;
}

/** The same for a record by its id. What others of this process have looked for already counts. */
export function findRecordOrProveAbsent(
  operation: Operation,
  list: SharedList<unknown>,
  { id, label }: { id: string; label?: unknown },
): Promise<View | undefined> {
  const { confirmGone } = operation.runtime.settings;
  return findOrProveAbsent({
    operation,
    list,
    find: (snapshot) => snapshot.find(id, label),
    isConclusive: (snapshot) => confirmGone || snapshot.provesAbsence(label),
    unproven: (snapshot) => new UnprovenAbsenceError(snapshot.whyUnproven(label) ?? "not listed"),
    absence: () => list.absenceOf(id, label, { countsAll: confirmGone }),
    progress: notListedFor,
  });
}

/**
 * The same of what was proven to be absent before, and may be listed all the same. No list lags behind it any more: only as many looks are
 * needed, because lists may leave something out for a moment.
 */
export function findAgain(
  operation: Operation,
  list: SharedList<unknown>,
  { id, label }: { id: string; label?: unknown },
): Promise<View | undefined> {
  let looks = 0;
  return waitUntil<unknown, View | undefined>({
    operation,
    list,
    since: 0,
    prompt: true,
    judge: (snapshot) => {
      const found = snapshot.find(id, label);
      looks += 1;
      // Those of others of this process count, too.
      const isAbsent = Math.max(looks, list.absenceOf(id, label, { countsAll: true }).looks) >= fewestLooks;
      if (found || isAbsent) return { kind: "done", result: found };
      return { kind: "pending", status: "not listed", soon: true };
    },
  });
}

class AbsenceTracker implements Absence {
  looks = 0;
  milliseconds = 0;
  private since: number | undefined;

  /** It may have been there. */
  reset(): void {
    this.looks = 0;
    this.since = undefined;
  }

  note(now: number): void {
    this.since ??= now;
    this.looks += 1;
    this.milliseconds = now - this.since;
  }
}

/** `not listed for 40s; lists may lag, so it is looked for again` */
export function notListedFor(elapsed: number): string {
  return `not listed for ${showDuration(elapsed)}; lists may lag, so it is looked for again`;
}

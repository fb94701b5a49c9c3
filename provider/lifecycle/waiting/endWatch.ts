import {
  isLive,
  isOtherTime,
  RefusedError,
  type Runtime,
  readWhereabouts,
  type Settings,
  type Snapshot,
  UnprovenAbsenceError,
  type Values,
  type View,
  whyForeign,
} from "../model";
import { patienceInDoubt } from "./missing";
import type { Verdict } from "./wait";

/** How many lists must lack what is said to be on its way out: one may leave things out for a moment. */
export const looksAtEnd = 2;

/** What became of it: its record, or what lists say without one. */
export type Sighting = "ended" | "absent" | "unreadable" | View;

export interface Watched {
  id: string;
  /** What the state has of it, for a list in which the id was given to another one since. */
  state: Values;
  /** "bare-metal rental" */
  noun: string;
  /** How many lists must lack it. One is enough where the service is asked again then. */
  looks: number;
  /** Whether an end of which nobody can tell whether it has come (`hasUnclearEnd`) is what came of the request. */
  isEnd(view: View): boolean;
  /** How long it may go on as if nothing had been said, by the clock. */
  patientUntil: number;
  runtime: Pick<Runtime, "service"> & { settings: Pick<Settings, "listLagMs" | "confirmGone"> };
}

/** What becomes of one machine that the service was told to end, list by list. */
export class EndWatch {
  /** Its record, as a list last showed it. */
  last: View | undefined;
  /** Whether the latest list shows that it is on its way out. */
  isUnderWay = false;
  private wasUnderWay = false;
  private absences = 0;
  private inDoubtSince: number | undefined;

  constructor(private readonly watched: Watched) {}

  look(snapshot: Snapshot<unknown>, now: number): Verdict<Sighting> {
    const { id, state, looks, patientUntil, runtime } = this.watched;
    const { label } = state;
    this.isUnderWay = false;
    // It may be ended all the same: what cannot be read can still vanish.
    if (snapshot.isUnreadable(id)) {
      const status = "listed with a record that cannot be read";
      return now >= patientUntil ? { kind: "done", result: "unreadable" } : { kind: "pending", status };
    }
    const view = snapshot.find(id, label);
    if (view && isAnothers(this.watched, view)) return { kind: "done", result: "ended" };
    this.last = view ?? this.last;
    if (view?.phase === "ended" || (view?.hasUnclearEnd && this.watched.isEnd(view)))
      return { kind: "done", result: "ended" };
    if (!view) {
      const doubt = runtime.settings.confirmGone ? undefined : snapshot.whyUnproven(label);
      if (doubt !== undefined) return this.waitInDoubt(doubt, now);
      this.inDoubtSince = undefined;
      this.absences += 1;
      if (this.absences >= (this.wasUnderWay ? looksAtEnd : looks)) return { kind: "done", result: "absent" };
      return { kind: "pending", status: "not listed", soon: true };
    }
    this.absences = 0;
    this.inDoubtSince = undefined;
    this.isUnderWay = view.phase === "ending";
    this.wasUnderWay ||= this.isUnderWay;
    // What is on its way out is waited for; what runs on as if nothing had been said is told again.
    if (isLive(view) && now >= patientUntil) return { kind: "done", result: view };
    return { kind: "pending", status: view.status };
  }

  /** What cannot be read may be it, on its way out. */
  private waitInDoubt(status: string, now: number): Verdict<Sighting> {
    this.inDoubtSince ??= now;
    if (now - this.inDoubtSince >= patienceInDoubt(this.watched.runtime.settings))
      throw new UnprovenAbsenceError(status);
    return { kind: "pending", status };
  }
}

/** Whether the service has given its id to somebody else's since, so that it has ended. Where only a label says so, a person decides. */
export function isAnothers({ state, noun, runtime }: Pick<Watched, "state" | "noun" | "runtime">, view: View): boolean {
  const reason = whyForeign(state, runtime.service, noun, view);
  if (reason === undefined) return false;
  const where = readWhereabouts(state);
  if (where && isOtherTime(where, view)) return true;
  throw new RefusedError(reason);
}

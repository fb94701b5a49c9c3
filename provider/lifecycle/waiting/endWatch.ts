import { isLive, type Snapshot, type View } from "../model";
import type { Verdict } from "./wait";

/** How many lists must lack what is said to be on its way out: one may leave things out for a moment. */
export const looksAtEnd = 2;

/** What became of it: its record, or what lists say without one. */
export type Sighting = "ended" | "absent" | "unreadable" | View;

export interface Watched {
  id: string;
  /** Its label, for a list in which the id was given to another one since. */
  label?: unknown;
  /** How many lists must lack it. One is enough where the service is asked again then. */
  looks: number;
  /** How long it may go on as if nothing had been said, by the clock. */
  patientUntil: number;
}

/** What becomes of one machine that the service was told to end, list by list. */
export class EndWatch {
  /** Its record, as a list last showed it. */
  last: View | undefined;
  /** Whether the latest list shows that it is on its way out. */
  isUnderWay = false;
  private wasUnderWay = false;
  private absences = 0;

  constructor(private readonly watched: Watched) {}

  look(snapshot: Snapshot<unknown>, now: number): Verdict<Sighting> {
    const { id, label, looks, patientUntil } = this.watched;
    this.isUnderWay = false;
    // It may be ended all the same: what cannot be read can still vanish.
    if (snapshot.isUnreadable(id)) {
      const status = "listed with a record that cannot be read";
      return now >= patientUntil ? { kind: "done", result: "unreadable" } : { kind: "pending", status };
    }
    const view = snapshot.find(id, label);
    this.last = view ?? this.last;
    if (view?.phase === "ended") return { kind: "done", result: "ended" };
    if (!view) {
      const isConclusive = snapshot.provesAbsence(label);
      if (isConclusive) this.absences += 1;
      if (this.absences >= (this.wasUnderWay ? looksAtEnd : looks)) return { kind: "done", result: "absent" };
      return { kind: "pending", status: "not listed", soon: isConclusive };
    }
    this.absences = 0;
    this.isUnderWay = view.phase === "ending";
    this.wasUnderWay ||= this.isUnderWay;
    // What is on its way out is waited for; what runs on as if nothing had been said is told again.
    if (isLive(view) && now >= patientUntil) return { kind: "done", result: view };
    return { kind: "pending", status: view.status };
  }
}

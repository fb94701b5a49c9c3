import { showDuration } from "../../../provider/shared/duration";
import type { Orphan } from "../../account";
import { ageOf } from "../../money";
import { nounOf } from "../../stack";

/** Whether an orphan is old enough to be deleted: what another run is creating is listed before it is in a state. */
export type Age = { kind: "oldEnough" } | { kind: "young" | "unknown"; reason: string };

export function judgeAge(orphan: Orphan, graceMs: number): Age {
  // The create that made it is over: the state has its twin. One that an interrupted run was creating is for `recover`.
  if (orphan.twinOf !== undefined && !orphan.interrupted) return { kind: "oldEnough" };
  const what = `${nounOf(orphan.type)} ${orphan.id}`;
  const age = ageOf(orphan);
  if (age === null) return { kind: "unknown", reason: `the age of ${what} is unknown` };
  if (age * 1000 >= graceMs) return { kind: "oldEnough" };
  return {
    kind: "young",
    reason: `${what} is only ${showDuration(age * 1000)} old: another run may be creating it (--grace-minutes)`,
  };
}

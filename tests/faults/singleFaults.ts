import { distinctFaultNames, type FaultName } from "./kinds";
import { type PlannedKind, plannedKinds } from "./plan";
import { play, report } from "./play";
import type { Schedule, Step } from "./schedule";

/** Few looks per wait, so that every one of them can be made to fail. */
export const quick = { alone: true, provisionSeconds: 1, endSeconds: 1 };

const up: Step = { do: "up", resource: 0, refresh: false };

/** One program for each kind of resource; an attachment needs something to attach. */
export const programs: PlannedKind[][] = plannedKinds.map((kind) =>
  kind === "attachment" ? ["volume", "bare", kind] : [kind],
);

/** What is done while the fault comes; `up` comes first where there must be something. */
export const operations: Record<string, Step[]> = {
  up: [up],
  refresh: [up, { ...up, do: "refresh" }],
  replace: [up, { ...up, do: "change" }],
  "forced replace": [up, { ...up, do: "force", refresh: true }],
  destroy: [up, { ...up, do: "destroy" }],
};

/** The schedule without any fault, and how many requests its last step makes. */
async function undisturbed(kinds: PlannedKind[], steps: Step[]): Promise<{ schedule: Schedule; requests: number }> {
  const schedule: Schedule = { seed: 1, kinds, steps, faults: [], kills: [] };
  const played = await play(schedule, quick);
  if (played.violations.length > 0)
    throw new Error(`it fails without any fault:\n${report(schedule, played, "--quick ")}`);
  return { schedule, requests: played.session.commands[steps.length - 1]?.requests ?? 0 };
}

export interface Tried {
  cases: number;
  failures: string[];
}

/** One fault of every kind on every request of the operation, each in a run of its own. */
export async function everySingleFault(
  kinds: PlannedKind[],
  operation: string,
  names: readonly FaultName[] = distinctFaultNames,
): Promise<Tried> {
  return everyIndex(kinds, operation, (at, step) =>
    names.map((kind) => ({ faults: [{ step, at, times: 1, kind }], kills: [] })),
  );
}

/** The same with a reply that is lost while the lists lag behind. */
export async function everyLossWithStaleLists(kinds: PlannedKind[], operation: string): Promise<Tried> {
  const losses: FaultName[] = ["reset-before", "reset-after", "502-after", "truncate", "unreachable"];
  return everyIndex(kinds, operation, (at, step) =>
    losses.map((kind) => ({
      faults: [
        { step, at, times: 1, kind },
        { step, at: at + 1, times: 8, kind: "stale-long" },
      ],
      kills: [],
    })),
  );
}

/** A kill of either process at every point of every request. */
export async function everyKill(kinds: PlannedKind[], operation: string): Promise<Tried> {
  const points = (["before", "after", "reply"] as const).flatMap((when) =>
    (["cli", "provider"] as const).map((who) => ({ who, when })),
  );
  return everyIndex(kinds, operation, (at, step) =>
    points.map((point) => ({ faults: [], kills: [{ step, at, ...point }] })),
  );
}

async function everyIndex(
  kinds: PlannedKind[],
  operation: string,
  disturb: (at: number, step: number) => Pick<Schedule, "faults" | "kills">[],
): Promise<Tried> {
  const steps = operations[operation] ?? [];
  const { schedule, requests } = await undisturbed(kinds, steps);
  const tried: Tried = { cases: 0, failures: [] };
  for (let at = 0; at < requests; at += 1) {
    for (const disturbed of disturb(at, steps.length - 1)) {
      const faulty = { ...schedule, ...disturbed };
      const played = await play(faulty, quick);
      tried.cases += 1;
      if (played.violations.length > 0) tried.failures.push(report(faulty, played, "--quick "));
    }
  }
  return tried;
}

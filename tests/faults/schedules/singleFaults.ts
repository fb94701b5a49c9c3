import { type FaultName, faultNames } from "../simulation/faultKinds";
import { type PlannedKind, plannedKinds } from "../simulation/resourceKinds";
import { play, report } from "./play";
import type { Schedule, Step } from "./schedule";
import { emptyTally, note, type Tally } from "./tally";

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

/** Which program (by its place in `programs`) and which operation. */
export interface Target {
  program: number;
  operation: string;
}

type Disturbed = Pick<Schedule, "faults" | "kills">;

/** One fault, one lost reply while lists lag behind, or one kill: on every request of the operation, each in a run of its own. */
export async function playEveryFault({ program, operation }: Target): Promise<Tally> {
  const kinds = programs[program];
  const steps = operations[operation];
  if (!kinds || !steps) throw new Error(`there is no program ${program} or no operation ${operation}`);
  const { schedule, requests } = await undisturbed(kinds, steps);
  const tally = emptyTally();
  for (let at = 0; at < requests; at += 1) {
    for (const disturbed of disturbances(steps.length - 1, at)) {
      const faulty = { ...schedule, ...disturbed };
      const played = await play(faulty, quick);
      note(tally, played.session);
      if (played.violations.length > 0) tally.failures.push(report(faulty, played, "--quick "));
    }
  }
  return tally;
}

/** Everything that can happen at the request `at` of a step. */
function disturbances(step: number, at: number): Disturbed[] {
  return [
    ...faultNames.map((kind): Disturbed => ({ faults: [{ step, at, times: 1, kind }], kills: [] })),
    ...losses.map((kind): Disturbed => ({ faults: [{ step, at, times: 1, kind }, staleAfter(step, at)], kills: [] })),
    ...killPoints.map((point): Disturbed => ({ faults: [], kills: [{ step, at, ...point }] })),
  ];
}

const losses: readonly FaultName[] = ["reset-before", "reset-after", "502-after", "truncate", "unreachable"];

function staleAfter(step: number, at: number): Schedule["faults"][number] {
  return { step, at: at + 1, times: 8, kind: "stale-long" };
}

const killPoints = (["before", "after", "reply"] as const).flatMap((when) =>
  (["cli", "provider"] as const).map((who) => ({ who, when })),
);

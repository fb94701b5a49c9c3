import type { TransportRequest } from "../../../provider/client";
import { type FrontName, frontNames, quick } from "../simulation/circumstances";
import { killed, killMoments } from "../simulation/disturbances";
import { canHit, type FaultName, faultNames } from "../simulation/faultKinds";
import { type ResourceKindName, resourceKindNames, withDependencies } from "../simulation/resourceKinds";
import { describeFailure, play } from "./play";
import type { Schedule, Step } from "./schedule";
import { addSession, emptyTally, type Tally } from "./tally";

const up: Step = { kind: "up", resource: 0, refresh: false };

/** One program for each kind of resource, with what it depends on. */
export const programs: ResourceKindName[][] = resourceKindNames.map((kind) => withDependencies([kind]));

/** What is done while the fault comes: the last step. `up` comes first where there must be something. */
export const operations: Record<string, Step[]> = {
  up: [up],
  refresh: [up, { ...up, kind: "refresh" }],
  replace: [up, { ...up, kind: "replace" }],
  "forced replace": [up, { ...up, kind: "forceReplace", refresh: true }],
  destroy: [up, { ...up, kind: "destroy" }],
};

/** Which front, which program (by its number in `programs`) and which operation. */
export interface Target {
  front: FrontName;
  program: number;
  operation: string;
  /** Plays only one of so many: a sample, spread over everything. All, if left out. */
  every?: number;
}

/** Every front with every program and every operation. */
export const targets: Target[] = frontNames.flatMap((front) =>
  programs.flatMap((_, program) => Object.keys(operations).map((operation) => ({ front, program, operation }))),
);

/** One fault, one lost reply while lists lag behind, or one kill: on every request of the operation, each in a run of its own. */
export async function playSingleFaults({ front, program, operation, every = 1 }: Target): Promise<Tally> {
  const resources = programs[program];
  const steps = operations[operation];
  if (!resources || !steps) throw new Error(`there is no program ${program} or no operation ${operation}`);
  const circumstances = { ...quick, front };
  const undisturbed: Schedule = { seed: 1, resources, circumstances, steps, faults: [], kills: [] };
  const requests = await requestsOf(undisturbed);
  const tally = emptyTally();
  const all = requests.flatMap((request, at) => everythingAt(steps.length - 1, at, request));
  // Another beginning for each target, so that they do not all leave out the same.
  const sample = all.filter((_, index) => (index + program) % every === 0);
  for (const disturbances of sample) {
    const schedule = { ...undisturbed, ...disturbances };
    const played = await play(schedule);
    addSession(tally, played.session);
    if (played.violations.length > 0) tally.failures.push(describeFailure(schedule, played));
  }
  return tally;
}

/** The requests that the last step makes. */
async function requestsOf(schedule: Schedule): Promise<TransportRequest[]> {
  const played = await play(schedule);
  if (played.violations.length > 0)
    throw new Error(`it fails without any fault:\n${describeFailure(schedule, played)}`);
  return played.session.commands[schedule.steps.length - 1]?.requests ?? [];
}

type Disturbances = Pick<Schedule, "faults" | "kills">;

/** Everything that can happen at the request `at` of a step. */
function everythingAt(step: number, at: number, request: TransportRequest): Disturbances[] {
  const kinds = faultNames.filter((kind) => canHit(kind, request));
  return [
    ...kinds.map((kind): Disturbances => ({ faults: [{ step, at, times: 1, kind }], kills: [] })),
    ...losses.map(
      (kind): Disturbances => ({ faults: [{ step, at, times: 1, kind }, staleAfter(step, at)], kills: [] }),
    ),
    ...killPoints.map((point): Disturbances => ({ faults: [], kills: [{ step, at, ...point }] })),
  ];
}

const losses: readonly FaultName[] = ["reset-before", "reset-after", "502-after", "truncate", "unreachable"];

function staleAfter(step: number, at: number): Schedule["faults"][number] {
  return { step, at: at + 1, times: 8, kind: "stale-long" };
}

const killPoints = killMoments.flatMap((when) => killed.map((who) => ({ who, when })));

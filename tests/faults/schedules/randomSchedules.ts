import fc from "fast-check";
import { type DialectName, dialectNames, type VolumeIdForm, volumeIdForms } from "../../../emulator";
import { beginningNames } from "../simulation/beginnings";
import { type Circumstances, circumstanceNames, frontNames } from "../simulation/circumstances";
import { type Fault, killed, killMoments, type Moment } from "../simulation/disturbances";
import { faultNames, faultsFor } from "../simulation/faultKinds";
import { pageForms } from "../simulation/pagedAnswers";
import { type Purpose, purposes } from "../simulation/requests";
import { resourceKindNames, withDependencies } from "../simulation/resourceKinds";
import { describeFailure, howToReplay, play } from "./play";
import type { Schedule } from "./schedule";
import { stepKindNames } from "./stepKinds";
import { addSession, emptyTally, type Tally } from "./tally";

/** Every other step: most that can go wrong needs something to be made. */
const stepsThatMake = ["up", "replace", "forceReplace", "blindUp", "rename"] as const;
const mostSteps = 5;
const mostRequests = 40;

/** Any request; or one of the few that make, attach or end something, by their own count: many commands have one or two of them. */
const anyRequest = fc.record({ at: fc.nat({ max: mostRequests }) });
const ofPurpose = fc.constantFrom(0, 0, 0, 1, 1, 2, 3, 4, 5);

/** What makes, attaches and ends machines is hit more often than what looks at them. */
const weights: Readonly<Record<Purpose, number>> = { description: 1, list: 1, create: 4, attach: 2, end: 2 };

const moments: fc.Arbitrary<Moment> = fc.oneof(
  { weight: 3, arbitrary: anyRequest },
  ...purposes.map((of) => ({
    weight: weights[of],
    arbitrary: fc.record({ of: fc.constant(of), at: ofPurpose }),
  })),
);

/** A fault at a moment at which it can hit. */
const faultsAtMoments: fc.Arbitrary<Pick<Fault, "at" | "of" | "kind">> = fc.oneof(
  merged(anyRequest, fc.record({ kind: fc.constantFrom(...faultNames) })),
  ...purposes.map((of) => ({
    weight: weights[of],
    arbitrary: fc.record({ of: fc.constant(of), at: ofPurpose, kind: fc.constantFrom(...faultsFor(of)) }),
  })),
);

const anySchedules: fc.Arbitrary<Schedule> = fc.record({
  seed: fc.nat({ max: 1_000_000 }),
  resources: fc.array(fc.constantFrom(...resourceKindNames), { minLength: 1, maxLength: 8 }),
  circumstances: fc.record({
    neighbours: fc.boolean(),
    lookalikes: fc.boolean(),
    skewSeconds: fc.constantFrom(0, -130, 130, -28_800, 28_800),
    // The first is what most services are.
    dialect: fc.constantFrom("default" as const, "default" as const, ...dialectNames),
    sparse: fc.boolean(),
    latePrices: fc.constantFrom(false, false, true),
    times: fc.constantFrom("shown" as const, "shown" as const, "shown" as const, "hidden" as const),
    pageSize: fc.constantFrom(undefined, undefined, undefined, 1, 3),
    pageForm: fc.constantFrom(...pageForms),
    front: fc.constantFrom(...frontNames),
    volumeIds: fc.constantFrom("same" as const, ...volumeIdForms),
    instanceNames: fc.constantFrom("none" as const, "none" as const, "separate" as const),
    labels: fc.constantFrom("kept" as const, "kept" as const, "kept" as const, "capitals" as const),
    account: fc.constantFrom("user" as const, "organization" as const),
    // The third is enough for two rentals of 8 GPUs, and not for a volume beside them.
    budget: fc.constantFrom(undefined, undefined, undefined, 45, 39.85, 90),
    // Often nothing has gone wrong before.
    begins: fc.oneof(fc.constantFrom("not up" as const, "up" as const), fc.constantFrom(...beginningNames)),
    continueOnError: fc.constantFrom(false, false, true),
  }),
  steps: fc.array(
    fc.record({
      kind: fc.oneof(fc.constantFrom(...stepKindNames), fc.constantFrom(...stepsThatMake)),
      resource: fc.nat({ max: 7 }),
      refresh: fc.boolean(),
    }),
    { minLength: 1, maxLength: mostSteps },
  ),
  faults: fc.array(
    merged(
      faultsAtMoments,
      fc.record({ step: fc.nat({ max: mostSteps - 1 }), times: fc.constantFrom(1, 1, 1, 2, 4, 12, 40) }),
    ),
    { minLength: 1, maxLength: 12 },
  ),
  kills: fc.array(
    merged(
      moments,
      fc.record({
        step: fc.nat({ max: mostSteps - 1 }),
        who: fc.constantFrom(...killed),
        when: fc.constantFrom(...killMoments),
      }),
    ),
    { maxLength: 2 },
  ),
});

/**
 * In half of the schedules all steps are about one resource: what one step leaves behind, the next one finds. And in half of them the service
 * is odd in two ways at most, and few faults hit: where much goes wrong at once, little comes about that could go wrong later.
 */
const kinds = fc.record({
  isAboutOne: fc.boolean(),
  isCalm: fc.boolean(),
  odd: fc.subarray(circumstanceNames, { maxLength: 2 }),
});
const fewFaults = 2;

/** Nothing lacks what it depends on, what is not up comes up first, and what goes wrong goes wrong in a step that there is. */
export const schedules = fc.tuple(anySchedules, kinds).map(([schedule, { isAboutOne, isCalm, odd }]): Schedule => {
  const { kills } = schedule;
  const faults = schedule.faults.slice(0, isCalm ? fewFaults : undefined);
  const chosen = isCalm ? only([...odd, "front", "begins"], schedule.circumstances) : schedule.circumstances;
  const circumstances = withOneId(chosen);
  const [{ resource } = { resource: 0 }] = schedule.steps;
  const steps = schedule.steps.map((step, index) => ({
    ...step,
    ...(isAboutOne && { resource }),
    ...(index === 0 && circumstances?.begins === "not up" && { kind: "up" as const }),
  }));
  const inStep = <One extends { step: number }>(one: One): One => ({ ...one, step: one.step % steps.length });
  const resources = withDependencies(schedule.resources);
  return { ...schedule, circumstances, resources, steps, faults: faults.map(inStep), kills: kills.map(inStep) };
});

function only(
  names: readonly (keyof Circumstances)[],
  circumstances: Schedule["circumstances"] = {},
): Partial<Circumstances> {
  return Object.fromEntries(Object.entries(circumstances).filter(([name]) => names.some((one) => one === name)));
}

/** Where an id may mean two volumes, and nobody says which one it means, a person is needed. */
function withOneId(circumstances: Schedule["circumstances"] = {}): Partial<Circumstances> {
  const { dialect = "default", volumeIds = "same" } = circumstances;
  const isUnclear = unclearIds[volumeIds].includes(dialect);
  return isUnclear ? { ...circumstances, volumeIds: "same" } : circumstances;
}

const unclearIds: Readonly<Record<VolumeIdForm, readonly DialectName[]>> = {
  same: [],
  separate: ["id-undescribed"],
  crossed: ["id-undescribed", "id-body", "delete"],
};

function merged<One, Other>(one: fc.Arbitrary<One>, other: fc.Arbitrary<Other>): fc.Arbitrary<One & Other> {
  return fc.tuple(one, other).map(([first, second]) => ({ ...first, ...second }));
}

/** The one schedule that belongs to a number. */
export function scheduleOf(number: number): Schedule {
  const [schedule] = fc.sample(schedules, { seed: number, numRuns: 1 });
  if (!schedule) throw new Error(`no schedule for ${number}`);
  return schedule;
}

/** Plays the schedules of these numbers, up to the first that fails. */
export async function playNumberedSchedules(numbers: readonly number[]): Promise<Tally> {
  const tally = emptyTally();
  for (const number of numbers) {
    const schedule = scheduleOf(number);
    const played = await play(schedule);
    addSession(tally, played.session);
    if (played.violations.length === 0) continue;
    tally.failures.push(describeFailure(schedule, played));
    break;
  }
  return tally;
}

/** Plays the schedules of one seed. The first that fails is shrunk, and is the last. */
export async function playRandomSchedules({ seed, count }: { seed: number; count: number }): Promise<Tally> {
  const tally = emptyTally();
  const holds = fc.asyncProperty(schedules, async (schedule) => {
    const played = await play(schedule).catch((error: unknown) => {
      // Not what is played failed, but what plays it.
      throw new Error(`${error instanceof Error ? error.stack : error}\n${howToReplay(schedule)}`);
    });
    if (played.violations.length > 0) throw new Error(describeFailure(schedule, played));
    addSession(tally, played.session);
  });
  // With a planted bug, that it is noticed is all there is to know.
  const endOnFailure = process.env["GPUFLEET_FAULT_SHRINK"] === "no";
  const result = await fc.check(holds, { seed, numRuns: count, endOnFailure });
  // Without what was tried to shrink a failure.
  tally.schedules = result.numRuns;
  if (result.failed) {
    const why = result.errorInstance instanceof Error ? result.errorInstance.message : String(result.errorInstance);
    tally.failures.push(`seed ${seed}, path ${result.counterexamplePath}, shrunk ${result.numShrinks} times:\n${why}`);
  }
  return tally;
}

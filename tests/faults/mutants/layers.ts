import { type FrontName, frontNames } from "../simulation/circumstances";

/** The layers of tests that may notice a bug. Another layer is an entry here. */
export type Layer = ScheduleLayer | TestLayer;

interface AnyLayer {
  /** For `--layers`, and the name in the table. */
  name: string;
  description: string;
  /** Whether it runs unless another choice is made. */
  isDefault: boolean;
  /** Whether it knows nothing of the bugs that it is to notice: no test in it was written for one of them. */
  isBlind: boolean;
}

/** Random schedules that come by where the bug is planted (reach.ts). They are played for every bug, so that the table has both fronts. */
export interface ScheduleLayer extends AnyLayer {
  kind: "schedules";
  front: FrontName;
}

/** Tests for jest, which run as long as nothing has noticed the bug. */
export interface TestLayer extends AnyLayer {
  kind: "tests";
  /** What jest is to run. */
  tests: readonly string[];
  /** Whether the tests that came with a bug, and then those of the room that it is in, are run before the others: they are the likeliest to notice it. */
  nearestFirst?: boolean;
  env?: Readonly<Record<string, string>>;
  /** Whether it uses dist/. */
  needsBuild: boolean;
}

/** First those that know of no bug: what they notice by themselves is what the harness is worth. */
export const layers: readonly Layer[] = [
  ...frontNames.map(
    (front): ScheduleLayer => ({
      kind: "schedules",
      name: front,
      description: `random schedules on ${front === "dynamic" ? "dynamic resources" : "the plugin"}`,
      isDefault: true,
      isBlind: true,
      front,
    }),
  ),
  {
    kind: "tests",
    name: "single-faults",
    description: "every fault and kill on every request",
    tests: ["tests/faults/schedules/singleFaults"],
    env: { GPUFLEET_FAULT_EVERY: "151" },
    needsBuild: false,
    isDefault: true,
    isBlind: true,
  },
  {
    kind: "tests",
    name: "engine",
    description: "schedules on the real engine (minutes for each bug)",
    tests: ["tests/engine/faults.test.ts"],
    env: { GPUFLEET_ENGINE_FAULT_RUNS: "5" },
    needsBuild: true,
    isDefault: false,
    isBlind: true,
  },
  {
    kind: "tests",
    name: "unit",
    description: "the tests of client, lifecycle, resources, fronts, SDK and command",
    tests: ["client", "lifecycle", "resources", "fronts", "sdk", "cli"].map((folder) => `tests/${folder}/`),
    nearestFirst: true,
    needsBuild: true,
    isDefault: true,
    isBlind: false,
  },
  {
    kind: "tests",
    name: "numbered",
    description: "each numbered fault",
    tests: ["tests/faults/numbered/"],
    needsBuild: false,
    isDefault: true,
    isBlind: false,
  },
];

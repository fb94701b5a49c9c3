import type { FrontName } from "../simulation/circumstances";

/** The layers of tests that may notice a bug. Another layer is an entry here. */
export interface Layer {
  /** For `--layers`, and the name in the table. */
  name: string;
  description: string;
  /** What jest is to run. */
  tests: readonly string[];
  /** Whether the tests that came with a bug, and then those of the room that it is in, are run before the others: they are the likeliest to notice it. */
  nearestFirst?: boolean;
  env?: Readonly<Record<string, string>>;
  /** Whether it uses dist/. */
  needsBuild: boolean;
  /** Whether it runs unless another choice is made. */
  isDefault: boolean;
  /** Which front it plays, where that is one: such layers are run for every bug, so that the table has both fronts. */
  front?: FrontName;
  /** Whether it knows nothing of the bugs that it is to notice: no test in it was written for one of them. */
  isBlind: boolean;
}

/** First those that know of no bug: what they notice by themselves is what the harness is worth. */
export const layers: readonly Layer[] = [
  randomSchedules("dynamic", "random schedules on dynamic resources"),
  randomSchedules("plugin", "random schedules on the plugin"),
  {
    name: "single-faults",
    description: "every fault and kill on every request",
    tests: ["tests/faults/schedules/singleFaults"],
    env: { GPUFLEET_FAULT_EVERY: "53" },
    needsBuild: false,
    isDefault: true,
    isBlind: true,
  },
  {
    name: "engine",
    description: "schedules on the real engine (minutes for each bug)",
    tests: ["tests/engine/faults.test.ts"],
    env: { GPUFLEET_ENGINE_FAULT_RUNS: "5" },
    needsBuild: true,
    isDefault: false,
    isBlind: true,
  },
  {
    name: "unit",
    description: "the tests of client, lifecycle, resources, fronts, SDK and command",
    tests: ["client", "lifecycle", "resources", "fronts", "sdk", "cli"].map((folder) => `tests/${folder}/`),
    nearestFirst: true,
    needsBuild: true,
    isDefault: true,
    isBlind: false,
  },
  {
    name: "numbered",
    description: "each numbered fault",
    tests: ["tests/faults/numbered/"],
    needsBuild: false,
    isDefault: true,
    isBlind: false,
  },
];

/** Those that come by where the bug is planted, if any do (reach.ts). */
function randomSchedules(front: FrontName, description: string): Layer {
  return {
    name: front,
    description,
    tests: ["tests/faults/schedules/randomSchedules"],
    env: { GPUFLEET_FAULT_FRONT: front },
    needsBuild: false,
    isDefault: true,
    front,
    isBlind: true,
  };
}

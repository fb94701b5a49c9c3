/** The layers of tests that may notice a bug, quickest first. Another layer is an entry here. */
export interface Layer {
  /** For `--layers`, and the head of its column. */
  name: string;
  description: string;
  /** What jest is to run. */
  tests: readonly string[];
  env?: Readonly<Record<string, string>>;
  /** Whether it uses dist/. */
  needsBuild: boolean;
  /** Whether it runs unless another choice is made. */
  isDefault: boolean;
}

export const unit = "unit";

export const layers: readonly Layer[] = [
  {
    name: unit,
    description: "the tests of client, lifecycle, resources, provider, SDK and command",
    tests: ["client", "lifecycle", "resources", "provider", "sdk", "cli"].map((folder) => `tests/${folder}/`),
    needsBuild: true,
    isDefault: true,
  },
  {
    name: "numbered",
    description: "each numbered fault",
    tests: ["tests/faults/numbered/"],
    needsBuild: false,
    isDefault: true,
  },
  {
    name: "schedules",
    description: "random schedules on the handlers",
    tests: ["tests/faults/schedules/randomSchedules"],
    needsBuild: false,
    isDefault: true,
  },
  {
    name: "single-faults",
    description: "every fault and kill on every request",
    tests: ["tests/faults/schedules/singleFaults"],
    needsBuild: false,
    isDefault: true,
  },
  {
    name: "engine",
    description: "schedules on the real engine (minutes for each bug)",
    tests: ["tests/engine/faults.test.ts"],
    env: { GPUFLEET_ENGINE_FAULT_RUNS: "5" },
    needsBuild: true,
    isDefault: false,
  },
];

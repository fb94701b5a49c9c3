import fc from "fast-check";
import type { FaultSpec } from "../../../emulator";
import { paths } from "../../lifecycle/rig";
import { type FrontName, frontNames } from "../simulation/circumstances";

/** What a program may declare: its path, and its declaration, which changes with the generation so that it must be replaced. */
const resourceKinds = {
  bareMetal: {
    path: paths.bareMetal,
    declare: (generation: number) =>
      `new BareMetalRental("bareMetal", { networkType: "infiniband", gpuCount: ${8 + 8 * generation} });`,
  },
  vm: {
    path: paths.vm,
    declare: (generation: number) => `new VmRental("vm", { gpuCount: ${1 + generation} });`,
  },
  volume: {
    path: paths.volumes,
    declare: (generation: number) =>
      `new StorageVolume("volume", { region: "us-central-1", sizeInGb: ${256 + 256 * generation} });`,
  },
};
type ResourceKind = keyof typeof resourceKinds;

type Match = FaultSpec["match"];

/** Another kind of fault is an entry here. */
const faultKinds = {
  "reset-before": (match: Match): FaultSpec => ({ match, kind: "reset-before" }),
  "reset-after": (match: Match): FaultSpec => ({ match, kind: "reset-after" }),
  truncate: (match: Match): FaultSpec => ({ match, kind: "truncate" }),
  garbage: (match: Match): FaultSpec => ({ match, kind: "garbage" }),
  "status-500": (match: Match): FaultSpec => ({ match, kind: "status", status: 500 }),
  "status-429": (match: Match): FaultSpec => ({ match, kind: "status", status: 429, headers: { "retry-after": "1" } }),
  "stale-list": ({ path }: Match): FaultSpec => ({
    match: { method: "GET", path },
    times: 2,
    kind: "stale-list",
    seconds: 1,
  }),
};

/** How the update ends. */
export const ends = ["none", "kill-cli", "kill-provider", "interrupt-twice", "interrupt", "terminate"] as const;
export const points = ["before the effect", "after the effect", "while waiting"] as const;

/** An update on the real engine that is disturbed or killed at a chosen point, as data. */
export interface EngineSchedule {
  front: FrontName;
  resources: ResourceKind[];
  /** How the update ends, and at what point of the create of the first resource. */
  end: (typeof ends)[number];
  point: (typeof points)[number];
  /** Whether all of that happens inside a replacement. */
  replacing: boolean;
  /** A fault on the create, or on a list, of one of the resources. */
  fault: { on: "create" | "list"; resource: number; kind: keyof typeof faultKinds } | null;
}

export const engineSchedules: fc.Arbitrary<EngineSchedule> = fc.record({
  front: fc.constantFrom(...frontNames),
  resources: fc.uniqueArray(fc.constantFrom(...namesOf(resourceKinds)), { minLength: 1, maxLength: 3 }),
  end: fc.constantFrom(...ends),
  point: fc.constantFrom(...points),
  replacing: fc.boolean(),
  fault: fc.option(
    fc.record({
      on: fc.constantFrom("create" as const, "list" as const),
      resource: fc.nat({ max: 2 }),
      kind: fc.constantFrom(...namesOf(faultKinds)),
    }),
  ),
});

function namesOf<Table extends object>(table: Table): (keyof Table & string)[] {
  return Object.keys(table).filter((name): name is keyof Table & string => name in table);
}

/** The path of the resource at whose create the update ends. */
export function firstPath({ resources: [first = "bareMetal"] }: EngineSchedule): string {
  return resourceKinds[first].path;
}

const modules: Record<FrontName, string> = { dynamic: "pulumi-gpufleet", plugin: "pulumi-gpufleet/native" };

export function programOf({ front, resources }: EngineSchedule, generation: number): string {
  const declarations = resources.map((kind) => resourceKinds[kind].declare(generation));
  return `const { BareMetalRental, VmRental, StorageVolume } = require("${modules[front]}");\n${declarations.join("\n")}`;
}

export function faultsOf({ fault, resources, end }: EngineSchedule): FaultSpec[] {
  // After a kill, what is promised is promised for lists that are current.
  if (!fault || (fault.kind === "stale-list" && end !== "none")) return [];
  const { path } = resourceKinds[resources[fault.resource % resources.length] ?? "bareMetal"];
  return [faultKinds[fault.kind]({ method: fault.on === "create" ? "POST" : "GET", path })];
}

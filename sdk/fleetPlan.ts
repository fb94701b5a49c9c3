import { nearest } from "../provider/lifecycle/spelling";
import { gpusPerNode, gpuTypes, volumeSizes } from "../provider/service/offer";
import { regions as serviceRegions } from "../provider/service/region";
import type { BareMetalFleetArgs, FleetArgs, GpuFleetArgs, VmFleetArgs } from "./gpuFleetArgs";

/**
 * What a fleet comes to, and what is wrong with it, found out before anything is registered. Only what the program wrote
 * down as a plain value is judged here; the rest is judged by each member's own check.
 */

export interface PlannedMember<Region extends string> {
  name: string;
  region: Region;
}

/** Member i stands in `regions[i % n]`, whatever the count: so growing or shrinking never moves the others. */
export function planMembers<Region extends string>(
  fleet: string,
  { count, regions }: { count: number; regions: readonly Region[] },
): PlannedMember<Region>[] {
  return Array.from({ length: count }, (_, index) => index).flatMap((index) => {
    const region = regions[index % regions.length];
    return region === undefined ? [] : { name: `${fleet}-${index}`, region };
  });
}

type Given = Record<string, unknown>;

const ofEveryFleet = {
  kind: true,
  count: true,
  regions: true,
  fallbackRegions: true,
  maxCostPerHour: true,
  waitForReady: true,
  waitForSsh: true,
} satisfies Record<keyof FleetArgs<string> | "kind", true>;

const ofEveryRental = {
  gpuCount: true,
  gpuType: true,
  networkType: true,
  termType: true,
  termPeriodDays: true,
  discountPercentage: true,
  monitoringEnabled: true,
  convertToOnDemandOnExpiry: true,
  timeouts: true,
  expiresAt: true,
} as const;

const argumentsOf: Record<GpuFleetArgs["kind"], readonly string[]> = {
  "bare-metal": Object.keys({
    ...ofEveryFleet,
    ...ofEveryRental,
    cudaVersion: true,
    storageVolume: true,
    keepVolume: true,
    sharedVolume: true,
  } satisfies Record<keyof BareMetalFleetArgs, true>),
  vm: Object.keys({ ...ofEveryFleet, ...ofEveryRental, customPorts: true } satisfies Record<keyof VmFleetArgs, true>),
};

const regionsOf: Record<GpuFleetArgs["kind"], readonly string[]> = {
  "bare-metal": serviceRegions.bareMetal,
  vm: serviceRegions.virtualMachine,
};

/** Arguments of a rental that make no sense for many of them. */
const notForFleets: Readonly<Record<string, string>> = {
  label: "label cannot be given: every member gets a label of its own",
  adoptId: "adoptId cannot be given: it names one machine, which a rental outside the fleet can adopt",
  region: 'region cannot be given: a fleet has regions, such as regions: ["us-central-1"]',
};

/** What is wrong with the fleet, in words. Empty when nothing is. */
export function problemsOf(args: object): string[] {
  const given: Given = { ...args };
  const { kind } = given;
  if (kind !== "bare-metal" && kind !== "vm") {
    return [`kind must be "bare-metal" or "vm", not ${show(kind)}`];
  }
  return [
    ...unheardOf(kind, given),
    ...countProblems(given),
    ...regionProblems(kind, given),
    ...gpuProblems(kind, given),
    ...volumeProblems(kind, given),
    ...limitProblems(given),
    ...waitProblems(given),
  ];
}

function unheardOf(kind: GpuFleetArgs["kind"], given: Given): string[] {
  const known = argumentsOf[kind];
  const unknown = Object.keys(given).filter((key) => given[key] !== undefined && !known.includes(key));
  return unknown.map((key) => {
    if (key === "sharedVolume") return "sharedVolume needs kind bare-metal: a volume cannot be attached to a VM";
    const guess = nearest(key, known);
    return notForFleets[key] ?? `${key} is no argument of a ${kind} fleet${guess ? `. Did you mean ${guess}?` : ""}`;
  });
}

function countProblems({ count }: Given): string[] {
  if (typeof count === "number" && Number.isInteger(count) && count >= 1) return [];
  const advice = count === 0 ? ". To end a fleet, take it out of the program" : "";
  return [`count must be a whole number from 1 up, not ${show(count)}${advice}`];
}

function regionProblems(kind: GpuFleetArgs["kind"], { regions, fallbackRegions = [] }: Given): string[] {
  if (!Array.isArray(regions) || regions.length === 0) {
    return [`regions must name at least one region, such as ["us-central-1"], not ${show(regions)}`];
  }
  if (!Array.isArray(fallbackRegions))
    return [`fallbackRegions must be a list of regions, not ${show(fallbackRegions)}`];
  return [
    ...listProblems("regions", regions, regionsOf[kind]),
    ...listProblems("fallbackRegions", fallbackRegions, regionsOf[kind]),
  ];
}

function listProblems(property: string, given: readonly unknown[], known: readonly string[]): string[] {
  const unknown = given.filter((region) => typeof region !== "string" || !known.includes(region));
  const twice = given.filter((region, index) => given.indexOf(region) !== index);
  return [
    ...unknown.map((region) => {
      const guess = typeof region === "string" ? nearest(region, known) : undefined;
      const advice = guess ? `Did you mean ${guess}?` : `There is ${known.join(", ")}`;
      return `${property} has ${show(region)}, which is no region for this kind. ${advice}`;
    }),
    ...twice.map((region) => `${property} has ${show(region)} twice`),
  ];
}

function gpuProblems(kind: GpuFleetArgs["kind"], { gpuCount, gpuType, networkType }: Given): string[] {
  const problems: string[] = [];
  const nodes = kind === "bare-metal" ? gpusPerNode : 1;
  if (isPlain(gpuCount) && !(typeof gpuCount === "number" && gpuCount >= 1 && Number.isInteger(gpuCount / nodes))) {
    const rule =
      nodes > 1 ? `a multiple of ${nodes}, because bare metal comes in whole nodes` : "a whole number from 1 up";
    problems.push(`gpuCount must be ${rule}, not ${show(gpuCount)}`);
  }
  if (gpuType !== undefined && isPlain(gpuType) && !gpuTypes.some((known) => known === gpuType)) {
    problems.push(`gpuType must be one of ${gpuTypes.join(", ")}, not ${show(gpuType)}`);
  }
  if (kind === "bare-metal" && networkType === undefined) {
    problems.push("networkType is missing: bare metal needs infiniband or ethernet");
  }
  return problems;
}

function volumeProblems(kind: GpuFleetArgs["kind"], given: Given): string[] {
  const { sharedVolume, regions, fallbackRegions } = given;
  if (kind === "vm" || sharedVolume === undefined) return [];
  if (typeof sharedVolume !== "object" || sharedVolume === null) {
    return [`sharedVolume must be an object such as {sizeInGb: 1024}, not ${show(sharedVolume)}`];
  }
  const problems: string[] = [];
  const { sizeInGb }: Given = { sizeInGb: undefined, ...sharedVolume };
  const { least, most, step } = volumeSizes;
  const isSize = typeof sizeInGb === "number" && sizeInGb >= least && sizeInGb <= most && sizeInGb % step === 0;
  if (isPlain(sizeInGb) && !isSize) {
    problems.push(
      `sharedVolume.sizeInGb must be a multiple of ${step} from ${least} to ${most}, not ${show(sizeInGb)}`,
    );
  }
  if (Array.isArray(regions) && regions.length > 1) {
    problems.push(
      `sharedVolume needs all members in one region, because a volume can be used only where it is: ${regions.join(", ")} are ${regions.length}. Make a fleet per region, each with its own volume`,
    );
  }
  if (Array.isArray(fallbackRegions) && fallbackRegions.length > 0) {
    problems.push(
      "sharedVolume and fallbackRegions contradict each other: a member elsewhere could not use the volume",
    );
  }
  return problems;
}

function limitProblems({ maxCostPerHour }: Given): string[] {
  if (maxCostPerHour === undefined || !isPlain(maxCostPerHour)) return [];
  if (typeof maxCostPerHour === "number" && maxCostPerHour > 0) return [];
  return [`maxCostPerHour must be more than 0, not ${show(maxCostPerHour)}`];
}

function waitProblems({ waitForReady, waitForSsh }: Given): string[] {
  if (waitForReady !== false || waitForSsh !== true) return [];
  return ["waitForSsh and waitForReady: false contradict each other: ssh answers only on a machine that is ready"];
}

/** Whether the program wrote the value down itself. An output or a promise is not known yet. */
function isPlain(value: unknown): boolean {
  return typeof value !== "object" || value === null;
}

function show(value: unknown): string {
  return value === undefined ? "nothing" : (JSON.stringify(value) ?? String(value));
}

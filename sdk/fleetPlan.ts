import { fleetNames } from "../provider/shared/fleetNames";
import { gpusPerNode, gpuTypes, volumeSizes } from "../provider/shared/offer";
import { offered, regions as serviceRegions } from "../provider/shared/region";
import { nearest, nearestValue } from "../provider/shared/spelling";
import type { BareMetalFleetArgs, FleetArgs, GpuFleetArgs, VmFleetArgs } from "./gpuFleetArgs";

/**
 * The members of a fleet, and what is wrong with its arguments, known before anything is registered. Only plain values are
 * validated here; outputs are validated by the check of each member.
 */

export interface PlannedMember<Region extends string> {
  name: string;
  region: Region;
}

/**
 * A new member i is in `regions[i % n]`, whatever the count, so growing or shrinking never moves the others. Nor does another
 * order or a further region: the provider leaves a member where it is as long as its region is one of them.
 */
export function planMembers<Region extends string>(
  fleet: string,
  { count, regions }: { count: number; regions: readonly Region[] },
): PlannedMember<Region>[] {
  return Array.from({ length: count }, (_, index) => index).flatMap((index) => {
    const region = regions[index % regions.length];
    return region === undefined ? [] : { name: fleetNames.member(fleet, index), region };
  });
}

type Kind = GpuFleetArgs["kind"];
type Args = Record<string, unknown>;

const fleetArguments = {
  kind: true,
  count: true,
  minCount: true,
  regions: true,
  fallbackRegions: true,
  maxCostPerHour: true,
  replacement: true,
  waitForReady: true,
  waitForSsh: true,
  waitForGpus: true,
} satisfies Record<keyof FleetArgs<string> | "kind", true>;

const rentalArguments = {
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

const argumentsOf: Record<Kind, readonly string[]> = {
  "bare-metal": Object.keys({
    ...fleetArguments,
    ...rentalArguments,
    cudaVersion: true,
    storageVolume: true,
    keepVolume: true,
    sharedVolume: true,
  } satisfies Record<keyof BareMetalFleetArgs, true>),
  vm: Object.keys({
    ...fleetArguments,
    ...rentalArguments,
    customPorts: true,
  } satisfies Record<keyof VmFleetArgs, true>),
};

const regionsOf: Record<Kind, readonly string[]> = {
  "bare-metal": serviceRegions.bareMetal,
  vm: serviceRegions.virtualMachine,
};

/** Arguments of a rental that a fleet does not take. */
const unsupported: Readonly<Record<string, string>> = {
  label: "label cannot be set: each member gets its own label",
  adoptId: "adoptId cannot be set: it names one machine. Adopt it with a rental outside the fleet",
  region: 'region cannot be set: a fleet takes regions, such as ["us-central-1"]',
};

/** What is wrong with the arguments of a fleet; empty if nothing is. */
export function validateFleetArgs(fleetArgs: object): string[] {
  const args: Args = { ...fleetArgs };
  const { kind } = args;
  if (kind !== "bare-metal" && kind !== "vm") {
    return [invalid("kind", '"bare-metal" or "vm"', kind) + didYouMean(["bare-metal", "vm"], kind)];
  }
  return [
    ...unknownArguments(kind, args),
    ...countProblems(args),
    ...regionProblems(kind, args),
    ...gpuProblems(kind, args),
    ...volumeProblems(kind, args),
    ...limitProblems(args),
    ...replacementProblems(args),
    ...waitProblems(args),
  ];
}

/** Several problems one after the other; some end with a question. */
export function inOneSentence(problems: readonly string[]): string {
  return `${problems.join("; ")}.`.replaceAll("?; ", "? ").replace(/\?\.$/, "?");
}

const positiveInteger = "a whole number, 1 or more";

function isPositiveInteger(value: unknown): value is number {
  return typeof value === "number" && Number.isInteger(value) && value >= 1;
}

/** `count is required (…)`, or `count must be …, not 0`. */
function invalid(property: string, rule: string, value: unknown): string {
  if (value === undefined) return `${property} is required (${rule})`;
  return `${property} must be ${rule}, not ${format(value)}`;
}

/** The same where the values can be listed: with the one that was probably meant. */
function invalidChoice(property: string, allowed: readonly string[], value: unknown): string {
  return invalid(property, `one of ${allowed.join(", ")}`, value) + didYouMean(allowed, value);
}

function didYouMean(allowed: readonly string[], value: unknown): string {
  const guess = typeof value === "string" ? nearestValue(value, allowed) : undefined;
  return guess ? `. Did you mean ${guess}?` : "";
}

function unknownArguments(kind: Kind, args: Args): string[] {
  const known = argumentsOf[kind];
  const unknown = Object.keys(args).filter((key) => args[key] !== undefined && !known.includes(key));
  return unknown.map((key) => {
    if (key === "sharedVolume") return 'sharedVolume requires kind "bare-metal": a volume cannot be attached to a VM';
    const guess = nearest(key, known);
    return unsupported[key] ?? `${key} is not an argument of a ${kind} fleet${guess ? `. Did you mean ${guess}?` : ""}`;
  });
}

function countProblems({ count, minCount }: Args): string[] {
  if (isAwaited(count)) {
    return [
      'count must be a plain number, not an Output or a Promise: which resources there are must be known before any of them is created. Take it from the configuration, such as new pulumi.Config().requireNumber("count"), or await the value',
    ];
  }
  if (count !== 0 && !isPositiveInteger(count)) return [invalid("count", "a whole number, 0 or more", count)];
  if (minCount === undefined || (isPositiveInteger(minCount) && minCount <= Math.max(count, 1))) return [];
  return [invalid("minCount", `a whole number from 1 to count, which is ${count}`, minCount)];
}

function regionProblems(kind: Kind, { regions, fallbackRegions = [] }: Args): string[] {
  if (!Array.isArray(regions) || regions.length === 0) {
    return [invalid("regions", 'a list of at least one region, such as ["us-central-1"]', regions)];
  }
  if (!Array.isArray(fallbackRegions)) return [invalid("fallbackRegions", "a list of regions", fallbackRegions)];
  return [
    ...regionListProblems("regions", regions, kind),
    ...regionListProblems("fallbackRegions", fallbackRegions, kind),
  ];
}

function regionListProblems(property: string, listed: readonly unknown[], kind: Kind): string[] {
  const known = regionsOf[kind];
  const unknown = listed.filter((region) => typeof region !== "string" || !known.includes(region));
  const repeated = listed.filter((region, index) => listed.indexOf(region) !== index);
  return [
    ...unknown.map((region) => {
      const guess = typeof region === "string" ? nearestValue(region, offered(known)) : undefined;
      const advice = guess ? `Did you mean ${guess}?` : `Available: ${offered(known).join(", ")}`;
      return `${property}: ${format(region)} is not a region for ${kind}. ${advice}`;
    }),
    ...repeated.map((region) => `${property} lists ${format(region)} twice`),
  ];
}

function gpuProblems(kind: Kind, { gpuCount, gpuType, networkType }: Args): string[] {
  const problems: string[] = [];
  const step = kind === "bare-metal" ? gpusPerNode : 1;
  if (isPlain(gpuCount) && !(typeof gpuCount === "number" && gpuCount >= 1 && Number.isInteger(gpuCount / step))) {
    const rule = step > 1 ? `a multiple of ${step}, because bare metal comes in whole nodes` : positiveInteger;
    problems.push(invalid("gpuCount", rule, gpuCount));
  }
  if (gpuType !== undefined && isPlain(gpuType) && !gpuTypes.some((known) => known === gpuType)) {
    problems.push(invalidChoice("gpuType", gpuTypes, gpuType));
  }
  if (kind === "bare-metal" && networkType === undefined) {
    problems.push(invalid("networkType", '"infiniband" or "ethernet"', networkType));
  }
  return problems;
}

function volumeProblems(kind: Kind, { sharedVolume, regions, fallbackRegions }: Args): string[] {
  if (kind === "vm" || sharedVolume === undefined) return [];
  if (typeof sharedVolume !== "object" || sharedVolume === null || isAwaited(sharedVolume)) {
    return [
      invalid("sharedVolume", "an object such as {sizeInGb: 1024} or {id: volume.storageVolumeId}", sharedVolume),
    ];
  }
  const problems = "id" in sharedVolume ? existingVolumeProblems({ ...sharedVolume }) : newVolumeProblems(sharedVolume);
  if (Array.isArray(regions) && regions.length > 1) {
    problems.push(
      `sharedVolume requires all members in one region, because a volume can be used only in its own region; regions lists ${regions.join(", ")}. Create one fleet per region, each with its own volume`,
    );
  }
  if (Array.isArray(fallbackRegions) && fallbackRegions.length > 0) {
    problems.push(
      "sharedVolume and fallbackRegions cannot be combined: a member in another region could not use the volume",
    );
  }
  return problems;
}

function newVolumeProblems(volume: object): string[] {
  const { sizeInGb, protect, ...others }: Args = { sizeInGb: undefined, protect: undefined, ...volume };
  const { least, most, step } = volumeSizes;
  const isSize = typeof sizeInGb === "number" && sizeInGb >= least && sizeInGb <= most && sizeInGb % step === 0;
  return [
    ...(isPlain(sizeInGb) && !isSize
      ? [invalid("sharedVolume.sizeInGb", `a multiple of ${step} from ${least} to ${most}`, sizeInGb)]
      : []),
    ...(protect === undefined || typeof protect === "boolean"
      ? []
      : [invalid("sharedVolume.protect", "true or false", protect)]),
    ...Object.keys(others).map((key) => `sharedVolume.${key} does not exist: it takes sizeInGb and protect, or id`),
  ];
}

function existingVolumeProblems({ id, ...others }: Args): string[] {
  return [
    ...(isPlain(id) && !isPositiveInteger(id) ? [invalid("sharedVolume.id", "the id of a volume", id)] : []),
    ...Object.keys(others).map(
      (key) => `sharedVolume.${key} cannot be combined with sharedVolume.id: a volume that exists is used as it is`,
    ),
  ];
}

function replacementProblems({ replacement }: Args): string[] {
  if (replacement === undefined || replacement === "create-first" || replacement === "delete-first") return [];
  const { batch }: Args = { batch: undefined, ...(typeof replacement === "object" ? replacement : {}) };
  if (isPositiveInteger(batch)) return [];
  return [invalid("replacement", '"create-first", "delete-first" or an object such as {batch: 2}', replacement)];
}

function limitProblems({ maxCostPerHour }: Args): string[] {
  if (maxCostPerHour === undefined || !isPlain(maxCostPerHour)) return [];
  if (typeof maxCostPerHour === "number" && maxCostPerHour > 0) return [];
  return [invalid("maxCostPerHour", "a number greater than 0", maxCostPerHour)];
}

function waitProblems({ waitForReady, waitForSsh, waitForGpus }: Args): string[] {
  if (waitForReady !== false) return [];
  return [
    ...(waitForSsh === true
      ? ["waitForSsh: true requires waitForReady: true, because ssh answers only on a machine that is ready"]
      : []),
    ...(waitForGpus === true
      ? ["waitForGpus: true requires waitForReady: true, because GPUs answer only on a machine that is ready"]
      : []),
  ];
}

/** Whether the value is known only later. */
function isAwaited(value: unknown): boolean {
  return typeof value === "object" && value !== null && ("apply" in value || "then" in value);
}

/** Whether the program wrote the value itself. An output or a promise is not known yet. */
function isPlain(value: unknown): boolean {
  return typeof value !== "object" || value === null;
}

function format(value: unknown): string {
  if (isAwaited(value)) return "an Output or a Promise";
  return JSON.stringify(value) ?? String(value);
}

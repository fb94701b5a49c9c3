import { fleetNames } from "../../../provider/shared/fleetNames";
import type { Declared, Program } from "../../lifecycle/fakeEngine";

/** What a declaration may depend on. */
export interface Declaration {
  name: string;
  /** What its labels are called after. */
  stem: string;
  /** How often the inputs have changed so far; each change demands a replacement. */
  generation: number;
  /** An input that changes in place. */
  flag: boolean;
  /** The machine to adopt: one that was rented by hand, or the resource's own under its former name. */
  adoptId?: string | undefined;
  /** The machine of the marketplace that instances are rented on; large enough for all of them. */
  machine: MarketplaceMachine;
  /** The name of the first resource of the program that is of one of these kinds. */
  first(...kinds: string[]): string | undefined;
  /** The same of the last. */
  last(...kinds: string[]): string | undefined;
}

export interface MarketplaceMachine {
  clusterName: string;
  nodeName: string;
}

/** What a program of a schedule may declare. */
export interface ResourceKind {
  /** By name; nothing where what it depends on is not in the program. */
  declare(declaration: Declaration): Program;
  /** Whether its label proves whose it is. Without that proof the promise after a kill is weaker: docs/internals/design.md. */
  provable: boolean;
  /** What a program must declare besides; it is declared first. */
  dependsOn?: readonly string[];
  /** Whether it adopts a machine that was rented by hand. */
  adopts?: boolean;
  /** Whether the flag is an expiry. */
  expires?: boolean;
}

/** Short enough that a call that exceeds it shows. */
export const timeoutSeconds = 600;
const timeouts = { create: timeoutSeconds, delete: timeoutSeconds };
const region = "us-central-1";
export const expirySeconds = 8 * 3600;
/** Other volumes are as large as those that are made with a rental, and may be attached to it as well. */
const inlineGb = 512;
const withInline = ["bareMetal", "chosenLabel", "inlineVolume"];
/** Nothing of the account costs as much, and nothing as little. */
export const limits = { generous: 1000, tight: 1 };

/** Another kind of resource is an entry here; random schedules and single faults then play it. */
export const resourceKinds = {
  bareMetal: {
    provable: true,
    expires: true,
    declare: ({ generation, ...rest }) => bareMetal(rest, { networkType: "infiniband", gpuCount: nodes(generation) }),
  },
  vm: {
    provable: true,
    expires: true,
    declare: ({ name, generation, flag, adoptId }) => ({
      [name]: { type: "VmRental", inputs: { gpuCount: 1 + (generation % 2), ...expiry(flag), adoptId, timeouts } },
    }),
  },
  volume: {
    provable: true,
    declare: ({ name, generation }) => ({
      [name]: { type: "StorageVolume", inputs: { region, sizeInGb: inlineGb + 256 * (generation % 2), timeouts } },
    }),
  },
  /** The flag is `keepVolume`. */
  inlineVolume: {
    provable: true,
    declare: ({ generation, flag, ...rest }) =>
      bareMetal(
        { ...rest, flag: false },
        {
          networkType: "ethernet",
          gpuCount: nodes(generation),
          storageVolume: { isNew: true, label: inlineLabelOf(rest.stem), sizeInGb: inlineGb },
          keepVolume: flag,
        },
      ),
  },
  /** The flag moves it to another rental, where there is one. */
  attachment: {
    provable: true,
    dependsOn: ["volume", "bareMetal"],
    declare: ({ name, first, last, flag }) =>
      attachment(name, first("volume"), flag ? last(...withInline) : first("bareMetal", "chosenLabel")),
  },
  /** The rentals stand in the volume itself. */
  attachedVolume: {
    provable: true,
    dependsOn: ["bareMetal"],
    declare: ({ name, first, flag }) => attachedVolume(name, flag ? undefined : first("bareMetal", "chosenLabel")),
  },
  /** Rented with the volume of another resource. */
  namedVolume: {
    provable: true,
    dependsOn: ["volume"],
    declare: ({ name, generation, first }) => withVolume(name, nodes(generation), first("volume", "attachedVolume")),
  },
  chosenLabel: {
    provable: false,
    expires: true,
    declare: ({ generation, ...rest }) =>
      bareMetal(rest, {
        networkType: "infiniband",
        gpuCount: nodes(generation),
        label: chosenLabelOf(rest.stem),
      }),
  },
  marketplace: {
    provable: false,
    expires: true,
    declare: ({ name, generation, machine, flag }) => ({
      [name]: {
        type: "MarketplaceInstance",
        inputs: { ...machine, gpuCount: 1 + (generation % 2), ...expiry(flag), timeouts },
      },
    }),
  },
  /** Rented by hand, under management from the first `up` on. */
  adopted: {
    provable: true,
    expires: true,
    adopts: true,
    declare: ({ generation, ...rest }) => bareMetal(rest, { networkType: "infiniband", gpuCount: nodes(generation) }),
  },
  /** Nobody waits until it is ready. */
  impatient: {
    provable: true,
    expires: true,
    declare: ({ generation, ...rest }) =>
      bareMetal(rest, {
        networkType: "ethernet",
        gpuCount: nodes(generation),
        waitForReady: false,
        storageVolume: { isNew: true, label: inlineLabelOf(rest.stem), sizeInGb: 768 },
      }),
  },
  /** The first of its regions may have no capacity. */
  fallback: {
    provable: true,
    expires: true,
    declare: ({ generation, ...rest }) =>
      bareMetal(rest, {
        networkType: "infiniband",
        gpuCount: nodes(generation),
        region,
        fallbackRegions: ["uk-central-3", "eu-west-3"],
      }),
  },
  /** Too expensive once its inputs have changed. Nothing like it runs, so its price shows only in its record. */
  limited: {
    provable: true,
    expires: true,
    declare: ({ generation, ...rest }) =>
      bareMetal(rest, {
        networkType: "infiniband",
        gpuType: "h200",
        gpuCount: nodes(generation),
        maxCostPerHour: generation % 2 === 0 ? limits.generous : limits.tight,
        storageVolume: { isNew: true, label: inlineLabelOf(rest.stem), sizeInGb: 1024 },
      }),
  },
  /** Two members and their two gates. The flag is a limit below what they cost. */
  fleet: {
    provable: true,
    declare: ({ name, generation, flag }) => fleet(name, nodes(generation), flag ? limits.tight : limits.generous),
  },
} satisfies Record<string, ResourceKind>;

export type ResourceKindName = keyof typeof resourceKinds;
export const resourceKindNames = Object.keys(resourceKinds).filter(isResourceKind);

export function isResourceKind(name: string): name is ResourceKindName {
  return name in resourceKinds;
}

export function getResourceKind(name: ResourceKindName): ResourceKind {
  return resourceKinds[name];
}

/** These, and what they depend on before them. */
export function withDependencies(kinds: readonly ResourceKindName[]): ResourceKindName[] {
  const needed = kinds.flatMap((kind) => getResourceKind(kind).dependsOn ?? []).filter(isResourceKind);
  return [...new Set(needed.filter((one) => !kinds.includes(one))), ...kinds];
}

/** A label that the program chooses itself. */
export function chosenLabelOf(name: string): string {
  return `chosen-${name}`;
}

export function inlineLabelOf(name: string): string {
  return `scratch-${name}`;
}

/** The gate of a fleet of this name. */
export function gateOf(name: string): string {
  return fleetNames.ready(name);
}

function nodes(generation: number): number {
  return 8 + 8 * (generation % 2);
}

/** An input that changes in place, for whatever has no other. */
function expiry(flag: boolean): { expiresAt?: string } {
  return flag ? { expiresAt: `${expirySeconds}s` } : {};
}

function bareMetal(
  { name, flag, adoptId }: Pick<Declaration, "name" | "flag" | "adoptId">,
  inputs: Record<string, unknown>,
): Program {
  return { [name]: { type: "BareMetalRental", inputs: { ...inputs, ...expiry(flag), adoptId, timeouts } } };
}

function attachment(name: string, volume: string | undefined, rental: string | undefined): Program {
  if (volume === undefined || rental === undefined) return {};
  return {
    [name]: {
      type: "VolumeAttachment",
      inputs: (ids) => ({ storageVolumeId: numberOf(ids[volume]), rentalIds: [numberOf(ids[rental])], timeouts }),
    },
  };
}

function attachedVolume(name: string, rental: string | undefined): Program {
  const inputs = { region, sizeInGb: 256, timeouts };
  if (rental === undefined) return { [name]: { type: "StorageVolume", inputs } };
  return {
    [name]: { type: "StorageVolume", inputs: (ids) => ({ ...inputs, rentalIds: [numberOf(ids[rental])] }) },
  };
}

function withVolume(name: string, gpuCount: number, volume: string | undefined): Program {
  if (volume === undefined) return {};
  const inputs = { networkType: "ethernet", gpuCount, timeouts };
  return {
    [name]: {
      type: "BareMetalRental",
      inputs: (ids) => ({ ...inputs, storageVolume: { isNew: false, id: numberOf(ids[volume]) } }),
    },
  };
}

const members = 2;

function fleet(name: string, gpuCount: number, maxCostPerHour: number): Program {
  const names = Array.from({ length: members }, (_, index) => fleetNames.member(name, index));
  const member: Declared = {
    type: "BareMetalRental",
    inputs: {
      networkType: "infiniband",
      gpuCount,
      waitForReady: false,
      timeouts,
      __fleet: { count: members, maxCostPerHour },
    },
  };
  const gate: Declared = {
    type: "FleetReady",
    inputs: (ids) => ({
      kind: "bare-metal",
      rentals: names.map((one) => ({ name: one, id: String(numberOf(ids[one])) })),
      maxCostPerHour,
      timeouts,
    }),
  };
  const second: Declared = { type: "FleetEnded", inputs: { kind: "bare-metal", timeouts } };
  return {
    [fleetNames.ended(name)]: second,
    ...Object.fromEntries(names.map((one) => [one, member])),
    [gateOf(name)]: gate,
  };
}

/** As the SDK derives it: what has no number yet cannot be attached to. */
function numberOf(id: string | undefined): number {
  if (id === undefined || !/^\d+$/.test(id)) throw new Error(`what it depends on is not there: ${id ?? "no id"}`);
  return Number(id);
}

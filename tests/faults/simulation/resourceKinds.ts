import type { Declared } from "../../lifecycle/fakeEngine";

/** What a declaration may depend on. */
export interface Declaration {
  name: string;
  /** How often the inputs have changed so far; each change demands a replacement. */
  generation: number;
  /** The machine of the marketplace that instances are rented on; large enough for all of them. */
  machine: MarketplaceMachine;
  /** The name of the first resource of the program that is of one of these kinds. */
  first(...kinds: string[]): string | undefined;
}

export interface MarketplaceMachine {
  clusterName: string;
  nodeName: string;
}

/** What a program of a schedule may declare. */
export interface ResourceKind {
  /** Nothing where what it depends on is not in the program. */
  declare(declaration: Declaration): Declared | undefined;
  /** Whether its label proves whose it is. Without that proof the promise after a kill is weaker: docs/internals/design.md. */
  provable: boolean;
  /** What a program must declare besides; it is declared first. */
  dependsOn?: readonly string[];
}

/** Short enough that a call that exceeds it shows. */
export const timeoutSeconds = 600;
const timeouts = { create: timeoutSeconds, delete: timeoutSeconds };
const region = "us-central-1";

/** Another kind of resource is an entry here; random schedules and single faults then play it. */
export const resourceKinds = {
  bareMetal: {
    provable: true,
    declare: ({ generation }) => bareMetal({ networkType: "infiniband", gpuCount: nodes(generation) }),
  },
  vm: {
    provable: true,
    declare: ({ generation }) => ({ type: "VmRental", inputs: { gpuCount: 1 + (generation % 2), timeouts } }),
  },
  volume: {
    provable: true,
    declare: ({ generation }) => ({
      type: "StorageVolume",
      inputs: { region, sizeInGb: 256 + 256 * (generation % 2), timeouts },
    }),
  },
  inlineVolume: {
    provable: true,
    declare: ({ name, generation }) =>
      bareMetal({
        networkType: "ethernet",
        gpuCount: nodes(generation),
        storageVolume: { isNew: true, label: inlineLabelOf(name), sizeInGb: 512 },
      }),
  },
  attachment: {
    provable: true,
    dependsOn: ["volume", "bareMetal"],
    declare: ({ first }) => attachment(first("volume"), first("bareMetal", "chosenLabel")),
  },
  chosenLabel: {
    provable: false,
    declare: ({ name, generation }) =>
      bareMetal({ networkType: "infiniband", gpuCount: nodes(generation), label: chosenLabelOf(name) }),
  },
  marketplace: {
    provable: false,
    declare: ({ generation, machine }) => ({
      type: "MarketplaceInstance",
      inputs: { ...machine, gpuCount: 1 + (generation % 2), timeouts },
    }),
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

/** A label that the program chooses itself. */
export function chosenLabelOf(name: string): string {
  return `chosen-${name}`;
}

export function inlineLabelOf(name: string): string {
  return `scratch-${name}`;
}

function nodes(generation: number): number {
  return 8 + 8 * (generation % 2);
}

function bareMetal(inputs: Record<string, unknown>): Declared {
  return { type: "BareMetalRental", inputs: { ...inputs, timeouts } };
}

function attachment(volume: string | undefined, rental: string | undefined): Declared | undefined {
  if (volume === undefined || rental === undefined) return undefined;
  return {
    type: "VolumeAttachment",
    inputs: (ids) => ({ storageVolumeId: numberOf(ids[volume]), rentalIds: [numberOf(ids[rental])], timeouts }),
  };
}

/** As the SDK derives it: what has no number yet cannot be attached to. */
function numberOf(id: string | undefined): number {
  if (id === undefined || !/^\d+$/.test(id)) throw new Error(`what it depends on is not there: ${id ?? "no id"}`);
  return Number(id);
}

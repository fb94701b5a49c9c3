import type { Declared, Program } from "../../lifecycle/stack";

/** What a program of a schedule may declare. */
export const plannedKinds = ["bare", "vm", "volume", "inline", "attachment", "labelled", "market"] as const;
export type PlannedKind = (typeof plannedKinds)[number];

/** A resource of a schedule: what it is, and how often its inputs have changed so far. */
export interface Planned {
  kind: PlannedKind;
  generation: number;
}

/** Each is the beginning of another, or nearly: whoever compares labels by their beginning mistakes one for the other. */
const names = ["a", "ab", "a-b", "abc", "b", "a-b-c", "ba", "c"];

export function nameOfPlanned(index: number): string {
  return names[index] ?? `r${index}`;
}

/** Short enough that a call that overstays it shows. */
export const timeoutSeconds = 600;
const timeouts = { create: timeoutSeconds, delete: timeoutSeconds };
const region = "us-central-1";

/** The machine of the emulator's marketplace that instances are rented on; large enough for all of them. */
export interface Place {
  clusterName: string;
  nodeName: string;
}

/** The program as it stands. An attachment joins the first volume and the first rental; without both it is left out. */
export function programOf(plan: readonly Planned[], place: Place): Program {
  const first = (...kinds: PlannedKind[]) => plan.findIndex(({ kind }) => kinds.includes(kind));
  const volume = first("volume");
  const rental = first("bare", "labelled");
  // What others depend on comes first, as the engine would have it.
  const order = plan.map((planned, index) => ({ ...planned, index }));
  order.sort((one, other) => Number(one.kind === "attachment") - Number(other.kind === "attachment"));
  return Object.fromEntries(
    order.flatMap(({ kind, generation, index }): [string, Declared][] => {
      const name = nameOfPlanned(index);
      if (kind !== "attachment") return [[name, declare(kind, generation, name, place)]];
      if (volume < 0 || rental < 0) return [];
      return [[name, attachment(nameOfPlanned(volume), nameOfPlanned(rental))]];
    }),
  );
}

function declare(kind: Exclude<PlannedKind, "attachment">, generation: number, name: string, place: Place) {
  const larger = generation % 2;
  switch (kind) {
    case "bare":
      return { type: "BareMetalRental", inputs: { networkType: "infiniband", gpuCount: 8 + 8 * larger, timeouts } };
    case "labelled":
      return {
        type: "BareMetalRental",
        inputs: { networkType: "infiniband", gpuCount: 8 + 8 * larger, label: labelOf(name), timeouts },
      };
    case "inline":
      return {
        type: "BareMetalRental",
        inputs: {
          networkType: "ethernet",
          gpuCount: 8 + 8 * larger,
          storageVolume: { isNew: true, label: inlineLabelOf(name), sizeInGb: 512 },
          timeouts,
        },
      };
    case "vm":
      return { type: "VmRental", inputs: { gpuCount: 1 + larger, timeouts } };
    case "volume":
      return { type: "StorageVolume", inputs: { region, sizeInGb: 256 + 256 * larger, timeouts } };
    case "market":
      return { type: "MarketplaceInstance", inputs: { ...place, gpuCount: 1 + larger, timeouts } };
  }
}

/** A label that the program chooses itself. */
export function labelOf(name: string): string {
  return `chosen-${name}`;
}

export function inlineLabelOf(name: string): string {
  return `scratch-${name}`;
}

function attachment(volume: string, rental: string) {
  return {
    type: "VolumeAttachment",
    inputs: (ids: Readonly<Record<string, string>>) => ({
      storageVolumeId: numberOf(ids[volume]),
      rentalIds: [numberOf(ids[rental])],
      timeouts,
    }),
  };
}

/** As the SDK derives it: what has no number yet cannot be attached to. */
function numberOf(id: string | undefined): number {
  if (id === undefined || !/^\d+$/.test(id)) throw new Error(`what it depends on is not there: ${id ?? "no id"}`);
  return Number(id);
}

/** Whether its label proves whose it is. Without one the promise after a kill is weaker (design.md, Ownership). */
export function isProvable(kind: PlannedKind): boolean {
  return kind !== "labelled" && kind !== "market";
}

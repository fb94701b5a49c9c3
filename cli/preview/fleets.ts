import { fleetNames } from "../../provider/shared/fleetNames";
import { readUrn } from "../../provider/shared/urn";
import { type Billable, compare, isVolume } from "../money";
import { storageVolumeType, volumeAttachmentType } from "../stack";
import type { BilledChange } from "./billedChange";
import { groupBy } from "./groupBy";

/** What happens to a `GpuFleet`. */
export interface FleetChange {
  name: string;
  /** The machines, unchanged ones included. */
  machinesBefore: Billable[];
  machinesAfter: Billable[];
  /** Everything of it that bills, a shared volume included. */
  billedBefore: Billable[];
  billedAfter: Billable[];
  /** What changes of it. */
  changes: BilledChange[];
}

export interface Grouped {
  /** The fleets of which something changes, by name. */
  fleets: FleetChange[];
  /** The changes of everything else. */
  others: BilledChange[];
}

/** The changes by fleet. `all` has the unchanged resources, too, and `shown` what is to be told. */
export function groupByFleet(all: readonly BilledChange[], shown: readonly BilledChange[]): Grouped {
  const keyOf = (change: BilledChange) => fleetOf(change)?.key ?? "";
  const parts = groupBy(all, keyOf);
  const { "": others = [], ...changed } = Object.fromEntries(groupBy(shown, keyOf));
  const fleets = Object.entries(changed).map(([key, changes]) => toFleet(parts.get(key) ?? changes, changes));
  return { fleets: fleets.sort((one, other) => compare(one.name, other.name)), others };
}

function toFleet(parts: readonly BilledChange[], changes: BilledChange[]): FleetChange {
  const billedBefore = parts.flatMap((change) => change.billedBefore);
  const billedAfter = parts.flatMap((change) => change.billedAfter);
  const machines = (billables: readonly Billable[]) => billables.filter((billable) => !isVolume(billable));
  return {
    name: changes.flatMap((change) => fleetOf(change)?.name ?? [])[0] ?? "",
    machinesBefore: machines(billedBefore),
    machinesAfter: machines(billedAfter),
    billedBefore,
    billedAfter,
    changes,
  };
}

const component = "gpufleet:index:GpuFleet";

/** The fleet that a resource is a part of: a child of the component, by the name that the component gives to such a part. */
export function fleetOf({ urn, gpufleetType }: Pick<BilledChange, "urn" | "gpufleetType">) {
  const { qualifiedType, name: part } = readUrn(urn);
  const parents = qualifiedType.slice(0, Math.max(0, qualifiedType.lastIndexOf("$")));
  if (gpufleetType === undefined || !(parents === component || parents.endsWith(`$${component}`))) return undefined;
  const name = nameIn(gpufleetType, part);
  return name === undefined ? undefined : { name, key: `${parents}::${name}` };
}

function nameIn(type: string, part: string): string | undefined {
  const ending = (suffix: string) => (part.endsWith(suffix) ? part.slice(0, -suffix.length) : undefined);
  if (type === storageVolumeType) return ending(fleetNames.volume(""));
  if (type === volumeAttachmentType) return ending(fleetNames.attachment(""));
  return /^(.+)-\d+$/.exec(part)?.[1];
}

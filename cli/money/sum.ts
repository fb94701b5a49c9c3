import { count } from "../../provider/shared/count";
import { roundUsd } from "../../provider/shared/money";
import type { Billable } from "./billable";

/** USD per hour of several resources. Unknown prices are counted, never taken for zero. */
export interface Sum {
  perHour: number;
  /** How many prices are included. */
  known: number;
  /** How many prices are unknown. */
  unknown: number;
  /** Whether a part of it is an estimate: the price of a similar resource or of the price book. */
  estimated: boolean;
}

export function sumOf(billables: readonly Billable[]): Sum {
  const known = billables.map(({ costPerHour }) => costPerHour).filter((cost) => cost !== undefined);
  return {
    perHour: roundUsd(known.reduce((sum, cost) => sum + cost, 0)),
    known: known.length,
    unknown: billables.length - known.length,
    estimated: billables.some(({ estimated }) => estimated === true),
  };
}

/** What stands before an amount: `≈ ` where it is an estimate. */
export function about({ estimated }: { estimated?: boolean | undefined }): string {
  return estimated ? "≈ " : "";
}

export interface GpuRow {
  model: string;
  before: number;
  after: number;
}

/** GPUs by model, before and after, in the order of the models' names, as far as their number is known. */
export function gpusByModel(before: readonly Billable[], after: readonly Billable[]): GpuRow[] {
  const rows = new Map<string, GpuRow>();
  const add = (billables: readonly Billable[], side: "before" | "after") => {
    for (const { gpus } of billables) {
      if (gpus?.count === undefined) continue;
      const row = rows.get(gpus.model) ?? { model: gpus.model, before: 0, after: 0 };
      row[side] += gpus.count;
      rows.set(gpus.model, row);
    }
  };
  add(before, "before");
  add(after, "after");
  return [...rows.values()].sort((one, other) => compare(one.model, other.model));
}

export interface GpuPlaceRow extends GpuRow {
  /** Undefined where it is not known yet, as that of a marketplace machine. */
  region: string | undefined;
}

/** GPUs by model and region, before and after, in the order of their names. */
export function gpusByPlace(before: readonly Billable[], after: readonly Billable[]): GpuPlaceRow[] {
  const regions = [...new Set([...before, ...after].map(({ region }) => region))];
  const rows = regions.flatMap((region) => {
    const here = (billables: readonly Billable[]) => billables.filter((billable) => billable.region === region);
    return gpusByModel(here(before), here(after)).map((row) => ({ ...row, region }));
  });
  return rows.sort((one, other) => compare(one.model, other.model) || compare(one.region ?? "", other.region ?? ""));
}

export interface RegionRow extends Sum, GpuCount {
  region: string;
  model: string;
}

/** GPUs of several resources. Unknown numbers are counted, never taken for zero. */
export interface GpuCount {
  gpus: number;
  /** Of how many resources the number of GPUs is unknown; missing where there are none. */
  uncounted?: number;
}

export function countGpus(billables: readonly Billable[]): GpuCount {
  const counts = billables.flatMap(({ gpus }) => (gpus ? [gpus.count] : []));
  const known = counts.filter((one) => one !== undefined);
  const uncounted = counts.length - known.length;
  return { gpus: known.reduce((sum, one) => sum + one, 0), ...(uncounted > 0 && { uncounted }) };
}

/** "16 GPUs", "at least 8 GPUs", "an unknown number of GPUs" */
export function showGpus({ gpus, uncounted = 0 }: GpuCount): string {
  if (uncounted > 0 && gpus === 0) return "an unknown number of GPUs";
  return `${uncounted > 0 ? "at least " : ""}${count(gpus, "GPU")}`;
}

/** GPUs and their price by region and model, the most GPUs first. */
export function gpusByRegion(billables: readonly Billable[]): RegionRow[] {
  const groups = new Map<string, Billable[]>();
  for (const billable of billables) {
    if (!billable.gpus) continue;
    const key = JSON.stringify([billable.region ?? "an unknown region", billable.gpus.model]);
    const members = groups.get(key);
    if (members) members.push(billable);
    else groups.set(key, [billable]);
  }
  const rows = [...groups.values()].map((members) => ({
    region: members[0]?.region ?? "an unknown region",
    model: members[0]?.gpus?.model ?? "",
    ...countGpus(members),
    ...sumOf(members),
  }));
  return rows.sort(
    (one, other) => other.gpus - one.gpus || compare(one.region, other.region) || compare(one.model, other.model),
  );
}

/** The same order on every machine, whatever its language; `node-2` before `node-10`. */
export function compare(one: string, other: string): number {
  return collator.compare(one, other) || (one < other ? -1 : Number(one > other));
}

const collator = new Intl.Collator("en", { numeric: true });

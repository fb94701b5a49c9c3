import { showDuration } from "../../provider/shared/duration";
import { showPerHour, showUsd } from "../../provider/shared/money";
import { nounOf } from "../stack";
import type { Column } from "../terminal";
import { type Billable, sizeOf } from "./billable";
import { ageOf } from "./spent";
import { about } from "./sum";

/** A resource that bills, as the commands print it in JSON. */
export interface BillableRow {
  name: string;
  type: string;
  /** "bare-metal rental" */
  kind: string;
  size: string;
  gpuModel: string | null;
  gpuCount: number | null;
  sizeInGb: number | null;
  region: string | null;
  status: string | null;
  createdAt: string | null;
  ageSeconds: number | null;
  costPerHour: number | null;
  /** Whether the price is from the price book. */
  estimated: boolean;
}

export function rowOf(billable: Billable): BillableRow {
  const { name, type, region, status, createdAt, costPerHour, estimated = false } = billable;
  return {
    name,
    type,
    kind: nounOf(type),
    size: sizeOf(billable),
    gpuModel: billable.gpus?.model ?? null,
    gpuCount: billable.gpus?.count ?? null,
    sizeInGb: billable.sizeInGb ?? null,
    region: region ?? null,
    status: status ?? null,
    createdAt: createdAt ?? null,
    ageSeconds: ageOf(billable),
    costPerHour: costPerHour ?? null,
    estimated,
  };
}

/** What every table says of a resource, besides how it is called and what it costs. */
export const factColumns: readonly Column[] = ["KIND", "SIZE", "REGION", "STATUS"].map((title) => ({ title }));

export function factCells({ kind, size, region, status }: Omit<BillableRow, "name">): string[] {
  return [kind, size, region ?? "–", status ?? "–"];
}

/** `Running`, `Running (last known)`, `Running (replaced, to be deleted)` */
export function statusWithRemarks(status: string | null, { isLastKnown, isReplaced }: Remarks): string | null {
  const remarks = [...(isLastKnown ? ["last known"] : []), ...(isReplaced ? ["replaced, to be deleted"] : [])];
  if (remarks.length === 0) return status;
  return status === null ? remarks.join(", ") : `${status} (${remarks.join(", ")})`;
}

type Remarks = Pick<Billable, "isLastKnown" | "isReplaced">;

/** `2h05m`; `–` where it is not known. */
export function ageCell({ ageSeconds }: Pick<BillableRow, "ageSeconds">): string {
  return ageSeconds === null ? "–" : showDuration(ageSeconds * 1000);
}

/** `$19.92`, `≈ $2.50` by the price book, or `unknown`. */
export function usdCell(amount: number | null, row: Pick<BillableRow, "estimated">): string {
  return amount === null ? "unknown" : `${about(row)}${showUsd(amount)}`;
}

/** `$19.92/h`, `≈ $2.50/h` by the price book; undefined where it is unknown. */
export function showRate(billable: Pick<Billable, "costPerHour" | "estimated">): string | undefined {
  const { costPerHour } = billable;
  return costPerHour === undefined ? undefined : `${about(billable)}${showPerHour(costPerHour)}`;
}

/** What a list that the service does not have means for what is shown. */
export function notListedNotes(plurals: readonly string[]): string[] {
  return plurals.map((plural) => `The service does not list ${plural}: there may be more than shown.`);
}

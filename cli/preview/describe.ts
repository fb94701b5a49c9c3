import { count } from "../../provider/shared/count";
import { showPerHour } from "../../provider/shared/money";
import { about, type Billable, sumOf } from "../money";
import type { BilledChange } from "./billedChange";
import type { ChangeOp } from "./changes";

const done: Readonly<Record<ChangeOp, string>> = {
  delete: "deleted",
  replace: "replaced",
  update: "updated",
  create: "created",
  same: "unchanged",
};

/** `1 deleted, 2 created` */
export function countsOf(changes: readonly BilledChange[]): string {
  const ops: ChangeOp[] = ["delete", "replace", "update", "create"];
  return ops
    .map((op) => ({ op, number: changes.filter((change) => change.op === op).length }))
    .filter(({ number }) => number > 0)
    .map(({ op, number }) => `${number.toLocaleString("en-US")} ${done[op]}`)
    .join(", ");
}

/** What a change costs; undefined where it starts and stops nothing that bills. */
export function priceOf({ op, billedBefore, billedAfter }: BilledChange): string | undefined {
  if (billedBefore.length + billedAfter.length === 0) return undefined;
  if (op === "create") return showPrice(billedAfter);
  if (op === "delete") return showPrice(billedBefore);
  return op === "replace" ? `${showPrice(billedBefore)} → ${showPrice(billedAfter)}` : undefined;
}

/** `≈ $19.92/h`, `$0.10/h and 2 unknown prices`: as far as it is known. */
export function showPrice(billables: readonly Billable[]): string {
  const total = sumOf(billables);
  const { perHour, known, unknown } = total;
  if (unknown > 0 && known === 0) return "price unknown";
  const sum = `${about(total)}${showPerHour(perHour)}`;
  if (unknown === 0) return sum;
  // What is missing first, where it is more than what is there.
  const parts = [sum, count(unknown, "unknown price")];
  return (unknown > known ? parts.toReversed() : parts).join(" and ");
}

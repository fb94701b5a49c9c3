import { showPerHour } from "../../provider/shared/money";
import { type Billable, sumOf } from "../money";
import type { BilledChange } from "./billing";
import type { ChangeOp } from "./changes";

/** `1 delete, 2 create` */
export function countsOf(changes: readonly BilledChange[]): string {
  const ops: ChangeOp[] = ["delete", "replace", "update", "create"];
  return ops
    .map((op) => ({ op, count: changes.filter((change) => change.op === op).length }))
    .filter(({ count }) => count > 0)
    .map(({ op, count }) => `${count} ${op}`)
    .join(", ");
}

/** What a change costs; undefined where it starts and stops nothing that bills. */
export function priceOf({ op, billedBefore, billedAfter }: BilledChange): string | undefined {
  if (billedBefore.length + billedAfter.length === 0) return undefined;
  if (op === "create") return showPrice(billedAfter);
  if (op === "delete") return showPrice(billedBefore);
  return op === "replace" ? `${showPrice(billedBefore)} → ${showPrice(billedAfter)}` : undefined;
}

/** `≈ $19.92/h`, as far as it is known. */
function showPrice(billables: readonly Billable[]): string {
  const { perHour, unknown } = sumOf(billables);
  if (unknown === billables.length) return "price unknown";
  const about = billables.some(({ estimated }) => estimated) ? "≈ " : "";
  return `${about}${showPerHour(perHour)}${unknown > 0 ? " and an unknown price" : ""}`;
}

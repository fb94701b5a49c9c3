import { type Billable, sizeOf } from "../../money/billable";
import { usdPerHour } from "../../money/show";
import { sumOf } from "../../money/sum";
import { type BilledChange, kindOf } from "../../preview/billing";
import type { ChangeOp } from "../../preview/changes";
import { changedProperties } from "../../preview/properties";
import type { Summary } from "../../preview/summary";
import { code, word } from "./escape";
import type { Part } from "./fit";

/** How many lines are shown without a click. */
const mostOpen = 25;
const marks: Readonly<Record<ChangeOp, string>> = { create: "➕", replace: "♻️", update: "✏️", delete: "➖", same: "" };

/** What changes, one line each. */
export function changeLines({ changes, problems }: Summary): Part {
  if (changes.length === 0) return { lines: problems.length > 0 ? [] : ["**Nothing changes.**"] };
  const counts = countsOf(changes);
  const folded = changes.length > mostOpen;
  return {
    lines: folded ? ["<details>", `<summary><b>Changes</b>: ${counts}</summary>`, ""] : [`**Changes**: ${counts}`, ""],
    items: changes.map(
      (change) =>
        `- ${marks[change.op]} ${change.op} ${kindOf(change) ?? code(change.type)} ${code(change.name)}${detailsOf(change)}`,
    ),
    more: (count) => `- … and ${count} more, for which a comment has no room`,
    end: folded ? ["", "</details>"] : [],
    worth: 1,
  };
}

export function countsOf(changes: readonly BilledChange[]): string {
  const ops: ChangeOp[] = ["delete", "replace", "update", "create"];
  return ops
    .map((op) => ({ op, count: changes.filter((change) => change.op === op).length }))
    .filter(({ count }) => count > 0)
    .map(({ op, count }) => `${count} ${op}`)
    .join(", ");
}

function detailsOf(change: BilledChange): string {
  const properties = changedProperties(change).map(({ property, before, after }) =>
    after === undefined ? code(property) : `${code(property)} ${code(before ?? "")} → ${code(after)}`,
  );
  const left = change.retained ? ["left behind"] : [];
  const parts = [...sizesIn(change), ...properties, ...priceOf(change), ...left];
  return parts.length > 0 ? `: ${parts.join(", ")}` : "";
}

function sizesIn({ op, billedBefore, billedAfter }: BilledChange): string[] {
  if (op !== "create" && op !== "delete") return [];
  return (op === "create" ? billedAfter : billedBefore).map((billable) => {
    const place = billable.region === undefined ? "" : ` in ${word(billable.region)}`;
    return billable.madeWith === undefined
      ? `${word(sizeOf(billable))}${place}`
      : `with volume ${code(billable.name)} of ${word(sizeOf(billable))}`;
  });
}

function priceOf({ op, billedBefore, billedAfter }: BilledChange): string[] {
  if (billedBefore.length === 0 && billedAfter.length === 0) return [];
  if (op === "create") return [showPrice(billedAfter)];
  if (op === "delete") return [showPrice(billedBefore)];
  return op === "replace" ? [`${showPrice(billedBefore)} → ${showPrice(billedAfter)}`] : [];
}

/** `≈ $19.92/h`, as far as it is known. */
export function showPrice(billables: readonly Billable[]): string {
  const { perHour, unknown } = sumOf(billables);
  if (unknown === billables.length) return "price unknown";
  const about = billables.some(({ estimated }) => estimated) ? "≈ " : "";
  return `${about}${usdPerHour(perHour)}${unknown > 0 ? " and an unknown price" : ""}`;
}

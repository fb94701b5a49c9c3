import { sizeOf } from "../../money";
import {
  type BilledChange,
  type ChangeOp,
  changedProperties,
  countsOf,
  kindOf,
  priceOf,
  type Summary,
} from "../../preview";
import { code, word } from "./escape";
import type { Part } from "./fit";

/** How many lines are shown without a click. */
const mostOpen = 25;
const marks: Readonly<Record<ChangeOp, string>> = { create: "➕", replace: "♻️", update: "✏️", delete: "➖", same: "" };

/** The changes, one line each. */
export function changeLines({ changes, problems }: Summary): Part {
  if (changes.length === 0) return { lines: problems.length > 0 ? [] : ["**No changes.**"] };
  const counts = countsOf(changes);
  const folded = changes.length > mostOpen;
  return {
    lines: folded ? ["<details>", `<summary><b>Changes</b>: ${counts}</summary>`, ""] : [`**Changes**: ${counts}`, ""],
    items: changes.map(
      (change) =>
        `- ${marks[change.op]} ${change.op} ${kindOf(change) ?? code(change.type)} ${code(change.name)}${detailsOf(change)}`,
    ),
    more: (count) => `- … and ${count} more, left out to keep the comment short enough`,
    end: folded ? ["", "</details>"] : [],
    worth: 1,
  };
}

function detailsOf(change: BilledChange): string {
  const properties = changedProperties(change).map(({ property, before, after }) =>
    after === undefined ? code(property) : `${code(property)} ${code(before ?? "")} → ${code(after)}`,
  );
  const price = priceOf(change);
  const left = change.retained ? ["left behind"] : [];
  const parts = [...sizesIn(change), ...properties, ...(price === undefined ? [] : [price]), ...left];
  return parts.length > 0 ? `: ${parts.join(", ")}` : "";
}

function sizesIn({ op, billedBefore, billedAfter }: BilledChange): string[] {
  if (op !== "create" && op !== "delete") return [];
  return (op === "create" ? billedAfter : billedBefore).map((billable) => {
    const place = billable.region === undefined ? "" : ` in ${word(billable.region)}`;
    return billable.createdWith === undefined
      ? `${word(sizeOf(billable))}${place}`
      : `with volume ${code(billable.name)} of ${word(sizeOf(billable))}`;
  });
}

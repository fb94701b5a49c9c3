import { count } from "../../../provider/shared/count";
import { sizeOf } from "../../money";
import {
  type BilledChange,
  type ChangeOp,
  changedProperties,
  countsOf,
  groupBy,
  kindOf,
  listRuns,
  priceOf,
  type Summary,
} from "../../preview";
import { codeInCell, inCell, wordInCell } from "./escape";
import type { Part } from "./fit";

/** How many rows are shown without a click. */
const mostOpen = 25;
const marks: Readonly<Record<ChangeOp, string>> = { create: "➕", replace: "♻️", update: "✏️", delete: "➖", same: "" };

/** What changes besides fleets. */
export function otherChanges({ others, fleets }: Summary): Part {
  if (others.length === 0) return { lines: [] };
  const title = fleets.length > 0 ? "Other changes" : "Changes";
  const counts = countsOf(others);
  const rows = changeRows(others);
  const isFolded = rows.length > mostOpen;
  return {
    lines: isFolded
      ? ["<details>", `<summary><b>${title}</b>: ${counts}</summary>`, "", ...changeHeader]
      : [`**${title}**: ${counts}`, "", ...changeHeader],
    items: rows.map(({ text }) => text),
    // Rows may stand for several resources.
    more: (count) => moreRow(rows.slice(-count).reduce((sum, { size }) => sum + size, 0)),
    end: isFolded ? ["", "</details>"] : [],
    worth: 1,
  };
}

export const changeHeader: readonly string[] = ["| change | what | cost |", "|---|---|--:|"];

export function moreRow(count: number): string {
  return `| … and ${count.toLocaleString("en-US")} more, left out to keep the comment short enough | | |`;
}

export interface Row {
  text: string;
  /** How many resources it stands for. */
  size: number;
}

const mostNames = 20;

/** One row for each change, and for changes that differ in nothing but the name. */
export function changeRows(changes: readonly BilledChange[]): Row[] {
  const described = changes.map((change) => ({ change, what: detailsOf(change), price: priceOf(change) ?? "" }));
  const alike = groupBy(described, ({ change, what, price }) => JSON.stringify([change.op, change.type, what, price]));
  return [...alike.values()].flatMap((group) => {
    const [first] = group;
    if (!first) return [];
    const { change, what, price } = first;
    const names = listRuns(
      group.map((one) => one.change.name),
      { voice: inCell, most: mostNames },
    );
    const each = group.length > 1 && /\d/.test(price) ? "each " : "";
    const text = `| ${marks[change.op]} ${change.op} ${kindIn(change, group.length)} ${names} | ${what} | ${each}${price} |`;
    return [{ text, size: group.length }];
  });
}

/** "storage volume", "12 storage volumes:" */
function kindIn(change: BilledChange, size: number): string {
  const noun = kindOf(change);
  if (size === 1) return noun ?? codeInCell(change.type);
  return noun === undefined ? `${size} × ${codeInCell(change.type)}:` : `${count(size, noun)}:`;
}

function detailsOf(change: BilledChange): string {
  const properties = changedProperties(change).map(({ property, before, after }) =>
    after === undefined
      ? codeInCell(property)
      : `${codeInCell(property)} ${codeInCell(before ?? "")} → ${codeInCell(after)}`,
  );
  const left = change.retained ? ["left behind"] : [];
  return [...sizesIn(change), ...properties, ...left].join(", ");
}

function sizesIn({ op, billedBefore, billedAfter }: BilledChange): string[] {
  if (op !== "create" && op !== "delete") return [];
  return (op === "create" ? billedAfter : billedBefore).map((billable) => {
    const place = billable.region === undefined ? "" : ` in ${wordInCell(billable.region)}`;
    return billable.createdWith === undefined
      ? `${wordInCell(sizeOf(billable))}${place}`
      : `with volume ${codeInCell(billable.name)} of ${wordInCell(sizeOf(billable))}`;
  });
}

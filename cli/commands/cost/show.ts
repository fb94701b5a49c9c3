import { count } from "../../../provider/shared/count";
import { showPerHour, showUsd } from "../../../provider/shared/money";
import {
  accountName,
  type CostGroup,
  type CostRow,
  type CostSum,
  type CostSummary,
  costNotes,
  nothingWith,
  type StackCost,
} from "../../account";
import {
  about,
  ageCell,
  atUnknownPrice,
  factCells,
  factColumns,
  hoursPerDay,
  statusWithRemarks,
  unknownTerms,
  usdCell,
} from "../../money";
import { type Paint, table } from "../../terminal";

const columns = [
  { title: "NAME" },
  ...factColumns,
  { title: "AGE", right: true },
  { title: "$/H", right: true },
  { title: "SO FAR", right: true },
];

/** The summary for a terminal. */
export function showCost(summary: CostSummary, paint: Paint): string {
  const { stack, stacks, elsewhere, total, notListed, unreadable } = summary;
  const nothing = nothingWith({ gaps: unreadable, notListed });
  return [
    ...(stacks ? stackLines(stacks, stack, paint) : groupLines(`Stack ${stack.name}`, stack, { nothing, paint })),
    "",
    ...groupLines(`Elsewhere in the account${summary.accounts ? "s" : ""}`, elsewhere, { nothing, paint }),
    "",
    `${paint("bold", "Total")}    ${showSum(total)}`,
    ...balanceLines(summary, paint),
    ...costNotes(summary).map((note) => paint("yellow", note)),
  ].join("\n");
}

function balanceLines({ accounts, balance, hoursLeft, total }: CostSummary, paint: Paint): string[] {
  const show = (usd: number | null, hours: number | null) =>
    `${usd === null ? "unknown" : showUsd(usd)}${lasting(hours, total)}`;
  if (!accounts) return [`${paint("bold", "Balance")}  ${show(balance, hoursLeft)}`];
  return accounts.map(
    (one) => `${paint("bold", "Balance")}  ${show(one.balance, one.hoursLeft)} (${accountName(one.account)})`,
  );
}

const stackColumns = [
  { title: "STACK" },
  { title: "BILLABLE", right: true },
  { title: "$/H", right: true },
  { title: "SO FAR", right: true },
];

/** One line for each stack: what is in it is shown where it is asked for alone, and in JSON. */
function stackLines(stacks: readonly StackCost[], together: CostSum, paint: Paint): string[] {
  const rows = stacks.map((stack) => [stack.name, String(stack.resources.length), showPrice(stack), showSpent(stack)]);
  return [`${paint("bold", count(stacks.length, "stack"))}  ${showSum(together)}`, ...table(stackColumns, rows, paint)];
}

function showPrice(sum: CostSum): string {
  const { perHour, known, unknown } = sum;
  if (known === 0 && unknown > 0) return "unknown";
  return [`${about(sum)}${showUsd(perHour)}`, ...unknownTerms(sum)].join(" + ");
}

/** The summary as JSON: `stack` where it is about one, `stacks` and their sum `inStacks` where it is about several. */
export function costJson({ stack, stacks, ...rest }: CostSummary): string {
  const { name: _, resources: __, ...inStacks } = stack;
  const form = { version: 1, currency: "USD" };
  return JSON.stringify(stacks ? { ...form, stacks, inStacks, ...rest } : { ...form, stack, ...rest }, null, 2);
}

function groupLines(title: string, group: CostGroup, { nothing, paint }: { nothing: string; paint: Paint }): string[] {
  if (group.resources.length === 0) return [paint("bold", title), `  ${nothing}`];
  return [`${paint("bold", title)}  ${showSum(group)}`, ...table(columns, group.resources.map(cells), paint)];
}

function cells(row: CostRow): string[] {
  return [
    row.name,
    ...factCells({ ...row, status: statusWithRemarks(row.status, row) }),
    ageCell(row),
    usdCell(row.costPerHour, row),
    usdCell(row.spent, row),
  ];
}

function showSum(sum: CostSum): string {
  const { perHour, known, unknown } = sum;
  if (unknown > 0 && known === 0) return atUnknownPrice(sum);
  const rest = unknown > 0 ? `, and ${atUnknownPrice(sum)}` : "";
  const mark = about(sum);
  return `${mark}${showPerHour(perHour)}, ${mark}${showUsd(perHour * hoursPerDay)} a day, ${showSpent(sum)} so far${rest}`;
}

/** Of those whose price is unknown the sum tells already. */
function showSpent(sum: CostSum): string {
  const { spent, spentUnknown, unknown } = sum;
  if (spent === null) return "unknown";
  const ageless = spentUnknown - unknown;
  return `${about(sum)}${showUsd(spent)}${ageless > 0 ? ` (without ${ageless} of unknown age)` : ""}`;
}

function lasting(hoursLeft: number | null, { unknown }: CostSum): string {
  if (hoursLeft === null) return "";
  return `, lasts ${unknown > 0 ? "at most " : ""}${hoursLeft.toLocaleString("en-US")} h at this rate`;
}

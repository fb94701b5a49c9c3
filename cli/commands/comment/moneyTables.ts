import { roundUsd, showPerHour, showSignedUsd, showUsd } from "../../../provider/shared/money";
import { hoursPerDay, hoursPerMonth, type Sum } from "../../money";
import type { Summary } from "../../preview";
import { count } from "../../terminal";
import { cell, code } from "./escape";
import type { Part } from "./fit";
import { peakOf } from "./verdicts";

export function costTable(summary: Summary): Part {
  const { before, after, delta, problems, notShown } = summary;
  if (problems.length > 0) return { lines: ["Cost: unknown, because the preview failed."] };
  const row = (name: string, hours: number) => {
    const [now, then] = [before, after].map((sum) => withNotShown(amount(sum, hours, showUsd), sum, notShown));
    return `| ${name} | ${now} | ${then} | **${amount(delta, hours, showSignedUsd)}** |`;
  };
  const notes = notesOn(summary).map((note) => `- ${note}`);
  return {
    lines: [
      "| cost | now | after | change |",
      "|---|--:|--:|--:|",
      row("per hour", 1),
      row("per day", hoursPerDay),
      row("per month", hoursPerMonth),
      ...(notes.length > 0 ? ["", ...notes] : []),
    ],
  };
}

function amount({ perHour, known, unknown }: Sum, hours: number, show: (amount: number) => string): string {
  if (unknown > 0 && known === 0) return "unknown";
  const sum = show(roundUsd(perHour * hours));
  return unknown > 0 ? `${sum} + ${unknown} unknown` : sum;
}

/** What the preview does not show costs something, too. */
function withNotShown(text: string, { known, unknown }: Sum, notShown: number): string {
  if (notShown === 0) return text;
  return known + unknown === 0 ? "not shown" : `${text} + ${notShown} not shown`;
}

const mostNames = 10;

function notesOn(summary: Summary): string[] {
  const { unpriced, notShown, estimated, changes, after, before } = summary;
  const notes: string[] = [];
  if (unpriced.length > 0) {
    const names = unpriced.slice(0, mostNames).map((name) => code(name));
    const rest = unpriced.length - names.length;
    notes.push(`Not included (price unknown): ${names.join(", ")}${rest > 0 ? ` and ${rest} more` : ""}.`);
  }
  if (notShown > 0) {
    notes.push(
      `Not included: ${count(notShown, "unchanged resource")} that the preview does not show. Add \`--show-sames\` to it.`,
    );
  }
  if (estimated) notes.push("≈ is an estimate. The actual price is known once it runs.");
  const peak = peakOf(summary);
  const replaces = changes.some(({ op, billedAfter }) => op === "replace" && billedAfter.length > 0);
  if (replaces && peak > Math.max(before.perHour, after.perHour)) {
    notes.push(`While this is applied, old and new run at the same time: up to ${showPerHour(peak)}.`);
  }
  return notes;
}

export function gpuTable({ gpus, storageGb, problems, notShown }: Summary): Part {
  if (problems.length > 0) return { lines: [] };
  const row = (name: string, before: number, after: number) =>
    `| ${name} | ${whole(before)} | ${whole(after)} | ${signed(after - before)} |`;
  const rows = gpus.map(({ model, before, after }) => row(cell(model), before, after));
  if (storageGb.before > 0 || storageGb.after > 0) rows.push(row("storage, GB", storageGb.before, storageGb.after));
  return {
    lines:
      rows.length > 0
        ? [`| GPUs${notShown > 0 ? " in this preview" : ""} | now | after | change |`, "|---|--:|--:|--:|", ...rows]
        : [],
  };
}

function whole(amount: number): string {
  return amount.toLocaleString("en-US");
}

function signed(amount: number): string {
  if (amount === 0) return "";
  return amount > 0 ? `+${whole(amount)}` : `−${whole(-amount)}`;
}

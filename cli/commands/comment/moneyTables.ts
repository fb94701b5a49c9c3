import { roundUsd } from "../../../provider/lifecycle";
import { hoursPerDay, hoursPerMonth, type Sum, signedUsd, usd, usdPerHour } from "../../money";
import type { Summary } from "../../preview";
import { cell, code } from "./escape";
import type { Part } from "./fit";
import { peakOf } from "./verdicts";

export function costTable(summary: Summary): Part {
  const { before, after, delta, problems, notShown } = summary;
  if (problems.length > 0) return { lines: ["What it would cost is not known."] };
  const row = (name: string, hours: number) => {
    const [now, then] = [before, after].map((sum) => withNotShown(amount(sum, hours, usd), sum, notShown));
    return `| ${name} | ${now} | ${then} | **${amount(delta, hours, signedUsd)}** |`;
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

/** What the preview leaves out costs something, too. */
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
    notes.push(`Price unknown, and in no sum: ${names.join(", ")}${rest > 0 ? ` and ${rest} more` : ""}.`);
  }
  if (notShown > 0) {
    notes.push(
      `${notShown} unchanged ${notShown === 1 ? "resource is" : "resources are"} not shown, and in no sum: preview with \`--show-sames\`.`,
    );
  }
  if (estimated) notes.push("≈ is what another of the same kind costs. The real price shows once it runs.");
  const peak = peakOf(summary);
  const replaces = changes.some(({ op, billedAfter }) => op === "replace" && billedAfter.length > 0);
  if (replaces && peak > Math.max(before.perHour, after.perHour)) {
    notes.push(`Old and new run side by side while this is applied: up to ${usdPerHour(peak)}.`);
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
        ? [`| GPUs${notShown > 0 ? ", as far as shown" : ""} | now | after | change |`, "|---|--:|--:|--:|", ...rows]
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

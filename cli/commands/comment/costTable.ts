import { count } from "../../../provider/shared/count";
import { roundUsd, showPerHour, showSignedUsd, showUsd } from "../../../provider/shared/money";
import { about, hoursPerDay, hoursPerMonth, notIncluding, type Sum, showBriefly, unknownTerms } from "../../money";
import { listNames, type Summary } from "../../preview";
import { inMarkdown, wordInCell } from "./escape";
import type { Part } from "./fit";

/** The cost and the GPUs, now and after. One line where neither changes. */
export function costTable(summary: Summary): Part {
  const { problems, costChange, before, after } = summary;
  if (problems.length > 0) return { lines: [] };
  const notes = notesOn(summary);
  const isSame = costChange.kind === "none" && before.perHour === after.perHour;
  const lines = isSame ? presentCost(summary) : tableOf(summary);
  if (lines.length === 0) return { lines: notes.map((note) => `- ${note}`) };
  return { lines: [...lines, ...(notes.length > 0 ? ["", ...notes.map((note) => `- ${note}`)] : [])] };
}

function presentCost({ after }: Summary): string[] {
  const { perHour, known, unknown } = after;
  if (known + unknown === 0) return [];
  if (known === 0) return ["The cost is unknown."];
  const cost = `${about(after)}${showBriefly(perHour)}/h (${showBriefly(perHour * hoursPerMonth)}/month)`;
  return [`It costs ${cost}${notIncluding(after)}.`];
}

function tableOf(summary: Summary): string[] {
  const { before, after, costChange, notShown } = summary;
  const row = (name: string, hours: number) => {
    const now = amount(before, hours, notShown);
    const then = amount(after, hours, notShown);
    return `| ${name} | ${now} | ${then} | ${changeIn(summary, hours)} |`;
  };
  return [
    `| ${notShown > 0 ? "in this preview" : ""} | now | after | change |`,
    "|---|--:|--:|--:|",
    row("per hour", 1),
    // A part of the cost over a month reads as all of it.
    ...(costChange.kind !== "unknown" ? [row("per day", hoursPerDay), row("per month", hoursPerMonth)] : []),
    ...gpuRows(summary),
  ];
}

/** `notShown` is how many unchanged resources the preview does not show: they cost something, too. */
function amount(sum: Sum, hours: number, notShown: number): string {
  const { perHour, known, unknown } = sum;
  if (known + unknown === 0) return notShown > 0 ? "not shown" : showUsd(0);
  const there = known > 0 ? [`${about(sum)}${showUsd(roundUsd(perHour * hours))}`] : [];
  const missing = known > 0 ? unknownTerms(sum) : ["unknown"];
  // What is missing first, where it is more than what is there.
  return [
    ...(unknown > known ? [...missing, ...there] : [...there, ...missing]),
    ...(notShown > 0 ? [`${notShown} not shown`] : []),
  ].join(" + ");
}

/** A figure only where it is one: in bold where every price is known. */
function changeIn({ costChange, before, notShown }: Summary, hours: number): string {
  if (costChange.kind === "none") return "";
  if (costChange.kind === "unknown") return "unknown";
  const { perHour, estimated } = costChange;
  const usd = roundUsd(perHour * hours);
  const mark = about({ estimated: estimated && usd !== 0 });
  if (costChange.kind === "known") {
    const isWhole = hours === 1 && before.unknown === 0 && before.perHour > 0 && notShown === 0;
    return `**${mark}${showSignedUsd(usd)}**${isWhole ? percent(perHour / before.perHour) : ""}`;
  }
  if (usd === 0) return "unknown";
  return `${mark}${showSignedUsd(usd)} or ${usd > 0 ? "less" : "more"}`;
}

function percent(part: number): string {
  const percents = Math.round(part * 100);
  if (percents === 0) return "";
  return ` (${percents > 0 ? "+" : "−"}${Math.abs(percents).toLocaleString("en-US")}%)`;
}

const mostRows = 12;

function gpuRows({ gpuPlaces, storageGb }: Summary): string[] {
  const row = (name: string, before: number, after: number, unit = "") =>
    `| ${name} | ${whole(before)}${unit} | ${whole(after)}${unit} | ${signed(after - before, unit)} |`;
  const shown = gpuPlaces.filter(({ before, after }) => before !== after).slice(0, mostRows);
  const rest = gpuPlaces.filter((place) => !shown.includes(place));
  const sum = (side: "before" | "after") => rest.reduce((total, place) => total + place[side], 0);
  return [
    ...shown.map(({ model, region, before, after }) =>
      row(`${wordInCell(model)}${region === undefined ? "" : `, ${wordInCell(region)}`}`, before, after),
    ),
    ...(rest.length > 0 && shown.length > 0 ? [row("other GPUs", sum("before"), sum("after"))] : []),
    ...(storageGb.before !== storageGb.after ? [row("storage", storageGb.before, storageGb.after, " GB")] : []),
  ];
}

function whole(amount: number): string {
  return amount.toLocaleString("en-US");
}

function signed(amount: number, unit: string): string {
  if (amount === 0) return "";
  return `${amount > 0 ? "+" : "−"}${whole(Math.abs(amount))}${unit}`;
}

const mostNames = 10;

function notesOn(summary: Summary): string[] {
  const { unpriced, notShown, changes, after, before, peak } = summary;
  const notes: string[] = [];
  if (unpriced.length > 0) {
    const names = listNames(unpriced, { voice: inMarkdown, most: mostNames });
    const advice = unpriced.some(({ isInBook }) => isInBook) ? " Prices can be given in `gpufleet:prices`." : "";
    notes.push(`Not included (price unknown): ${names}.${advice}`);
  }
  if (notShown > 0) {
    notes.push(
      `Not included: ${count(notShown, "unchanged resource")} that the preview does not show. Add \`--show-sames\` to it.`,
    );
  }
  if (after.estimated) notes.push("≈ is an estimate. The actual price is known once it runs.");
  const replaces = changes.some(({ op, billedAfter }) => op === "replace" && billedAfter.length > 0);
  if (replaces && peak.perHour > Math.max(before.perHour, after.perHour)) {
    const rest = peak.unknown > 0 ? `, and ${count(peak.unknown, "unknown price")}` : "";
    notes.push(
      `While this is applied, old and new run at the same time: up to ${about(peak)}${showPerHour(peak.perHour)}${rest}.`,
    );
  }
  return notes;
}

import { count } from "../../../provider/shared/count";
import { costSentence, listOf, type Summary, showCostChange, type Voice } from "../../preview";
import type { Verdict } from "./verdicts";

/** The verdict on the whole change, in one sentence. */
export interface Headline {
  kind: HeadlineKind;
  mark: string;
  /** Without the mark. */
  say(voice: Voice): string;
  /** Whether it says what happens to the cost. */
  saysCost: boolean;
}

export type HeadlineKind =
  /** The preview failed, so nothing is certain. */
  | "failed"
  /** A limit, the stack's budget or a mandatory policy is violated. */
  | "refused"
  | "data-loss"
  | "unknown-cost"
  | "costs-more"
  | "saves"
  | "same-cost"
  | "no-changes";

export function headlineOf(summary: Summary, verdicts: readonly Verdict[]): Headline {
  const lost = summary.warnings.some(({ kind }) => kind === "data-loss");
  if (summary.problems.length > 0) {
    const isRefusal = summary.problems.every(({ isTooDear }) => isTooDear);
    const why = isRefusal
      ? "over a cost limit, and refused by the provider: what else it changes is unknown"
      : "the preview failed: cost and data loss are unknown";
    const parts = (voice: Voice) => [why, ...(lost ? [lossIn(summary, voice)] : [])];
    return headline(isRefusal ? "refused" : "failed", "❌", parts);
  }
  if (isRefused(summary, verdicts)) {
    const forbidden = verdicts.some(({ rule, ok }) => rule === "forbid-data-loss" && !ok) ? ", which is forbidden" : "";
    const parts = (voice: Voice) => [
      ...verdicts.flatMap(({ ok, brief }) => (ok || brief === undefined ? [] : [brief])),
      ...violationsIn(summary, voice),
      ...(lost ? [`${lossIn(summary, voice)}${forbidden}`] : []),
    ];
    return headline("refused", "❌", parts);
  }
  const incomplete = incompleteness(summary);
  if (lost) {
    const parts = (voice: Voice) => [lossIn(summary, voice), costIn(summary), ...incomplete];
    return { ...headline("data-loss", "⚠️", parts), saysCost: true };
  }
  const kind = kindOf(summary);
  const parts = (voice: Voice) => [costSentence(summary, voice), ...incomplete];
  return { ...headline(kind, marks[kind] ?? "", parts), saysCost: true };
}

function headline(kind: HeadlineKind, mark: string, parts: (voice: Voice) => string[]): Headline {
  return { kind, mark, say: (voice) => capitalized(parts(voice).join("; ")), saysCost: false };
}

const marks: Partial<Record<HeadlineKind, string>> = { "unknown-cost": "❔", "same-cost": "✅", "no-changes": "✅" };

function isRefused({ policies }: Summary, verdicts: readonly Verdict[]): boolean {
  return verdicts.some(({ ok }) => !ok) || (policies?.violations.some(({ level }) => level === "mandatory") ?? false);
}

function kindOf({ changes, costChange }: Summary): HeadlineKind {
  if (changes.length === 0) return "no-changes";
  if (costChange.kind === "none") return "same-cost";
  if (costChange.kind === "unknown") return "unknown-cost";
  if (costChange.perHour > 0) return "costs-more";
  return costChange.perHour < 0 || costChange.kind === "at-most" ? "saves" : "same-cost";
}

const mostNamed = 2;

function lossIn({ warnings }: Summary, voice: Voice): string {
  const lost = warnings.filter(({ kind }) => kind === "data-loss");
  const gigabytes = lost.reduce((sum, { billable }) => sum + (billable.sizeInGb ?? 0), 0);
  const size = gigabytes > 0 ? ` (${gigabytes.toLocaleString("en-US")} GB)` : "";
  const noun = lost.length === 1 ? "volume" : "volumes";
  const which =
    lost.length > mostNamed
      ? count(lost.length, "volume")
      : `${noun} ${listOf(lost.map(({ name }) => voice.name(name)))}`;
  return `destroys the data of ${which}${size}`;
}

function costIn({ costChange }: Summary): string {
  const text = showCostChange(costChange);
  return `${text.charAt(0).toLowerCase()}${text.slice(1)}`;
}

function violationsIn({ policies }: Summary, voice: Voice): string[] {
  const violated = (policies?.violations ?? []).filter(({ level }) => level === "mandatory");
  const names = [...new Set(violated.map(({ pack, policy }) => `${pack}/${policy}`))];
  if (names.length === 0) return [];
  return names.length > mostNamed
    ? [`${names.length} mandatory policies are violated`]
    : [`violates the policy ${listOf(names.map((name) => voice.name(name)))}`];
}

function incompleteness({ notShown }: Summary): string[] {
  return notShown > 0
    ? [`the total is unknown, as the preview does not show ${count(notShown, "unchanged resource")}`]
    : [];
}

function capitalized(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}

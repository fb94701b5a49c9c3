import { roundUsd, showPerHour } from "../../../provider/shared/money";
import { type Billable, sumOf } from "../../money";
import type { Preview, Summary } from "../../preview";
import { count } from "../../terminal";

/** Whether the change keeps to a rule. */
export interface Verdict {
  rule: "max-cost-per-hour" | "forbid-data-loss" | "stack-budget";
  ok: boolean;
  /** What was found, as a sentence without a full stop. */
  text: string;
}

/** The rules that the caller asked for. */
export interface Rules {
  maxCostPerHour?: number | undefined;
  allowUnknownPrices?: boolean | undefined;
  forbidDataLoss?: boolean | undefined;
}

export function judge(summary: Summary, rules: Rules): Verdict[] {
  const verdicts: Verdict[] = [];
  if (rules.maxCostPerHour !== undefined) verdicts.push(judgeCost(summary, rules.maxCostPerHour, rules));
  if (rules.forbidDataLoss) verdicts.push(judgeLoss(summary));
  return verdicts;
}

function judgeCost(summary: Summary, limit: number, { allowUnknownPrices }: Rules): Verdict {
  const rule = "max-cost-per-hour";
  const { perHour, known, unknown } = summary.after;
  const within = `${showPerHour(perHour)} is within ${showPerHour(limit)}`;
  if (perHour > limit) return { rule, ok: false, text: `${showPerHour(perHour)} is more than ${showPerHour(limit)}` };
  if (summary.problems.length > 0) return { rule, ok: false, text: "the preview failed, so the cost is unknown" };
  if (allowUnknownPrices) {
    const rest = unknown > 0 ? `, not including ${count(unknown, "unknown price")}` : "";
    return { rule, ok: true, text: `${within}${rest}` };
  }
  if (known === 0 && unknown > 0) {
    return { rule, ok: false, text: `no price is known, so it may be more than ${showPerHour(limit)}` };
  }
  const uncertainty = uncertaintyOf(summary);
  return {
    rule,
    ok: uncertainty === undefined,
    text: uncertainty === undefined ? within : `${within}, but ${uncertainty}`,
  };
}

/** Why the sum may be incomplete: an unknown price is not zero. */
function uncertaintyOf({ after, notShown }: Summary): string | undefined {
  if (after.unknown > 0) return `${count(after.unknown, "price")} ${after.unknown === 1 ? "is" : "are"} unknown`;
  if (notShown > 0) return `the preview does not show ${count(notShown, "unchanged resource")} (add --show-sames)`;
  return undefined;
}

function judgeLoss({ warnings, problems }: Summary): Verdict {
  const rule = "forbid-data-loss";
  const lost = warnings.filter(({ kind }) => kind === "data-loss").length;
  if (lost > 0)
    return { rule, ok: false, text: `the contents of ${lost === 1 ? "one volume" : `${lost} volumes`} are lost` };
  if (problems.length > 0) return { rule, ok: false, text: "the preview failed, so what would be lost is unknown" };
  return { rule, ok: true, text: "no volume loses its contents" };
}

/**
 * The stack's own budget, which the provider enforces at each create. A replacement runs beside what it replaces for a
 * while, so the highest sum on the way counts.
 */
export function judgeBudget(summary: Summary, preview: Preview): Verdict | undefined {
  const text = preview.config?.["gpufleet:maxCostPerHour"];
  const limit = Number(text);
  if (!text || !Number.isFinite(limit)) return undefined;
  const rule = "stack-budget";
  if (createdBy(summary).length === 0) return { rule, ok: true, text: "nothing new is rented" };
  const peak = peakOf(summary);
  return peak <= limit
    ? { rule, ok: true, text: `the peak of ${showPerHour(peak)} is within ${showPerHour(limit)}` }
    : {
        rule,
        ok: false,
        text: `the peak of ${showPerHour(peak)} is more than ${showPerHour(limit)}: the provider will refuse it`,
      };
}

/** The most that runs at once while the change is applied: everything new is created before anything old is deleted. */
export function peakOf(summary: Summary): number {
  return roundUsd(summary.before.perHour + sumOf(createdBy(summary)).perHour);
}

function createdBy({ changes }: Summary): Billable[] {
  return changes
    .filter(({ op }) => op === "create" || op === "replace")
    .flatMap(({ billedBefore, billedAfter }) => billedAfter.filter((billable) => !billedBefore.includes(billable)));
}

import { roundUsd } from "../../../provider/lifecycle";
import { type Billable, sumOf, usdPerHour } from "../../money";
import type { Preview, Summary } from "../../preview";

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
  const within = `${usdPerHour(perHour)} is within ${usdPerHour(limit)}`;
  if (perHour > limit) return { rule, ok: false, text: `${usdPerHour(perHour)} is more than ${usdPerHour(limit)}` };
  if (summary.problems.length > 0) return { rule, ok: false, text: "the preview failed, so the cost is not known" };
  if (allowUnknownPrices) {
    const rest = unknown > 0 ? `, without ${unknown === 1 ? "one price" : `${unknown} prices`} that nobody knows` : "";
    return { rule, ok: true, text: `${within}${rest}` };
  }
  if (known === 0 && unknown > 0) {
    return { rule, ok: false, text: `no price is known, so it may be more than ${usdPerHour(limit)}` };
  }
  const doubt = doubtOf(summary);
  return { rule, ok: doubt === undefined, text: doubt === undefined ? within : `${within}, but ${doubt}` };
}

/** Why the sum may not be all of it: what is not known is not zero. */
function doubtOf({ after, notShown }: Summary): string | undefined {
  if (after.unknown > 0) return `${after.unknown === 1 ? "one price is" : `${after.unknown} prices are`} not known`;
  if (notShown > 0) return `the preview leaves out ${notShown} unchanged resources (preview with --show-sames)`;
  return undefined;
}

function judgeLoss({ warnings, problems }: Summary): Verdict {
  const rule = "forbid-data-loss";
  const lost = warnings.filter(({ is }) => is === "data-loss").length;
  if (lost > 0)
    return { rule, ok: false, text: `the contents of ${lost === 1 ? "one volume" : `${lost} volumes`} are lost` };
  if (problems.length > 0) return { rule, ok: false, text: "the preview failed, so what would be lost is not known" };
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
  if (madeBy(summary).length === 0) return { rule, ok: true, text: "nothing is rented, so nothing is refused" };
  const peak = peakOf(summary);
  return peak <= limit
    ? { rule, ok: true, text: `at its highest, ${usdPerHour(peak)} is within ${usdPerHour(limit)}` }
    : {
        rule,
        ok: false,
        text: `at its highest, ${usdPerHour(peak)} is more than ${usdPerHour(limit)}, so the provider will refuse`,
      };
}

/** The most that runs at once while the change is applied: everything new is made before anything old is ended. */
export function peakOf(summary: Summary): number {
  return roundUsd(summary.before.perHour + sumOf(madeBy(summary)).perHour);
}

function madeBy({ changes }: Summary): Billable[] {
  return changes
    .filter(({ op }) => op === "create" || op === "replace")
    .flatMap(({ billedBefore, billedAfter }) => billedAfter.filter((billable) => !billedBefore.includes(billable)));
}

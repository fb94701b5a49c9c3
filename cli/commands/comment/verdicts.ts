import { count } from "../../../provider/shared/count";
import { isOver, showPerHour } from "../../../provider/shared/money";
import { about, notIncluding, type Sum, showBeside, showBriefly } from "../../money";
import { type BilledChange, hasExplicitProvider, peakOf, type Summary } from "../../preview";
import type { Setting } from "./surroundings";

/** Whether the change keeps to a rule. */
export interface Verdict {
  rule: "max-cost-per-hour" | "forbid-data-loss" | "stack-budget";
  ok: boolean;
  /** What was found, as a sentence without a full stop. */
  text: string;
  /** The same for a headline, where it is broken and the headline does not say so by itself. */
  brief?: string;
  /** How many prices are unknown and left out of what was found. */
  unknownPrices: number;
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
  const { perHour, known, unknown } = summary.after;
  const facts = { rule: "max-cost-per-hour", unknownPrices: unknown } as const;
  const unchecked = (why: string) => `the limit of ${showBriefly(limit)}/h cannot be checked: ${why}`;
  if (isOver(perHour, limit)) {
    const [cost, most] = showBeside(perHour, limit);
    const brief = `over the limit: ${missing(summary.after.unknown + summary.notShown)}${about(summary.after)}${cost} of ${most}`;
    return { ...facts, ok: false, text: isMore(summary.after, limit), brief };
  }
  if (summary.problems.length > 0) return { ...facts, ok: false, text: "the preview failed, so the cost is unknown" };
  const rest = allowUnknownPrices ? notIncluding(summary.after) : "";
  const within = `${about(summary.after)}${showPerHour(perHour)} is within ${showPerHour(limit)}${rest}`;
  if (!allowUnknownPrices && known === 0 && unknown > 0) {
    const text = `no price is known, so it may be more than ${showPerHour(limit)}`;
    return { ...facts, ok: false, text, brief: unchecked("no price is known") };
  }
  const uncertainty = uncertaintyOf(summary, allowUnknownPrices);
  if (uncertainty === undefined) return { ...facts, ok: true, text: within };
  return { ...facts, ok: false, text: `${within}, but ${uncertainty}`, brief: unchecked(uncertainty) };
}

function missing(leftOut: number): string {
  return leftOut > 0 ? "at least " : "";
}

function isMore(sum: Sum, limit: number): string {
  const { perHour } = sum;
  const [cost, most] =
    showPerHour(perHour) === showPerHour(limit)
      ? showBeside(perHour, limit)
      : [showPerHour(perHour), showPerHour(limit)];
  return `${about(sum)}${cost} is more than ${most}`;
}

/** Why the sum may be incomplete: an unknown price is not zero, and what is not shown may have any price. */
function uncertaintyOf({ after, notShown }: Summary, allowUnknownPrices = false): string | undefined {
  if (after.unknown > 0 && !allowUnknownPrices)
    return `${count(after.unknown, "price")} ${after.unknown === 1 ? "is" : "are"} unknown`;
  if (notShown > 0) return `the preview does not show ${count(notShown, "unchanged resource")} (add --show-sames)`;
  return undefined;
}

function judgeLoss({ warnings, problems }: Summary): Verdict {
  const facts = { rule: "forbid-data-loss", unknownPrices: 0 } as const;
  const lost = warnings.filter(({ kind }) => kind === "data-loss").length;
  if (lost > 0) {
    return { ...facts, ok: false, text: `the contents of ${lost === 1 ? "one volume" : `${lost} volumes`} are lost` };
  }
  if (problems.length > 0) {
    return { ...facts, ok: false, text: "the preview failed, so what would be lost is unknown" };
  }
  return { ...facts, ok: true, text: "no volume loses its contents" };
}

/**
 * The stack's own budget, which the provider enforces at each create of its own: what is adopted is not refused, and what an explicit
 * provider rents from another account is not counted. `changes` are those of the account of the configuration. A limit that is a secret
 * is not shown.
 */
export function judgeBudget(
  changes: readonly BilledChange[],
  { problems }: Pick<Summary, "problems">,
  setting: Setting | undefined,
): Verdict | undefined {
  const { value, isSecret } = setting ?? { value: "", isSecret: false };
  const limit = Number(value ?? 0);
  if (value === "" || !Number.isFinite(limit)) return undefined;
  const rule = "stack-budget";
  if (problems.length > 0) {
    const text = problems.some(({ isTooDear }) => isTooDear)
      ? "the provider refuses what it would cost"
      : "the preview failed, so the cost is unknown";
    return { rule, ok: false, text, unknownPrices: 0 };
  }
  if (!changes.some(rents)) return { rule, ok: true, text: "nothing new is rented", unknownPrices: 0 };
  const peak = peakOf(changes);
  const { perHour, known, unknown: unknownPrices } = peak;
  if (value === undefined) {
    const text = "gpufleet:maxCostPerHour is a secret that cannot be read here, so the budget cannot be checked";
    return { rule, ok: false, text, brief: "the stack's budget cannot be checked: it is a secret", unknownPrices };
  }
  const named = isSecret ? "the budget, which is a secret" : showPerHour(limit);
  if (known === 0) {
    return { rule, ok: true, text: `no price is known, so it may be more than ${named}`, unknownPrices };
  }
  if (!isOver(perHour, limit)) {
    const within = `the peak of ${about(peak)}${showPerHour(perHour)} is within ${named}`;
    return { rule, ok: true, text: `${within}${notIncluding(peak)}`, unknownPrices };
  }
  const more = isSecret ? `${about(peak)}${showPerHour(perHour)} is more than ${named}` : isMore(peak, limit);
  const beside = isSecret ? showPerHour(perHour) : showBeside(perHour, limit).join(" of ");
  // What is adopted counts once it is there, which may be before or after something is rented.
  const verb = isOver(peakOf(changes, { isAdoptedCounted: false }).perHour, limit) ? "will" : "may";
  return {
    rule,
    ok: false,
    text: `the peak of ${more}: the provider ${verb} refuse it`,
    brief: `over the stack's budget: a peak of ${missing(unknownPrices)}${about(peak)}${beside}`,
    unknownPrices,
  };
}

/** Whether the provider of the configuration rents something for it. */
function rents(change: BilledChange): boolean {
  return !hasExplicitProvider(change) && change.starting.some(({ isAdopted }) => !isAdopted);
}

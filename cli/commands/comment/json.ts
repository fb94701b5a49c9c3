import { roundUsd } from "../../../provider/shared/money";
import { hoursPerDay, hoursPerMonth, type Sum, sumOf } from "../../money";
import { changedProperties, inPlainText, type Summary } from "../../preview";
import { markerOf } from "./marker";
import { peakOf, type Verdict } from "./verdicts";

/** The same as JSON. Money is in USD; `unknown` counts the prices that are not included. */
export function writeJson(summary: Summary, verdicts: readonly Verdict[]): string {
  const { project, stack, problems, warnings, before, after, delta, balance, policies } = summary;
  const failed = problems.length > 0;
  const report = {
    version: 1,
    project,
    stack,
    marker: markerOf(summary),
    failed,
    problems,
    warnings: warnings.map((warning) => ({ kind: warning.kind, name: warning.name, text: warning.say(inPlainText) })),
    dataLoss: warnings.filter(({ kind }) => kind === "data-loss").length,
    // A failed preview is incomplete, so its sums would be wrong.
    cost: failed
      ? null
      : {
          before: spread(before),
          after: spread(after),
          delta: spread(delta),
          peakPerHour: peakOf(summary),
          estimated: summary.estimated,
          unpriced: summary.unpriced,
          unchangedNotShown: summary.notShown,
        },
    gpus: failed ? null : summary.gpus,
    storageGb: failed ? null : summary.storageGb,
    regions: failed ? null : summary.regions,
    changes: summary.changes.map((change) => ({
      op: change.op,
      type: change.type,
      name: change.name,
      urn: change.urn,
      properties: changedProperties(change),
      cost: { before: sumOf(change.billedBefore), after: sumOf(change.billedAfter) },
    })),
    policies: policies ?? null,
    verdicts,
    balance: balance ?? null,
  };
  return `${JSON.stringify(report, null, 2)}\n`;
}

function spread({ perHour, unknown }: Sum) {
  return { perHour, perDay: roundUsd(perHour * hoursPerDay), perMonth: roundUsd(perHour * hoursPerMonth), unknown };
}

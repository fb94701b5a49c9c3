import { roundUsd } from "../../../provider/shared/money";
import { type Billable, hoursPerDay, hoursPerMonth, type Sum, sumOf } from "../../money";
import { changedProperties, type FleetChange, inPlainText, type Summary } from "../../preview";
import { headlineOf } from "./headline";
import { markerOf } from "./marker";
import type { Pipeline } from "./pipeline";
import type { Verdict } from "./verdicts";

/**
 * The same as JSON. Money is in USD. A sum leaves out unknown prices, and `unknown` counts them; where none is known, or where
 * the difference of two sums would be no figure, it is null.
 */
export function writeJson(summary: Summary, verdicts: readonly Verdict[], pipeline?: Pipeline): string {
  const { project, stack, problems, warnings, before, after, delta, costChange, balances, policies } = summary;
  const failed = problems.length > 0;
  const own = balances.find(({ account }) => account === undefined);
  const { kind, say } = headlineOf(summary, verdicts);
  const report = {
    version: 2,
    project,
    stack,
    marker: markerOf(summary),
    verdict: { kind, text: say(inPlainText) },
    failed,
    problems: problems.map(({ resource, message }) => ({ resource, message })),
    warnings: warnings.map((warning) => ({ kind: warning.kind, name: warning.name, text: warning.say(inPlainText) })),
    dataLoss: warnings.filter(({ kind }) => kind === "data-loss").length,
    // A failed preview is incomplete, so its sums would be wrong.
    cost: failed
      ? null
      : {
          currency: "USD",
          before: spread(before),
          after: spread(after),
          change: costChange,
          delta: spread(
            costChange.kind === "known"
              ? { ...delta, perHour: costChange.perHour, unknown: 0 }
              : { ...delta, known: 0 },
          ),
          peakPerHour: perHourOf(summary.peak),
          peakUnknown: summary.peak.unknown,
          estimated: after.estimated,
          unpriced: summary.unpriced.map(({ name }) => name),
          unchangedNotShown: summary.notShown,
        },
    gpus: failed ? null : summary.gpus,
    gpusByRegion: failed
      ? null
      : summary.gpuPlaces.map(({ model, region, before, after }) => ({ model, region: region ?? null, before, after })),
    storageGb: failed ? null : summary.storageGb,
    regions: failed ? null : summary.regions.map((row) => ({ ...row, perHour: perHourOf(row) })),
    fleets: summary.fleets.map(fleetRow),
    changes: summary.changes.map((change) => ({
      op: change.op,
      type: change.type,
      name: change.name,
      urn: change.urn,
      properties: changedProperties(change),
      cost: { before: costOf(change.billedBefore), after: costOf(change.billedAfter) },
    })),
    policies: policies ?? null,
    verdicts: verdicts.map(({ rule, ok, text, unknownPrices }) => ({ rule, ok, text, unknownPrices })),
    balance: own ? { usd: own.usd, running: own.running } : null,
    balances: balances.map(({ account, usd, running }) => ({ account: account ?? null, usd, running })),
    pipeline: pipeline ?? null,
  };
  return `${JSON.stringify(report, null, 2)}\n`;
}

function fleetRow({ name, machinesBefore, machinesAfter, billedBefore, billedAfter, changes }: FleetChange) {
  return {
    name,
    machines: { before: machinesBefore.length, after: machinesAfter.length },
    cost: { before: costOf(billedBefore), after: costOf(billedAfter) },
    changes: changes.map(({ op, name }) => ({ op, name })),
  };
}

function costOf(billables: readonly Billable[]) {
  const sum = sumOf(billables);
  return { ...sum, perHour: perHourOf(sum) };
}

function spread(sum: Sum) {
  const perHour = perHourOf(sum);
  const over = (hours: number) => (perHour === null ? null : roundUsd(perHour * hours));
  return { perHour, perDay: over(hoursPerDay), perMonth: over(hoursPerMonth), unknown: sum.unknown };
}

/** What is not known is no number. */
function perHourOf({ perHour, known, unknown }: Sum): number | null {
  return known === 0 && unknown > 0 ? null : perHour;
}

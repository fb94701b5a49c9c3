import { unresolvedFingerprint } from "../../../provider/lifecycle";
import { count } from "../../../provider/shared/count";
import { showDuration } from "../../../provider/shared/duration";
import { showPerHour, showUsd } from "../../../provider/shared/money";
import type { CostSummary, Gap, Orphan, Situation } from "../../account";
import { expiredRow, type Kept } from "../../expired";
import { about, ageOf, type Billable, showRate, sizeOf, unpriced } from "../../money";
import { commandLine } from "../../place";
import { type LeftOut, nounOf, phaseIn } from "../../stack";
import type { Finding } from "./finding";

/** What has expired and still runs. */
export function expiredFindings(kept: readonly Kept[]): Finding[] {
  return kept.map(({ expired, kind, reason }) => {
    const row = expiredRow(expired);
    const { overdueSeconds, costSince, unknown, costPerHour } = row;
    const least = unknown > 0 ? "at least " : "";
    const cost =
      costSince === null ? "cost since then unknown" : `${least}${about(row)}${showUsd(costSince)} since then`;
    return {
      kind: "expired",
      // Why it still runs is news, but not each new wording of it.
      subject: `expired ${expired.urn} ${kind}`,
      text: `${expired.name} (${nounOf(expired.type)}, ${sizeOf(expired)}) expired ${showDuration(overdueSeconds * 1000)} ago and still runs, ${cost}. Not destroyed: ${reason}`,
      ...factsOf({ ...expired, costPerHour: costPerHour ?? undefined }),
    };
  });
}

/** What this stack created and no state has. A young one may be in the making. */
export function orphanFindings(orphans: readonly Orphan[], graceMs: number): Finding[] {
  return orphans
    .filter((orphan) => {
      const age = ageOf(orphan);
      return age === null || age * 1000 >= graceMs;
    })
    .map((orphan) => {
      const age = ageOf(orphan);
      const facts = [sizeOf(orphan), age === null ? "age unknown" : `${showDuration(age * 1000)} old`, priceOf(orphan)];
      return {
        kind: "orphan",
        subject: `orphan ${orphan.type} ${orphan.id}`,
        text: `${nounOf(orphan.type)} ${orphan.id} is an orphan, in no state: ${facts.join(", ")}. ${adviceFor(orphan)}`,
        ...factsOf(orphan),
        id: orphan.id,
      };
    });
}

function adviceFor({ interrupted, replaced }: Orphan): string {
  if (interrupted)
    return `A run that was interrupted or is still going on may have created it: \`${commandLine("gpufleet recover")}\` settles that.`;
  if (replaced) return `It was replaced and kept: \`${commandLine("gpufleet orphans")}\` says more.`;
  return `\`${commandLine("gpufleet orphans")}\` says more.`;
}

/** What the state has and will not work again, or nobody knows: failed, gone, replaced and not yet deleted, or unresolved. */
export function brokenFindings({ own, unseen }: Pick<Situation, "own" | "unseen">): Finding[] {
  const failed = own.filter(({ type, status }) => phaseIn(type, status) === "failed");
  const isUnresolved = ({ id }: { id: string }) => unresolvedFingerprint(id) !== undefined;
  const gone = unseen.filter((one) => one.isGone && !isUnresolved(one));
  return [
    ...unseen.filter(isUnresolved).map(
      (one): Finding => ({
        kind: "unresolved",
        subject: `unresolved ${one.type} ${one.id}`,
        text: `${one.name} (${nounOf(one.type)}, ${sizeOf(one)}): it is unknown what its create has created, which may be running. \`${commandLine("pulumi up")}\` looks for it.`,
        ...factsOf(one),
        id: one.id,
      }),
    ),
    ...own
      .filter(({ isReplaced }) => isReplaced)
      .map(
        (one): Finding => ({
          kind: "replaced",
          subject: `replaced ${one.type} ${one.id}`,
          text: `${one.name} (${nounOf(one.type)} ${one.id}, ${sizeOf(one)}) was replaced and still runs, ${priceOf(one)}. If no run is under way, \`${commandLine("pulumi up")}\` deletes it.`,
          ...factsOf(one),
          id: one.id,
        }),
      ),
    ...failed.map(
      (one): Finding => ({
        kind: "failed",
        subject: `failed ${one.type} ${one.id}`,
        text: `${one.name} (${nounOf(one.type)} ${one.id}, ${sizeOf(one)}) has failed: its status is ${one.status}, ${priceOf(one)}. \`${commandLine("pulumi up --refresh")}\` replaces it.`,
        ...factsOf(one),
        id: one.id,
      }),
    ),
    ...gone.map(
      (one): Finding => ({
        kind: "missing",
        subject: `missing ${one.type} ${one.id}`,
        text: `${one.name} (${nounOf(one.type)} ${one.id}, ${sizeOf(one)}) is in the state, but the service no longer lists it. \`${commandLine("gpufleet doctor")}\` says more.`,
        ...factsOf(one),
        id: one.id,
      }),
    ),
  ];
}

type Money = Pick<CostSummary, "balance" | "total">;

/** A balance that does not last. An unknown price can only shorten it. */
export function balanceFindings({ balance, total }: Money, minHours: number | undefined): Finding[] {
  if (minHours === undefined || balance === null) return [];
  if (total.perHour <= 0) return balance <= 0 && total.unknown > 0 && minHours > 0 ? [usedUp(balance, total)] : [];
  const hours = Math.max(0, balance) / total.perHour;
  if (hours >= minHours) return [];
  const left = hours.toLocaleString("en-US", { maximumFractionDigits: 1 });
  const most = total.unknown > 0 ? "at most " : "";
  const besides = total.unknown > 0 ? `, plus ${count(total.unknown, "unknown price")}` : "";
  return [
    {
      kind: "balance",
      subject: "balance",
      text: `The balance of ${showUsd(balance)} lasts ${most}${left} h at ${about(total)}${showPerHour(total.perHour)}${besides}: less than ${minHours} h.`,
      costPerHour: total.perHour,
    },
  ];
}

/** Nothing has a known price, and something bills all the same. */
function usedUp(balance: number, { unknown }: Money["total"]): Finding {
  const text = `The balance of ${showUsd(balance)} is used up, and there ${unknown === 1 ? "is" : "are"} ${count(unknown, "unknown price")}.`;
  return { kind: "balance", subject: "balance", text };
}

/** Why a balance that seems enough need not be. */
export function balanceNotes({ balance, total }: Money, minHours: number | undefined): string[] {
  if (minHours === undefined || balance === null || total.unknown === 0) return [];
  return [`How long the balance lasts is not certain: ${count(total.unknown, "price")} unknown.`];
}

/** What could not be looked at, where something may be hidden. */
export function gapFindings(gaps: readonly Gap[]): Finding[] {
  return gaps.map(({ what, reason }) => ({
    kind: "unreadable",
    subject: `unreadable ${what}`,
    text: `Could not be read, and may hide something: ${what}: ${reason}`,
  }));
}

/** Accounts that could not be asked at all. */
export function leftOutFindings(leftOut: readonly LeftOut[]): Finding[] {
  return leftOut.map(({ provider, resources, reason }) => ({
    kind: "unreadable",
    subject: `unreadable account of ${provider}`,
    text: `Could not be asked, and may hide something: the account of ${provider}, with ${resources.join(", ") || "nothing in the state"}. ${reason}`,
  }));
}

function priceOf(billable: Billable): string {
  return showRate(billable) ?? unpriced;
}

function factsOf({ name, type, costPerHour }: Billable): Pick<Finding, "name" | "type" | "costPerHour"> {
  return { name, type, ...(costPerHour === undefined ? {} : { costPerHour }) };
}

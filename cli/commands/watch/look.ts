import { cleanText } from "../../../provider/shared/cleanText";
import { messageOf } from "../../../provider/shared/messageOf";
import { findBalance, groupOrphans, type Orphans, type Situation, type Situations, summarizeCost } from "../../account";
import { destroyExpired, type Ended, type Expired, expiredRow, findExpired, keep, whyKept } from "../../expired";
import { notListedNotes, sizeOf } from "../../money";
import { commandLine } from "../../place";
import { nounOf } from "../../stack";
import type { Destroyed, Finding, Report } from "./finding";
import {
  balanceFindings,
  balanceNotes,
  brokenFindings,
  expiredFindings,
  gapFindings,
  leftOutFindings,
  orphanFindings,
} from "./findings";

export interface LookRequest {
  /** Whether what has expired is to be destroyed. */
  destroyExpired: boolean;
  /** With it: do it. */
  yes: boolean;
  allowDataLoss: boolean;
  minBalanceHours: number | undefined;
  /** The minimum age of an orphan. */
  graceMs: number;
  /** What must appear in no report. */
  secrets: readonly string[];
  /** For what is said on the way. */
  say: (line: string) => void;
}

/** Looks once at a stack and its accounts, ends what has expired if that is asked for, and reports the rest. */
export async function lookAt({ situations, leftOut }: Situations, request: LookRequest): Promise<Report> {
  const [first] = situations;
  const now = first.runtime.client.serviceNow();
  // What may fail comes before anything is destroyed, so that what was destroyed is reported in any case.
  const orphans = new Map<Situation, Orphans>();
  for (const situation of situations) orphans.set(situation, await groupOrphans(situation));
  const { destroyed, kept } = await dealWithExpired(situations, request);
  const findings = expiredFindings(kept);
  const notes = new Set<string>();
  for (const [situation, found] of orphans) {
    const account = await reportAccount(without(situation, destroyed), found, request);
    findings.push(...account.findings);
    for (const note of account.notes) notes.add(note);
  }
  findings.push(...leftOutFindings(leftOut));
  return {
    stack: first.name,
    at: new Date(now).toISOString(),
    findings: findings.map((finding) => ({ ...finding, text: cleaned(finding.text, request) })),
    destroyed: destroyed.map(describe),
    notes: [...notes],
  };
}

/** What needs attention in one account, besides what has expired. */
async function reportAccount(
  situation: Situation,
  { own, unread }: Orphans,
  { minBalanceHours, graceMs }: LookRequest,
): Promise<Pick<Report, "findings" | "notes">> {
  const asksBalance = minBalanceHours !== undefined;
  const money = asksBalance ? await findBalance(situation.runtime.client) : { balance: undefined, gaps: [] };
  const cost = summarizeCost(situation, money);
  const states = unread.map(({ name, reason }) => ({ what: `state of ${name}`, reason }));
  const findings = [
    ...orphanFindings(own, graceMs),
    ...brokenFindings(situation),
    ...balanceFindings(cost, minBalanceHours),
    ...gapFindings([...situation.gaps, ...money.gaps, ...states]),
  ];
  return {
    findings: findings.map((finding) => inAccount(finding, situation.account)),
    notes: [...balanceNotes(cost, minBalanceHours), ...notListedNotes(situation.notListed)],
  };
}

/** Two accounts may have the same id, and each has a balance of its own. */
function inAccount(finding: Finding, account: string | undefined): Finding {
  if (account === undefined) return finding;
  return {
    ...finding,
    account,
    subject: `${finding.subject} ${account}`,
    text: `Account of ${account}: ${finding.text}`,
  };
}

/** What to report where nothing could be looked at. */
export function reportFailure(stack: string, error: unknown, at: Date, request: Pick<LookRequest, "secrets">): Report {
  const reason = messageOf(error);
  const finding: Finding = {
    kind: "error",
    subject: "error",
    text: cleaned(`Nothing could be checked: ${reason}`, request),
  };
  return { stack, at: at.toISOString(), findings: [finding], destroyed: [], notes: [] };
}

async function dealWithExpired(situations: readonly [Situation, ...Situation[]], request: LookRequest): Promise<Ended> {
  const [{ stack }] = situations;
  // Each account has answered, so that the time of its service is known.
  const judged = situations.map(({ state, runtime }) => ({
    state,
    by: { at: runtime.client.serviceNow(), here: Date.now() },
  }));
  const expired = findExpired(...judged);
  if (request.destroyExpired) return destroyExpired(stack, expired, request);
  const advice = `\`${commandLine("gpufleet expired --destroy --yes")}\` destroys it`;
  const kept = expired.flatMap((one) => whyKept(one, request) ?? keep([one], "notAsked", advice));
  return { destroyed: [], kept };
}

/** What is destroyed has neither failed nor does it cost anything. */
function without(situation: Situation, destroyed: readonly Expired[]): Situation {
  const urns = new Set(destroyed.map(({ urn }) => urn));
  const isLeft = ({ urn }: { urn: string }) => !urns.has(urn);
  return { ...situation, own: situation.own.filter(isLeft), unseen: situation.unseen.filter(isLeft) };
}

function describe(one: Expired): Destroyed {
  return {
    name: one.name,
    type: one.type,
    expiresAt: one.expiresAtTime,
    costPerHour: expiredRow(one).costPerHour,
    text: `${one.name} (${nounOf(one.type)}, ${sizeOf(one)}) had expired and was destroyed.`,
  };
}

const longestText = 600;

function cleaned(text: string, { secrets }: Pick<LookRequest, "secrets">): string {
  return cleanText(text, { secrets, max: longestText, hasOwnWords: true });
}

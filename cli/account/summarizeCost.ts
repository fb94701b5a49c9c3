import { unresolvedFingerprint } from "../../provider/lifecycle";
import { roundUsd } from "../../provider/shared/money";
import { type Billable, type BillableRow, compare, rowOf, type Sum, spentOn, sumOf } from "../money";
import { commandLineFor } from "../place";
import { type LeftOut, nounOf } from "../stack";
import { accountNames } from "./accounts";
import { findBalance } from "./balance";
import type { Gap } from "./gaps";
import type { InState, Situation, Situations, StackHolding } from "./situation";

/** What runs and what it costs, in USD. */
export interface CostSummary {
  stack: StackCost;
  /** Where it is about several stacks: each of them. `stack` has all of them together then. */
  stacks?: StackCost[];
  /** What the account runs besides. */
  elsewhere: CostGroup;
  total: CostSum;
  /** Null where it could not be read. */
  balance: number | null;
  /** Hours that the balance lasts at the known prices; null where nothing is billed. */
  hoursLeft: number | null;
  /** Plurals of what the service does not list: there may be more of them. */
  notListed: string[];
  /** What could not be read, and is not included. */
  unreadable: Gap[];
  /** What the state has and the service does not list: not included either. */
  missing: Missing[];
  /** Where the stack has several accounts: the balance of each. */
  accounts?: AccountBalance[];
  /** Resources of accounts that could not be asked: not included either. */
  leftOut?: LeftOut[];
}

export interface AccountBalance {
  /** `provider "other"`; null for the account of the configuration. */
  account: string | null;
  balance: number | null;
  hoursLeft: number | null;
}

export interface StackCost extends CostGroup {
  /** `project/stack` */
  name: string;
}

export interface Missing {
  /** `project/stack` */
  stack: string;
  name: string;
  /** "bare-metal rental" */
  kind: string;
  id: string;
}

export interface CostGroup extends CostSum {
  resources: CostRow[];
}

export interface CostSum extends Sum {
  /** Cost so far; null where it is unknown of all of them. */
  spent: number | null;
  /** How many it does not include, because their price or their age is unknown. */
  spentUnknown: number;
}

export interface CostRow extends BillableRow {
  id: string;
  /** Where there are several accounts: the one that has it, as `accounts` names it. */
  account?: string | null;
  /** Whether the service could not be asked, and this is what the state last knew. */
  isLastKnown: boolean;
  /** Whether it was replaced, and is still to be deleted by the next run. */
  isReplaced: boolean;
  spent: number | null;
}

export function summarizeCost(
  situation: Situation,
  { balance, gaps }: { balance: number | undefined; gaps: readonly Gap[] },
  account?: string | null,
): CostSummary {
  const { name, others, notListed } = situation;
  const stack = groupCosts(runningIn(situation), account);
  const elsewhere = groupCosts(others, account);
  const total = addSums([stack, elsewhere]);
  return {
    stack: { name, ...stack },
    elsewhere,
    total,
    balance: balance ?? null,
    hoursLeft: balance !== undefined && total.perHour > 0 ? Math.floor(Math.max(0, balance) / total.perHour) : null,
    notListed,
    unreadable: [...situation.gaps, ...gaps],
    missing: missingIn(situation),
  };
}

/** What a stack runs: what is listed, and what is in the state and in no list that could be read, because it is believed to run. */
export function runningIn({ own, unseen }: Pick<Situation, "own" | "unseen">): (StackHolding | InState)[] {
  return [...own, ...unseen.filter(({ isGone }) => !isGone).map((one) => ({ ...one, isLastKnown: true }))];
}

/** What of a summary is as the state last knew it. */
export function lastKnownIn({ stack }: Pick<CostSummary, "stack">): CostRow[] {
  return stack.resources.filter(({ isLastKnown }) => isLastKnown);
}

/** What the state has and the service no longer lists. */
export function missingIn({ name: stack, unseen }: Pick<Situation, "name" | "unseen">): Missing[] {
  return unseen.filter(({ isGone }) => isGone).map(({ name, type, id }) => ({ stack, name, kind: nounOf(type), id }));
}

/** The costs of all accounts of a stack. What is left of two balances is in no sum: each is of its own account. */
export async function summarizeCosts(
  { situations, leftOut }: Situations,
  names = accountNames(situations),
): Promise<CostSummary> {
  const summaries: CostSummary[] = [];
  for (const situation of situations) {
    const money = await findBalance(situation.runtime.client);
    summaries.push(summarizeCost(situation, money, names?.get(situation)));
  }
  const [first, ...others] = summaries;
  if (!first) throw new Error("a stack has at least one account");
  const missed = leftOut.length > 0 ? { leftOut } : {};
  if (others.length === 0) return { ...first, ...missed };
  return {
    stack: { name: first.stack.name, ...joinGroups(summaries.map(({ stack }) => stack)) },
    elsewhere: joinGroups(summaries.map(({ elsewhere }) => elsewhere)),
    total: addSums(summaries.map(({ total }) => total)),
    balance: null,
    hoursLeft: null,
    notListed: [...new Set(summaries.flatMap(({ notListed }) => notListed))],
    unreadable: summaries.flatMap(({ unreadable }) => unreadable),
    missing: summaries.flatMap(({ missing }) => missing),
    accounts: summaries.flatMap(({ balance, hoursLeft }, index) => {
      const situation = situations[index];
      return situation ? [{ account: names?.get(situation) ?? null, balance, hoursLeft }] : [];
    }),
    ...missed,
  };
}

export function joinGroups(groups: readonly CostGroup[]): CostGroup {
  return { ...addSums(groups), resources: groups.flatMap(({ resources }) => resources).sort(byPrice) };
}

export function addSums(sums: readonly CostSum[]): CostSum {
  const add = (key: "perHour" | "known" | "unknown" | "spent" | "spentUnknown") =>
    roundUsd(sums.reduce((total, sum) => total + (sum[key] ?? 0), 0));
  return withSpent(
    {
      perHour: add("perHour"),
      known: add("known"),
      unknown: add("unknown"),
      estimated: sums.some(({ estimated }) => estimated),
    },
    add("spent"),
    add("spentUnknown"),
  );
}

function withSpent(sum: Sum, spent: number, spentUnknown: number): CostSum {
  const isKnown = spentUnknown === 0 || spentUnknown < sum.known + sum.unknown;
  return { ...sum, spent: isKnown ? spent : null, spentUnknown };
}

/** What is in the state and in no sum, in words. */
export function missingNotes(missing: readonly Missing[]): string[] {
  return missing.map(({ stack, name, kind, id }) =>
    unresolvedFingerprint(id) === undefined
      ? `Not included, because the service does not list it: ${name} (${kind} ${id}). \`${commandLineFor("gpufleet doctor", stack)}\` says more.`
      : `Not included, because it is unknown what its create has created: ${name}. \`${commandLineFor("pulumi up", stack)}\` looks for it.`,
  );
}

/** The most expensive first. `account` is given where there are several. */
export function groupCosts(billables: readonly (Billable & { id: string })[], account?: string | null): CostGroup {
  const resources = billables.map((billable) => ({
    ...rowOf(billable),
    id: billable.id,
    ...(account !== undefined && { account }),
    isLastKnown: billable.isLastKnown === true,
    isReplaced: billable.isReplaced === true,
    spent: spentOn(billable) ?? null,
  }));
  const known = resources.flatMap(({ spent }) => (spent === null ? [] : [spent]));
  const spent = roundUsd(known.reduce((sum, one) => sum + one, 0));
  return {
    ...withSpent(sumOf(billables), spent, resources.length - known.length),
    resources: resources.sort(byPrice),
  };
}

function byPrice(one: CostRow, other: CostRow): number {
  return (
    (other.costPerHour ?? -1) - (one.costPerHour ?? -1) ||
    compare(one.kind, other.kind) ||
    compare(one.name, other.name) ||
    compare(one.id, other.id)
  );
}

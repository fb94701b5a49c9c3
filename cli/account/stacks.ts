import { count } from "../../provider/shared/count";
import { messageOf } from "../../provider/shared/messageOf";
import { roundUsd } from "../../provider/shared/money";
import type { Place, StackChoice } from "../place";
import { askedOnce, chooseStacks, type LeftOut, mapAtMost, Stack } from "../stack";
import { accountNames, accountsAmong, keysAmong } from "./accounts";
import type { Holding } from "./holdings";
import { readSituations, type Situation, type Situations } from "./situation";
import {
  type AccountBalance,
  addSums,
  type CostSummary,
  groupCosts,
  joinGroups,
  runningIn,
  summarizeCosts,
} from "./summarizeCost";

/** One stack or several, each with its accounts. */
export interface Stacks {
  all: [Situations, ...Situations[]];
  /** Those of several that could not be read. They are named where the first says what is left out. */
  failed: LeftOut[];
  close(): Promise<void>;
}

/** How many stacks are read at a time. */
const atOnce = 4;

/** One stack, or several: then those that cannot be read do not keep the others from being shown. */
export async function readStacks(choice: StackChoice, readOne = readSituations): Promise<Stacks> {
  const places = await chooseStacks(choice);
  const inBackend = askedOnce(new Stack({ cwd: choice.cwd }));
  const read: Situations[] = [];
  const close = async () => {
    for (const situations of read) await situations.close();
  };
  const failed: LeftOut[] = [];
  const tryOne = async (place: Place) => {
    try {
      const situations = await readOne(place, inBackend);
      read.push(situations);
      return [situations];
    } catch (error) {
      if (places.length === 1) throw error;
      failed.push({ stack: place.stack ?? "", provider: "", resources: [], reason: messageOf(error) });
      return [];
    }
  };
  const [first, ...rest] = eachStackOnce((await mapAtMost(atOnce, places, tryOne)).flat());
  if (!first) {
    const reasons = failed.map(({ stack, reason }) => `stack ${stack}: ${reason}`);
    throw new Error(reasons.join("\n") || "there is no stack to work on");
  }
  return { all: [{ ...first, leftOut: [...first.leftOut, ...failed] }, ...rest], failed, close };
}

/** A stack may be named twice, with its organization and without: it costs what it costs once. */
function eachStackOnce(all: readonly Situations[]): Situations[] {
  const nameOf = ({ situations: [{ identity }] }: Situations) => JSON.stringify(identity);
  return [...new Map(all.map((one) => [nameOf(one), one])).values()];
}

/** What the accounts of these stacks have and none of their states has. */
export function outsideOf(situations: readonly Situation[]): Holding[] {
  return outsideWith(situations).map(([, holding]) => holding);
}

/** The same, each with a situation that shows it. */
function outsideWith(situations: readonly Situation[]): [Situation, Holding][] {
  const keyIn = keysAmong(situations);
  const owned = new Set(situations.flatMap((situation) => runningIn(situation).map((one) => keyIn(situation, one))));
  const others = new Map(
    situations.flatMap((situation) =>
      situation.others.map((one): [string, [Situation, Holding]] => [keyIn(situation, one), [situation, one]]),
    ),
  );
  return [...others].flatMap(([key, found]) => (owned.has(key) ? [] : [found]));
}

/** What one stack costs, or several together: "elsewhere" is then what none of them has. */
export async function summarizeStacks(all: Stacks["all"]): Promise<CostSummary> {
  const situations = all.flatMap((one) => one.situations);
  const names = accountNames(situations);
  const summaries = [];
  for (const one of all) summaries.push(await summarizeCosts(one, names));
  const [first, ...others] = summaries;
  if (!first) throw new Error("there is no stack to work on");
  if (others.length === 0) return first;
  const stacks = summaries.map(({ stack }) => stack);
  const elsewhere = joinGroups(
    outsideWith(situations).map(([situation, one]) => groupCosts([one], names?.get(situation))),
  );
  const total = addSums([...stacks, elsewhere]);
  const leftOut = summaries.flatMap((summary) => summary.leftOut ?? []);
  return {
    stack: { name: titleOf(stacks), ...joinGroups(stacks) },
    stacks,
    elsewhere,
    total,
    ...balancesOf(all, summaries, total.perHour, names),
    notListed: [...new Set(summaries.flatMap(({ notListed }) => notListed))],
    unreadable: distinct(summaries.flatMap(({ unreadable }) => unreadable)),
    missing: summaries.flatMap(({ missing }) => missing),
    ...(leftOut.length > 0 ? { leftOut } : {}),
  };
}

/** One balance where all rent from one account; otherwise one for each. */
function balancesOf(
  all: Stacks["all"],
  summaries: readonly CostSummary[],
  perHour: number,
  names: ReturnType<typeof accountNames>,
) {
  const numbers = accountsAmong(all.flatMap(({ situations }) => situations));
  const accounts = new Map<number | undefined, AccountBalance>();
  for (const [index, { situations }] of all.entries()) {
    const { balance = null, hoursLeft = null, accounts: several } = summaries[index] ?? {};
    for (const [part, situation] of situations.entries()) {
      const found = several?.[part] ?? { balance, hoursLeft };
      const key = numbers.get(situation);
      if (!accounts.has(key)) accounts.set(key, { ...found, account: names?.get(situation) ?? null });
    }
  }
  const [only, another] = accounts.values();
  if (!only || another) return { balance: null, hoursLeft: null, accounts: [...accounts.values()] };
  const { balance } = only;
  return {
    balance,
    hoursLeft: balance !== null && perHour > 0 ? Math.floor(Math.max(0, balance) / roundUsd(perHour)) : null,
  };
}

/** Each once, by what they say. */
export function distinct<One>(all: readonly One[]): One[] {
  return [...new Map(all.map((one) => [JSON.stringify(one), one])).values()];
}

/** `fleet: 12 stacks` */
function titleOf(stacks: readonly { name: string }[]): string {
  const projects = [...new Set(stacks.map(({ name }) => name.slice(0, name.indexOf("/"))))];
  return `${projects.join(", ")}: ${count(stacks.length, "stack")}`;
}

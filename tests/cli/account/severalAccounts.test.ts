import { groupOrphans } from "../../../cli/account/groupOrphans";
import type { Situation, Situations } from "../../../cli/account/situation";
import { summarizeStacks } from "../../../cli/account/stacks";
import { costMetrics } from "../../../cli/commands/cost/prometheus";
import { judgeAge } from "../../../cli/commands/orphans/age";
import { orphansJson } from "../../../cli/commands/orphans/show";
import { type Account, openAccount } from "./openAccount";

const made = Date.UTC(2026, 0, 1);
const hour = 3_600_000;

describe("Accounts that count their ids alike", () => {
  let accounts: Account[];

  beforeAll(async () => {
    accounts = await Promise.all([1, 2].map(() => openAccount({ clock: { now: () => made } })));
    for (const { runtime } of accounts) {
      await runtime.client.createBareMetalRental({ gpuCount: 8, networkType: "infiniband", label: "by-hand" });
    }
  });

  afterAll(() => Promise.all(accounts.map((account) => account.close())));

  const situations = (...titles: (string | undefined)[]): Promise<Situation[]> =>
    Promise.all(accounts.map(async (account, index) => ({ ...(await account.situation()), account: titles[index] })));

  const asStack = ([first, ...rest]: readonly Situation[]): Situations => {
    if (!first) throw new Error("a stack has at least one account");
    return { situations: [first, ...rest], leftOut: [], close: async () => undefined };
  };

  async function series(...stacks: [Situations, ...Situations[]]) {
    const lines = costMetrics(await summarizeStacks(stacks)).split("\n");
    return lines.filter((line) => line.includes("{")).map((line) => line.slice(0, line.lastIndexOf(" ")));
  }

  const namesIn = (lines: readonly string[], metric: string) =>
    lines.filter((line) => line.startsWith(metric)).map((line) => /account="((?:[^"\\]|\\.)*)"/.exec(line)?.[1]);

  test("are told apart in the metrics of a stack, by the names that their balances have", async () => {
    const lines = await series(asStack(await situations(undefined, 'provider "other"')));
    expect(new Set(lines).size).toBe(lines.length);
    const names = ["", 'provider \\"other\\"'];
    expect(namesIn(lines, "gpufleet_cost_per_hour_usd")).toEqual(names);
    expect(namesIn(lines, "gpufleet_balance_usd")).toEqual(names);
  });

  test("are told apart where two providers have the same name", async () => {
    const lines = await series(asStack(await situations('provider "other"', 'provider "other"')));
    expect(namesIn(lines, "gpufleet_balance_usd")).toEqual(['provider \\"other\\"', 'provider \\"other\\" (2)']);
  });

  test("are told apart in those of several stacks, also where each has a provider of the same name", async () => {
    const [one, other] = await situations('provider "other"', 'provider "other"');
    if (!one || !other) throw new Error("there are two accounts");
    const lines = await series(asStack([{ ...one, name: "fleet/a" }]), asStack([{ ...other, name: "fleet/b" }]));
    expect(new Set(lines).size).toBe(lines.length);
    const names = ['provider \\"other\\" of fleet/a', 'provider \\"other\\" of fleet/b'];
    expect(namesIn(lines, "gpufleet_cost_per_hour_usd")).toEqual(names);
    expect(namesIn(lines, "gpufleet_balance_usd")).toEqual(names);
  });

  test("have no name where all stacks rent from one", async () => {
    const [one] = await situations();
    if (!one) throw new Error("there is an account");
    const lines = await series(asStack([{ ...one, name: "fleet/a" }]), asStack([{ ...one, name: "fleet/b" }]));
    expect(namesIn(lines, "gpufleet_cost_per_hour_usd")).toEqual([""]);
    expect(namesIn(lines, "gpufleet_balance_usd")).toEqual([""]);
  });
});

test("Each account's machines are as old as its own clock says", async () => {
  const behind = made - 8 * hour;
  const accounts = await Promise.all([made, behind].map((time) => openAccount({ clock: { now: () => time } })));
  try {
    const searched = [];
    for (const { runtime, label, situation } of accounts) {
      await runtime.client.createBareMetalRental({ gpuCount: 8, networkType: "infiniband", label: label("train") });
      searched.push(await situation());
    }
    const [first, second] = searched;
    if (!first || !second) throw new Error("there are two accounts");
    const cost = await summarizeStacks([{ situations: [first, second], leftOut: [], close: async () => undefined }]);
    expect(cost.elsewhere).toMatchObject({ spent: 0, resources: [{ ageSeconds: 0 }, { ageSeconds: 0 }] });
    const [one, other] = [await groupOrphans(first), await groupOrphans(second)];
    expect([...one.own, ...other.own].map((orphan) => judgeAge(orphan, hour).kind)).toEqual(["young", "young"]);
    expect(JSON.parse(orphansJson([one, other])).orphans).toMatchObject([{ ageSeconds: 0 }, { ageSeconds: 0 }]);
  } finally {
    for (const account of accounts) await account.close();
  }
});

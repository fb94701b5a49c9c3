import type { Situation, Situations } from "../../../cli/account/situation";
import { summarizeStacks } from "../../../cli/account/stacks";
import { costMetrics } from "../../../cli/commands/cost/prometheus";
import { type Account, openAccount } from "./openAccount";

const made = Date.UTC(2026, 0, 1);

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
    const lines = costMetrics(await summarizeStacks(stacks, made)).split("\n");
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

import { type Holding, listHoldings } from "../../../../cli/account/holdings";
import { addSums, groupCosts, summarizeCost } from "../../../../cli/account/summarizeCost";
import { costMetrics } from "../../../../cli/commands/cost/prometheus";
import { costJson, showCost } from "../../../../cli/commands/cost/show";
import { rowOf, usdCell } from "../../../../cli/money";
import { commandRuntime } from "../../../../cli/stack";
import { type Account, openAccount } from "../../account/openAccount";

const plain = (_style: string, text: string) => text;
const made = Date.UTC(2026, 0, 1);
const twoHoursLater = made + 7_200_000;

describe("gpufleet cost", () => {
  let account: Account;

  beforeAll(async () => {
    account = await openAccount({ clock: { now: () => made } });
    account.now = twoHoursLater;
    const { client } = account.runtime;
    await client.createBareMetalRental({ gpuCount: 8, networkType: "infiniband", label: account.label("train") });
    await client.createVmRental({ gpuCount: 1, label: "by-hand" });
    const [machine] = (await client.listMarketplaceMachines({ filters: {} })).instances;
    if (!machine) throw new Error("the marketplace is empty");
    await client.createMarketplaceInstance({ cluster_name: machine.cluster_name, node_name: machine.id, gpu_count: 2 });
  });

  afterAll(() => account.close());

  async function report() {
    const situation = await account.situation();
    const [own] = situation.others.filter(({ type }) => type === "BareMetalRental");
    if (!own) throw new Error("it is not listed");
    const inStack = { ...own, name: "train", urn: "urn" };
    return summarizeCost(
      { ...situation, own: [inStack], others: situation.others.filter((one) => one !== own) },
      { balance: 1000, gaps: [] },
    );
  }

  test("sums up what the stack and the rest of the account cost per hour and so far", async () => {
    expect(await report()).toMatchObject({
      stack: {
        name: "fleet/dev",
        perHour: 19.92,
        spent: 39.84,
        unknown: 0,
        resources: [{ name: "train", ageSeconds: 7200 }],
      },
      elsewhere: { perHour: 0.8, spent: 1.6, unknown: 1 },
      total: { perHour: 20.72, spent: 41.44, unknown: 1 },
      hoursLeft: 48,
    });
  });

  test("prices by the price book what the service shows no price of, and says so", async () => {
    const config = (key: string) => (key === "prices" ? '{"h100": 2.5}' : undefined);
    const runtime = commandRuntime(config, { GPUFLEET_BASE_URL: account.url, GPUFLEET_API_KEY: "emulator-key" });
    const { holdings } = await listHoldings(runtime);
    await runtime.client.close();
    const [vm] = holdings.filter(({ type }) => type === "VmRental");
    expect(vm).toMatchObject({ costPerHour: 2.5, estimated: true });
    if (vm) expect(usdCell(2.5, rowOf(vm))).toBe("≈ $2.50");
  });

  test("marks sums that have a price of the price book, in text and in JSON", async () => {
    const situation = await account.situation();
    const byBook = (one: Holding) => (one.type === "VmRental" ? { ...one, costPerHour: 2.5, estimated: true } : one);
    const money = { balance: 1000, gaps: [] };
    const cost = summarizeCost({ ...situation, others: situation.others.map(byBook) }, money);
    const shown = showCost(cost, plain);
    expect(shown).toContain("Elsewhere in the account  ≈ $23.22/h, ≈ $557.28 a day, ≈ $46.44 so far\n");
    expect(shown).toContain("Total    ≈ $23.22/h, ");
    const sums = { stack: { estimated: false }, elsewhere: { estimated: true }, total: { estimated: true } };
    expect(JSON.parse(costJson(cost))).toMatchObject(sums);
    const several = { ...cost, stacks: [cost.stack, { ...cost.stack, ...cost.elsewhere }] };
    expect(showCost(several, plain)).toMatch(/fleet\/dev +3 +≈ \$23\.22 +≈ \$46\.44/);
    expect(JSON.parse(costJson(several))).toMatchObject({ inStacks: { perHour: 0, estimated: false } });
  });

  test("prints JSON with a version, the currency and what each resource has as numbers", async () => {
    const json: unknown = JSON.parse(costJson(await report()));
    expect(json).toMatchObject({
      version: 1,
      currency: "USD",
      stack: { resources: [{ gpuModel: "h100", gpuCount: 8, costPerHour: 19.92, spent: 39.84, estimated: false }] },
      total: { unknown: 1 },
    });
  });

  test("prints metrics: a price that is unknown has no sample, and is counted", async () => {
    const text = costMetrics(await report());
    expect(text).toContain(
      'gpufleet_cost_per_hour_usd{stack="fleet/dev",account="",name="train",id="1001",type="BareMetalRental",region="us-central-1",status="Running",gpu_model="h100"} 19.92\n',
    );
    expect(text).toContain("gpufleet_unknown_prices 1\n");
    expect(text).toContain('gpufleet_balance_usd{account=""} 1000\n');
    expect(text).not.toMatch(/cost_per_hour_usd\{[^}]*VmRental/);
    const summary = await report();
    for (const row of summary.elsewhere.resources) row.name = 'a "b"\\\nc\u001b[31m\u202e';
    expect(costMetrics(summary)).toContain('name="a \\"b\\"\\\\ c"');
  });

  test("prints a table", async () => {
    const instance = (await report()).elsewhere.resources[0]?.name;
    expect(showCost(await report(), plain)).toBe(
      `Stack fleet/dev  $19.92/h, $478.08 a day, $39.84 so far
  NAME   KIND               SIZE    REGION        STATUS     AGE     $/H  SO FAR
  train  bare-metal rental  8×h100  us-central-1  Running  2h00m  $19.92  $39.84

Elsewhere in the account  $0.80/h, $19.20 a day, $1.60 so far, and 1 at an unknown price
  NAME                 KIND                    SIZE        REGION        STATUS     AGE      $/H   SO FAR
  ${instance}  marketplace instance    2×RTX-4090  –             running  2h00m    $0.80    $1.60
  by-hand              virtual-machine rental  1×h100      us-central-1  Running  2h00m  unknown  unknown

Total    $20.72/h, $497.28 a day, $41.44 so far, and 1 at an unknown price
Balance  $1,000.00, lasts at most 48 h at this rate`,
    );
  });

  test("takes an unknown age for no cost so far, and not for a cost of zero", async () => {
    const billable = { type: "BareMetalRental", costPerHour: 19.92, seenAt: twoHoursLater };
    const aged = { ...billable, name: "aged", id: "1", createdAt: new Date(made).toISOString() };
    const ageless = { ...billable, name: "ageless", id: "2" };
    const group = (...all: (typeof aged | typeof ageless)[]) => groupCosts(all);
    expect(group(aged, ageless)).toMatchObject({ perHour: 39.84, spent: 39.84, spentUnknown: 1 });
    expect(group(ageless)).toMatchObject({ perHour: 19.92, spent: null, spentUnknown: 1 });
    expect(group()).toMatchObject({ spent: 0, spentUnknown: 0 });
    expect(addSums([group(aged), group(ageless)])).toMatchObject({ spent: 39.84, spentUnknown: 1 });
    expect(addSums([group(), group(ageless)])).toMatchObject({ spent: null, spentUnknown: 1 });
    const summary = await report();
    const both = { ...summary, stack: { ...summary.stack, ...group(aged, ageless) } };
    expect(showCost(both, plain)).toContain("$39.84 (without 1 of unknown age) so far");
    const none = { ...summary, stack: { ...summary.stack, ...group(ageless) } };
    expect(showCost(none, plain)).toContain("$478.08 a day, unknown so far");
  });

  test("says in the metrics that something is not included", async () => {
    const summary = await report();
    expect(costMetrics(summary)).toContain("\ngpufleet_not_included 0\n");
    const partial = { ...summary, unreadable: [{ what: "storage volumes", reason: "403" }], notListed: ["x"] };
    expect(costMetrics(partial)).toContain("\ngpufleet_not_included 2\n");
  });

  test("says so where nothing runs", async () => {
    const empty = await openAccount();
    const text = showCost(summarizeCost(await empty.situation(), { balance: 5, gaps: [] }), plain);
    await empty.close();
    expect(text).toBe(
      "Stack fleet/dev\n  nothing\n\nElsewhere in the account\n  nothing\n\nTotal    $0.00/h, $0.00 a day, $0.00 so far\nBalance  $5.00",
    );
  });
});

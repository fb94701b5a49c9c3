import { groupOrphans } from "../../../cli/account/groupOrphans";
import type { Situation, Situations } from "../../../cli/account/situation";
import { readStacks, summarizeStacks } from "../../../cli/account/stacks";
import { costJson, showCost } from "../../../cli/commands/cost/show";
import { takeInventory } from "../../../cli/commands/ls/inventory";
import { severalJson, showSeveral } from "../../../cli/commands/orphans/severalStacks";
import { writeReport } from "../../../cli/commands/report/write";
import { stacksIn } from "../../../cli/options";
import type { State } from "../../../cli/stack/state";
import { type Account, openAccount } from "./openAccount";

const plain = (_style: string, text: string) => text;
const made = Date.UTC(2026, 0, 1);
const hourLater = made + 3_600_000;
const type = "pulumi-nodejs:dynamic/gpufleet:BareMetalRental";

/** Three stacks of one account: two are asked for together, of the third only its state is there. */
describe("Several stacks beside one account", () => {
  let account: Account;
  const ids: Record<string, number> = {};

  beforeAll(async () => {
    account = await openAccount({ clock: { now: () => made } });
    account.now = hourLater;
    const rent = async (name: string, label: string) => {
      const { client } = account.runtime;
      ids[name] = (await client.createBareMetalRental({ gpuCount: 8, networkType: "infiniband", label })).id;
    };
    await rent("a", account.label("train", "a"));
    // A label that somebody chose does not tell whose it is.
    await rent("b", "chosen");
    await rent("lostByB", account.label("lost", "b"));
    await rent("c", account.label("train", "c"));
    await rent("byHand", "by-hand");
  });

  afterAll(() => account.close());

  const stateOf = (stack: string, ...names: string[]): State => ({
    version: 3,
    deployment: {
      resources: names.map((name) => ({
        urn: `urn:pulumi:${stack}::fleet::${type}::${name}`,
        type,
        custom: true,
        id: String(ids[name]),
        inputs: { gpuCount: 8, gpuType: "h100" },
        outputs: { gpuCount: 8, gpuType: "h100" },
      })),
    },
  });

  async function situations() {
    const states = ["a", "b", "c"].map((name) => ({ name: `fleet/${name}`, state: stateOf(name, name) }));
    const beside = (name: string) => ({ stacks: states.filter((other) => other.name !== `fleet/${name}`) });
    return Promise.all(["a", "b"].map((name) => account.situation(stateOf(name, name), beside(name), name)));
  }

  const asStack = (situation: Situation): Situations => ({
    situations: [situation],
    leftOut: [],
    close: async () => undefined,
  });

  async function stacks(): Promise<[Situations, ...Situations[]]> {
    const [first, ...rest] = (await situations()).map(asStack);
    if (!first) throw new Error("there is no stack");
    return [first, ...rest];
  }

  async function searched() {
    const found = await situations();
    return Promise.all(found.map(async (situation) => ({ situation, orphans: await groupOrphans(situation) })));
  }

  test("cost together what each costs, and the rest of the account is what none of them has", async () => {
    const cost = await summarizeStacks(await stacks());
    expect(showCost(cost, plain)).toMatch(
      /^2 stacks {2}\$39\.84\/h, \$956\.16 a day, \$39\.84 so far\n {2}STACK +BILLABLE +\$\/H +SO FAR\n {2}fleet\/a +1 +\$19\.92 +\$19\.92\n {2}fleet\/b +1 +\$19\.92 +\$19\.92\n\nElsewhere in the account {2}\$59\.76\/h/,
    );
    expect(JSON.parse(costJson(cost))).toMatchObject({
      stacks: [
        { name: "fleet/a", resources: [{ id: String(ids["a"]) }] },
        { name: "fleet/b", perHour: 19.92 },
      ],
      inStacks: { perHour: 39.84, spent: 39.84 },
      elsewhere: { perHour: 59.76 },
      total: { perHour: 99.6 },
      balance: expect.any(Number),
      hoursLeft: expect.any(Number),
    });
  });

  test("cost once what one of them could not list, and another one could", async () => {
    const [a, b] = await situations();
    if (!a || !b) throw new Error("there are two stacks");
    const unseen = b.own.map(({ attachedTo: _attached, ...one }) => ({ ...one, isGone: false }));
    const all: [Situations, ...Situations[]] = [asStack(a), asStack({ ...b, own: [], unseen })];
    expect((await summarizeStacks(all)).total.perHour).toBe(99.6);
    expect((await takeInventory(all, { ofAccount: true })).entries.map(({ id }) => id).sort()).toEqual(
      Object.values(ids).map(String).sort(),
    );
  });

  test("are each read once, also where one is named with its organization, too", async () => {
    const [known] = await stacks();
    const choice = { cwd: ".", names: ["a", "organization/fleet/a"], all: false };
    const { all } = await readStacks(choice, async () => known);
    expect(all).toHaveLength(1);
  });

  const shown = { graceMs: 3_600_000 };

  test("have the orphans that one of them created; what one of them has is none, and is not listed at all", async () => {
    const found = await searched();
    stacksIn({ cwd: ".", stack: ["a", "b"] });
    const text = showSeveral(found, plain, shown);
    stacksIn({ cwd: ".", stack: [] });
    expect(text).toMatch(/^Orphans, created by fleet\/b but in no state: 1, \$19\.92\/h\n/);
    expect(text).toContain(`To delete the machines: gpufleet orphans --delete ${ids["lostByB"]} --yes --stack b\n`);
    expect(text).toMatch(/^In stack fleet\/c: 1, /m);
    expect(text).toMatch(/^Created by hand or by other programs: 1, /m);
    expect(text).not.toMatch(/In stack fleet\/[ab]|other stacks|chosen/);
    const { stacks, orphans: own } = JSON.parse(severalJson(found));
    expect(stacks).toEqual(["fleet/a", "fleet/b"]);
    expect(own).toMatchObject([{ id: String(ids["lostByB"]), stack: "fleet/b" }]);
  });

  test("have none where what each created is in a state", async () => {
    const [a] = await situations();
    if (!a) throw new Error("there is no such stack");
    const both = [a, { ...a, name: "fleet/z", marks: ["zzzzzz"] }];
    const found = await Promise.all(
      both.map(async (situation) => ({ situation, orphans: await groupOrphans(situation) })),
    );
    expect(showSeveral(found, plain, shown)).toMatch(
      /^No orphans: everything that these 2 stacks created is in a state\.\n/,
    );
  });

  describe("of which one cannot be read", () => {
    const choice = (...names: string[]) => ({ cwd: ".", names, all: false });
    const refused = new Error('refused: BareMetalRental "old": it is at https://old.example.');
    const readAll = async (...names: string[]) => {
      const [known] = await stacks();
      return readStacks(choice(...names), async ({ stack }) => {
        if (stack !== "a") throw refused;
        return known;
      });
    };

    test("are shown without it, and it is named with the reason", async () => {
      const { all, failed } = await readAll("b", "a");
      expect(failed).toMatchObject([{ stack: "b" }]);
      expect(all.flatMap(({ situations }) => situations.map(({ name }) => name))).toEqual(["fleet/a"]);
      const cost = await summarizeStacks(all);
      expect(showCost(cost, plain)).toContain(`\nNot included: stack b. ${refused.message}`);
      expect(JSON.parse(costJson(cost))).toMatchObject({ leftOut: [{ stack: "b", reason: refused.message }] });
    });

    test("are an error that names each, where none can be read, and the error itself where it is the only one", async () => {
      await expect(readAll("b", "c")).rejects.toThrow(`stack b: ${refused.message}\nstack c: ${refused.message}`);
      await expect(readAll("b")).rejects.toBe(refused);
    });
  });

  test("are one page, with a section for each", async () => {
    const all = await stacks();
    const cost = await summarizeStacks(all);
    const [first, ...rest] = all;
    const everywhere = rest.flatMap((one) => one.situations);
    const html = await writeReport([...first.situations, ...everywhere], { cost, preview: undefined, now: hourLater });
    expect(html).toContain("<h1>fleet: 2 stacks</h1>");
    expect(html.match(/<h2>.*?<\/h2>/g)).toEqual([
      "<h2>By region and model</h2>",
      '<h2>In fleet/a <span class="soft">1 resource · $19.92/h</span></h2>',
      '<h2>In fleet/b <span class="soft">1 resource · $19.92/h</span></h2>',
      '<h2>Elsewhere in the account <span class="soft">3 resources · $59.76/h</span></h2>',
    ]);
    expect(html).toContain("16<small>2 billable resources</small>");
  });
});

import { findBalance } from "../../../cli/account/balance";
import { groupOrphans } from "../../../cli/account/groupOrphans";
import { listHoldings } from "../../../cli/account/holdings";
import { summarizeCost } from "../../../cli/account/summarizeCost";
import { showCost } from "../../../cli/commands/cost/show";
import { orphansJson, showOrphans } from "../../../cli/commands/orphans/show";
import { writeReport } from "../../../cli/commands/report/write";
import { commandRuntime } from "../../../cli/stack/runtime";
import type { State } from "../../../cli/stack/state";
import type { FaultSpec } from "../../../emulator";
import { UnauthorizedError } from "../../../provider/client";
import { type Account, openAccount } from "./openAccount";

const plain = (_style: string, text: string) => text;
const made = Date.UTC(2026, 0, 1);

const always = (path: string, body: unknown): FaultSpec => ({
  match: { method: "GET", path },
  times: 100,
  kind: "status",
  status: 200,
  body,
});
const strangeInstances = always("/v1/marketplace/instances", { rows: [] });

/** A part of the service that cannot be read costs its own part, and nothing else. */
describe("A part of the service that cannot be read", () => {
  let account: Account;

  beforeEach(async () => {
    account = await openAccount({ clock: { now: () => made } });
    const rental = { gpuCount: 8, networkType: "infiniband", label: account.label("train") } as const;
    await account.runtime.client.createBareMetalRental(rental);
  });

  afterEach(() => account.close());

  const state = (type: string, id: string, outputs: object = {}) => {
    const whole = `pulumi-nodejs:dynamic/gpufleet:${type}`;
    const resource = { urn: `urn:pulumi:dev::fleet::${whole}::it`, type: whole, id, outputs: { ...outputs } };
    return { version: 3, deployment: { resources: [resource] } };
  };

  /** The bare-metal rentals, with one among them whose record is in no known form. */
  function spoilOne(id: string | undefined) {
    const { client } = account.runtime;
    const listBareMetalRentals: typeof client.listBareMetalRentals = async (call) =>
      Object.assign(await client.listBareMetalRentals(call), { unreadable: [{ id, reason: "termType is missing" }] });
    Object.defineProperty(account.runtime, "client", { value: { ...client, listBareMetalRentals } });
  }

  test("costs `cost` only that part, and a line says so", async () => {
    account.emulator.faults.add(strangeInstances);
    const summary = summarizeCost(await account.situation(), { balance: 100, gaps: [] });
    expect(summary.elsewhere.perHour).toBe(19.92);
    expect(summary.unreadable).toEqual([{ what: "marketplace instances", reason: expect.any(String) }]);
    expect(showCost(summary, plain)).toMatch(
      /\n {2}train .*\$19\.92[\s\S]*\nNot included, because it could not be read: marketplace instances: GET \/v1\/marketplace\/instances .*$/,
    );
  });

  test("costs `cost` only the balance, where that is it", async () => {
    account.emulator.faults.add(always("/billing/get_current_balance", { credits: "many" }));
    const found = await findBalance(account.runtime.client);
    const summary = summarizeCost(await account.situation(), found);
    expect(summary).toMatchObject({ balance: null, hoursLeft: null, unreadable: [{ what: "balance" }] });
    expect(showCost(summary, plain)).toMatch(/\nBalance {2}unknown\nNot included, .*: balance: /);
  });

  test("costs `cost` only one record, where that is it; what the state has of it is believed to run", async () => {
    spoilOne("7");
    const inState = state("BareMetalRental", "7", { gpuType: "h100", gpuCount: 8, costPerHour: 5 });
    const summary = summarizeCost(await account.situation(inState), { balance: 100, gaps: [] });
    expect(summary).toMatchObject({
      stack: { perHour: 5, resources: [{ name: "it", id: "7", isLastKnown: true }] },
      elsewhere: { perHour: 19.92 },
      unreadable: [{ what: "bare-metal rental 7", reason: "termType is missing" }],
      missing: [],
    });
    const text = showCost(summary, plain);
    expect(text).toMatch(/\n {2}it +bare-metal rental .* last known +–/);
    expect(text).toContain("Included as the state last knew it, because it could not be read: bare-metal rental 7: ");
  });

  test("costs nothing for what the rest of the list shows to have ended", async () => {
    await account.close();
    account = await openAccount({ clock: { now: () => made }, dialect: "rich" });
    const { client } = account.runtime;
    const { id } = await client.createBareMetalRental({ gpuCount: 8, networkType: "infiniband" });
    await client.terminateRental({ rentalType: "bare-metal", rentalId: id });
    spoilOne("7");
    const inState = state("BareMetalRental", String(id), { gpuType: "h100", gpuCount: 8, costPerHour: 5 });
    const summary = summarizeCost(await account.situation(inState), { balance: 100, gaps: [] });
    expect(summary).toMatchObject({ stack: { perHour: 0 }, missing: [{ name: "it" }] });
  });

  test("is not said to be left out where the state knows some of it", async () => {
    account.emulator.faults.add(always("/v2/alpha/on-demand/virtual-machine-rentals", { rows: [] }));
    const inState = state("VmRental", "7", { gpuType: "h100", gpuCount: 1, costPerHour: 2.49, status: "Running" });
    const text = showCost(summarizeCost(await account.situation(inState), { balance: 100, gaps: [] }), plain);
    expect(text).toMatch(/\n {2}it .* Running \(last known\) .*\$2\.49/);
    expect(text).toMatch(
      /\nNot included, except as the state last knew them, because it could not be read: virtual-machine rentals: GET .*$/,
    );
  });

  /** The first line of `orphans`. */
  const said = async (given: State) =>
    showOrphans(await groupOrphans(await account.situation(given)), plain, { graceMs: 0 }).split("\n")[0];

  test("is not all that orphans depend on: a create that is not settled may have made one", async () => {
    const bare = state("BareMetalRental", "1001", { label: account.label("train") });
    expect(await said(bare)).toBe("No orphans: everything that fleet/dev created is in a state.");
    const lost = state("MarketplaceInstance", "unresolved:cluster/node/2");
    lost.deployment.resources.push(...bare.deployment.resources);
    expect(await said(lost)).toBe("No orphan of fleet/dev found, but it is unknown what was created for it.");
  });

  test("may hold orphans, so that nobody is told that there are none", async () => {
    const bare = state("BareMetalRental", "1001", { label: account.label("train") });
    account.emulator.faults.add(always("/v2/alpha/on-demand/virtual-machine-rentals", { rows: [] }));
    expect(await said(bare)).toBe(
      "No orphan of fleet/dev found, but not everything was looked at: virtual-machine rentals.",
    );
  });

  test("is not said to have nothing", async () => {
    account.emulator.faults.add(always("/v2/alpha/on-demand/bare-metal-rentals", { rows: [] }));
    const nothing = showCost(summarizeCost(await account.situation(), { balance: 100, gaps: [] }), plain);
    expect(nothing).toContain("Elsewhere in the account\n  nothing that could be read\n");
  });

  test("has nothing of its kind called gone: that takes a list that can be read", async () => {
    const inState = state("BareMetalRental", "7", { gpuType: "h100", gpuCount: 8, costPerHour: 5 });
    const complete = summarizeCost(await account.situation(inState), { balance: 100, gaps: [] });
    expect(complete.stack.perHour).toBe(0);
    expect(showCost(complete, plain)).toContain(
      "Not included, because the service does not list it: it (bare-metal rental 7). `gpufleet doctor` says more.",
    );
  });

  test("costs `orphans` only that part, and a line says so", async () => {
    account.emulator.faults.add(strangeInstances);
    const orphans = await groupOrphans(await account.situation());
    expect(orphans.own).toHaveLength(1);
    expect(showOrphans(orphans, plain, { graceMs: 0 })).toContain(
      "Not included, because it could not be read: marketplace instances: ",
    );
    expect(JSON.parse(orphansJson([orphans])).unreadable).toMatchObject([{ what: "marketplace instances" }]);
  });

  test("costs `report` only that part, and a line says so", async () => {
    account.emulator.faults.add(strangeInstances);
    const gaps = [{ what: "balance", reason: "it has another form" }];
    const situation = await account.situation();
    const cost = summarizeCost(situation, { balance: undefined, gaps });
    const html = await writeReport([situation], { cost, preview: undefined, now: made });
    expect(html).toContain('<div class="name">train</div>');
    expect(html).toContain("<dd>unknown<small>could not be read</small></dd>");
    expect(html).toContain("<li>Not included, because it could not be read: marketplace instances: ");
    expect(html).toContain("<li>Not included, because it could not be read: balance: it has another form</li>");
  });

  test("is an error where it is all of it", async () => {
    const rejected = { GPUFLEET_BASE_URL: account.url, GPUFLEET_API_KEY: "another-key" };
    const runtime = commandRuntime(() => undefined, rejected);
    await expect(listHoldings(runtime)).rejects.toThrow(UnauthorizedError);
    await runtime.client.close();
  });
});

import { findBalance } from "../../../cli/account/balance";
import { groupOrphans } from "../../../cli/account/groupOrphans";
import { listHoldings } from "../../../cli/account/holdings";
import { summarizeCost } from "../../../cli/account/summarizeCost";
import { showCost } from "../../../cli/commands/cost/show";
import { orphansJson, showOrphans } from "../../../cli/commands/orphans/show";
import { writeReport } from "../../../cli/commands/report/write";
import { commandRuntime } from "../../../cli/stack/runtime";
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
    const summary = summarizeCost(await account.situation(), { balance: 100, gaps: [] }, made);
    expect(summary.elsewhere.perHour).toBe(19.92);
    expect(summary.unreadable).toEqual([{ what: "marketplace instances", reason: expect.any(String) }]);
    expect(showCost(summary, plain)).toMatch(
      /\n {2}train .*\$19\.92[\s\S]*\nNot included, because it could not be read: marketplace instances: GET \/v1\/marketplace\/instances .*$/,
    );
  });

  test("costs `cost` only the balance, where that is it", async () => {
    account.emulator.faults.add(always("/billing/get_current_balance", { credits: "many" }));
    const found = await findBalance(account.runtime.client);
    const summary = summarizeCost(await account.situation(), found, made);
    expect(summary).toMatchObject({ balance: null, hoursLeft: null, unreadable: [{ what: "balance" }] });
    expect(showCost(summary, plain)).toMatch(/\nBalance {2}unknown\nNot included, .*: balance: /);
  });

  test("costs `cost` only one record, where that is it; what the state has of it is believed to run", async () => {
    spoilOne("7");
    const inState = state("BareMetalRental", "7", { gpuType: "h100", gpuCount: 8, costPerHour: 5 });
    const summary = summarizeCost(await account.situation(inState), { balance: 100, gaps: [] }, made);
    expect(summary).toMatchObject({
      stack: { perHour: 5, resources: [{ name: "it", id: "7" }] },
      elsewhere: { perHour: 19.92 },
      unreadable: [{ what: "bare-metal rental 7", reason: "termType is missing" }],
      missing: [],
    });
  });

  test("has nothing of its kind called gone: that takes a list that can be read", async () => {
    const inState = state("BareMetalRental", "7", { gpuType: "h100", gpuCount: 8, costPerHour: 5 });
    const complete = summarizeCost(await account.situation(inState), { balance: 100, gaps: [] }, made);
    expect(complete.stack.perHour).toBe(0);
    expect(showCost(complete, plain)).toContain(
      "Not included, because the service does not list it: it (bare-metal rental 7). `gpufleet doctor` says more.",
    );
  });

  test("costs `orphans` only that part, and a line says so", async () => {
    account.emulator.faults.add(strangeInstances);
    const orphans = await groupOrphans(await account.situation());
    expect(orphans.own).toHaveLength(1);
    expect(showOrphans(orphans, made, plain, { graceMs: 0 })).toContain(
      "Not included, because it could not be read: marketplace instances: ",
    );
    expect(JSON.parse(orphansJson([orphans], made)).unreadable).toMatchObject([{ what: "marketplace instances" }]);
  });

  test("costs `report` only that part, and a line says so", async () => {
    account.emulator.faults.add(strangeInstances);
    const gaps = [{ what: "balance", reason: "it has another form" }];
    const situation = await account.situation();
    const cost = summarizeCost(situation, { balance: undefined, gaps }, made);
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

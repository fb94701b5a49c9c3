import { createEmulator, defaults } from "../../emulator";
import { createClient } from "../../provider/client";
import { bareMetalRentals, viewOfVm } from "../../provider/resources";
import {
  balance,
  costPerHourOf,
  listedBareMetalRental,
  listedMarketplaceMachine,
  listedStorageVolume,
  marketplaceInstance,
  readableVmRental,
} from "../../provider/service";

const bareMetal = (fields: object) => bareMetalRentals.view(listedBareMetalRental.parse({ id: 1, ...fields }), 0);
const vm = (fields: object) => viewOfVm(readableVmRental.parse({ id: 1, ...fields }), 0);
const volume = (fields: object) => ({ costPerHour: costPerHourOf(listedStorageVolume.parse({ id: 1, ...fields })) });

describe("The price of a rental or a volume", () => {
  test.each([
    ["a bare-metal rental", bareMetal],
    ["a virtual machine", vm],
    ["a volume", volume],
  ])("is read alike of %s: in USD or in cents, as the name of the field says", (_, view) => {
    expect(view({ costPerHour: "2.5" }).costPerHour).toBe(2.5);
    expect(view({ costPerHourCents: 250 }).costPerHour).toBe(2.5);
    expect(view({ costPerHour: 2.5, costPerHourCents: 9999 }).costPerHour).toBe(2.5);
    expect(view({ costPerHour: null, costPerHourCents: 250 }).costPerHour).toBe(2.5);
    expect(view({ costPerHour: 0, costPerHourCents: 250 }).costPerHour).toBe(2.5);
    expect(view({}).costPerHour).toBeUndefined();
  });

  test.each([
    ["a bare-metal rental", bareMetal],
    ["a virtual machine", vm],
  ])("is that of the term of %s, where the term has one", (_, view) => {
    expect(view({ costPerHour: 9, currentTerm: { costPerHour: 2.5 } }).costPerHour).toBe(2.5);
    expect(view({ costPerHour: 9, currentTerm: { costPerHourCents: 250 } }).costPerHour).toBe(2.5);
    expect(view({ costPerHourCents: 250, currentTerm: null }).costPerHour).toBe(2.5);
  });

  test.each([0, "0", -1, "-5", Number.POSITIVE_INFINITY, Number.NaN, "$19.92"])(
    "is unknown where it is %p: it must not make a sum smaller, or pass a limit",
    (wrong) => {
      expect(bareMetal({ currentTerm: { costPerHour: wrong } }).costPerHour).toBeUndefined();
      expect(vm({ costPerHour: wrong }).costPerHour).toBeUndefined();
      expect(volume({ costPerHourCents: wrong }).costPerHour).toBeUndefined();
    },
  );
});

describe("The price of a marketplace machine", () => {
  const machine = (price: object) =>
    listedMarketplaceMachine.safeParse({ id: "node-1", cluster_name: "c1", pricing: { price } });
  const amountOf = (price: object) => machine(price).data?.pricing.price.amount;

  test.each([
    ["hourly", 3],
    ["hour", 3],
    ["per hour", 3],
    [undefined, 3],
    ["minute", 180],
    ["second", 10_800],
    ["1h", 3],
    ["1 hour", 3],
    ["daily", 0.125],
    ["day", 0.125],
    ["monthly", 3 / 730],
    ["weekly", 3 / 168],
    ["fortnight", 3 / 336],
    ["per year", 3 / 8760],
    ["perday", 0.125],
    ["USD/hour", 3],
    ["hourly_usd", 3],
    ["usdPerDay", 0.125],
    ["$ / GPU / month", 3 / 730],
    ["PT1H", 3],
    ["PT30M", 6],
    ["P1D", 0.125],
    ["P1M", 3 / 730],
    ["60m", 3],
    ["3600s", 3],
    ["24 hours", 0.125],
    ["30 days", 3 / 720],
    ["mo.", 3 / 730],
    ["month(s)", 3 / 730],
    ["M", 3],
    ["30m", 6],
  ])("per %s is told per hour", (period, expected) => {
    expect(amountOf({ amount: 3, period })).toBeCloseTo(expected, 10);
    const listed = { id: "i-1", pricing: { price: { amount: 3, period } } };
    expect(marketplaceInstance.parse(listed).price).toBeCloseTo(expected, 10);
    expect(marketplaceInstance.parse({ id: "i-1", price: { amount: 3, period } }).price).toBeCloseTo(expected, 10);
  });

  test.each([
    null,
    "",
    "on-demand",
    "billed per second",
    "1 month term",
    "month-to-month",
    "hourly, billed monthly",
    "0h",
    "P0D",
    "24/7",
    "constructor",
  ])("is for the documented hour where the text is not plainly another period: %p", (period) => {
    expect(amountOf({ amount: 3, period })).toBe(3);
    const listed = { id: "i-1", pricing: { price: { amount: 3, period } } };
    expect(marketplaceInstance.parse(listed).price).toBe(3);
  });

  test("of nothing or less is none, and a machine without one cannot be rented", () => {
    for (const amount of [-3, 0]) expect(machine({ amount, period: "hourly" }).success).toBe(false);
    expect(marketplaceInstance.parse({ id: "i-1", price: -3 }).price).toBeUndefined();
    expect(marketplaceInstance.parse({ id: "i-1", price: { amount: 0, period: "day" } }).price).toBeUndefined();
  });
});

/** A list that is as documented is read as a whole, in another way than item by item. */
describe("Of a list that is as documented", () => {
  test("prices are read alike", async () => {
    const emulator = createEmulator({ ssh: false, provisionSeconds: 0 });
    const client = createClient({ baseUrl: (await emulator.listen()).url, apiKey: defaults.apiKey });
    await client.createBareMetalRental({ networkType: "infiniband", gpuCount: 8 });
    const [rental] = await client.listBareMetalRentals();
    const { instances } = await client.listMarketplaceMachines({ filters: {} });
    const [machine] = instances;
    const answer = (method: string, path: string, body: unknown) =>
      emulator.faults.add({ match: { method, path }, kind: "status", status: 200, body });
    for (const costPerHour of [-1, 0]) {
      const unpriced = { ...rental, currentTerm: { ...rental?.currentTerm, costPerHour } };
      answer("GET", "/v2/alpha/on-demand/bare-metal-rentals", [unpriced]);
      const read = await client.listBareMetalRentals();
      expect(read.map((one) => bareMetalRentals.view(one, 0).costPerHour)).toEqual([undefined]);
    }
    const perMinute = { price: { amount: 0.1, period: "minute", agent: "platform" } };
    answer("POST", "/v1/marketplace", { instances: [{ ...machine, pricing: perMinute }] });
    const [hourly] = (await client.listMarketplaceMachines({ filters: {} })).instances;
    expect(hourly?.pricing.price.amount).toBeCloseTo(6, 10);
    await client.close();
    await emulator.close();
  });
});

describe("A balance", () => {
  test("in another currency is not taken for USD", () => {
    const { error } = balance.safeParse({ balance: 5, currency: "EUR" });
    expect(error?.issues[0]?.message).toBe("is in EUR, not in USD");
    expect(balance.safeParse({ balance: { amount: 5, currency: "EUR" } }).success).toBe(false);
    expect(balance.safeParse({ data: { balance: 5, currency: "EUR" } }).success).toBe(false);
  });

  test("in USD is, however that is written", () => {
    expect(balance.parse({ balance: 5, currency: "usd" }).usd).toBe(5);
    expect(balance.parse({ balance: { amount: 5, currency: "USD" } }).usd).toBe(5);
    expect(balance.parse({ balance: 5, currency: null }).usd).toBe(5);
    expect(balance.parse({ credits: { usd: 50 } }).usd).toBe(50);
    expect(balance.parse({ credits: { amount: 50, currency: "USD" } }).usd).toBe(50);
    expect(balance.parse({ credits: { amount: 50 } }).usd).toBe(0.5);
    expect(balance.safeParse({ credits: { amount: 50, currency: "EUR" } }).success).toBe(false);
  });
});

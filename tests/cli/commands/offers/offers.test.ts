import { findOffers, type Offers } from "../../../../cli/commands/offers/offers";
import { rentingProgram } from "../../../../cli/commands/offers/rentingProgram";
import { offersJson, showOffers } from "../../../../cli/commands/offers/show";
import { commandRuntime } from "../../../../cli/stack";
import { type Account, openAccount } from "../../account/openAccount";

const plain = (_style: string, text: string) => text;

describe("gpufleet offers", () => {
  let account: Account;

  beforeAll(async () => {
    account = await openAccount();
  });

  afterAll(() => account.close());

  const find = (criteria: Offers["asked"]["criteria"] = {}, gpuCount = 1) =>
    findOffers(account.runtime, { criteria, gpuCount });

  test("lists machines that can be rented now, the cheapest first, with what is free and what they cost", async () => {
    const offers = await find({ gpuModel: "h100" });
    expect(showOffers(offers, undefined, plain)).toBe(
      `Marketplace  3 of 15 machines match
  NODE           GPU             GPU RAM  REGION      FREE GPUS  STORAGE     $/H PER GPU  $/H MACHINE
  node-8f9b20e3  H100-SXM5-80GB    80 GB  us-east-1      8 of 8  persistent        $2.11       $16.88
  node-fc3259ac  H100-SXM5-80GB    80 GB  us-east-1      4 of 8  persistent        $2.17       $17.36
  node-dec81d15  H100-SXM5-80GB    80 GB  eu-north-2     2 of 2  persistent        $2.19        $4.38
To rent the first: \`gpufleet offers --gpu-model h100 --program\` prints the program.

Rentals  no price is known of one that matches
  The service has no price list. What you pay can be written down in gpufleet:prices.`,
    );
  });

  test("counts as many GPUs as are asked for, and shows what they cost together", async () => {
    const offers = await find({ gpuModel: "H100", maxPricePerHour: 8.5 }, 4);
    const text = showOffers(offers, 1, plain);
    expect(text).toMatch(/\$\/H PER GPU {2}\$\/H FOR 4 {2}\$\/H MACHINE\n.*\$2\.11 +\$8\.44 +\$16\.88\n/);
    expect(text).toContain("gpufleet offers --gpu-model H100 --max-price-per-hour 8.5 --gpu-count 4 --program");
    expect(offers.machines).toHaveLength(1);
  });

  test("cuts a long list, and says how to see all of it", async () => {
    expect(showOffers(await find(), 2, plain)).toMatch(/\n {2}… and 11 more: --limit 13\nTo rent the first: /);
  });

  test("prints a program that rents the first one", async () => {
    const { machines, asked } = await find({ gpuModel: "h100", region: "us-east-1" }, 2);
    const [first] = machines;
    if (!first) throw new Error("nothing matches");
    expect(rentingProgram(first, asked)).toBe(`import * as gpufleet from "pulumi-gpufleet";

// H100-SXM5-80GB with 80 GB each in us-east-1: 8 of 8 GPUs free, $4.22/h for 2.
// To take whichever is the cheapest when \`up\` runs, write instead of clusterName and nodeName:
// select: { gpuModel: "h100", region: "us-east-1" },
const machine = new gpufleet.MarketplaceInstance("h100-sxm5-80gb", {
  clusterName: "cluster-us-east-1-1",
  nodeName: "node-8f9b20e3",
  gpuCount: 2,
});

export const ssh = machine.sshCommand;
export const costPerHour = machine.costPerHour;`);
  });

  test("says which filter excludes how many where nothing matches, and what comes nearest", async () => {
    const offers = await find({ gpuModel: "H200", region: "us-east-1", maxPricePerHour: 20 }, 8);
    expect(showOffers(offers, undefined, plain).split("\n\n")[0]).toBe(
      `Marketplace  none of 15 machines matches
  EXCLUDED BY              MACHINES  MATCH WITHOUT IT
  --gpu-model H200         12 of 15                 2
  --gpu-count 8            10 of 15                 0
  --region us-east-1       10 of 15                 0
  --max-price-per-hour 20   3 of 15                 0
Closest:
  node-c38181cc (8×A100-80GB in us-east-1, $12.48/h for 8 GPUs): its GPU is A100-80GB
  node-8f9b20e3 (8×H100-SXM5-80GB in us-east-1, $16.88/h for 8 GPUs): its GPU is H100-SXM5-80GB
  node-20a90220 (4×RTX-4090 in us-east-1, $2.80/h for 8 GPUs): its GPU is RTX-4090, it has 0 of 4 GPUs free`,
    );
    expect(JSON.parse(offersJson(offers, undefined))).toMatchObject({
      version: 1,
      currency: "USD",
      asked: { gpuModel: "H200", region: "us-east-1", gpuCount: 8 },
      listed: 15,
      matching: 0,
      machines: [],
      excludedBy: [{ criterion: "gpuModel", excludes: 12, matchWithout: 2 }, {}, {}, {}],
      closest: [{ nodeName: "node-c38181cc", costPerHour: 12.48, reasons: ["its GPU is A100-80GB"] }, {}, {}],
    });
  });

  test.each([
    [{ region: "us-east1" }, "No machine is listed in us-east1. Did you mean us-east-1?"],
    [
      { region: "moon" },
      "No machine is listed in moon. Listed: eu-north-2, eu-west-1, jp-east-1, us-central-1, us-east-1.",
    ],
    [
      { gpuModel: "B200" },
      "No machine has a GPU B200. Listed: A100-80GB, H100-SXM5-80GB, H200-SXM5-141GB, L40S, RTX-4090.",
    ],
  ])("says what there is where %j is nothing that a machine has", async (criteria, line) => {
    expect(showOffers(await find(criteria), undefined, plain)).toContain(`\n${line}\n`);
  });

  test("calls it a machine without a free GPU where one is enough and none is free", async () => {
    const offers = await find({ gpuModel: "RTX", region: "eu-north-2" });
    expect(showOffers(offers, undefined, plain)).toMatch(/\n {2}no free GPU +\d+ of 15 /);
  });

  test("prints JSON with the facts of each machine as numbers", async () => {
    const [first] = JSON.parse(offersJson(await find({ minGpuRamGb: 100 }, 2), 1)).machines;
    expect(first).toEqual({
      nodeName: "node-67f7dcb0",
      clusterName: expect.stringMatching(/^cluster-eu-north-2-/),
      gpuModel: "H200-SXM5-141GB",
      region: "eu-north-2",
      gpuRamGb: 141,
      persistentStorage: true,
      pricePerGpuHour: 3.01,
      status: "node_ready",
      gpusTotal: 8,
      gpusAvailable: 8,
      costPerHour: 6.02,
      machineCostPerHour: 24.08,
    });
  });
});

describe("Rentals whose price is known", () => {
  let account: Account;

  beforeAll(async () => {
    account = await openAccount();
    const { client } = account.runtime;
    await client.createBareMetalRental({ gpuCount: 8, networkType: "infiniband", label: "train" });
    const reserved = { termType: "reserved", termPeriodDays: 30, discountPercentage: 50 } as const;
    await client.createBareMetalRental({ gpuCount: 8, networkType: "infiniband", gpuType: "h200", ...reserved });
  });

  afterAll(() => account.close());

  async function lines(
    criteria: Offers["asked"]["criteria"],
    { gpuCount = 1, apiKey = "emulator-key" }: { gpuCount?: number; apiKey?: string } = {},
  ) {
    const prices = '{"h100": {"us-east-1": 2.2, "default": 2.6}}';
    const runtime = commandRuntime((key) => (key === "prices" ? prices : undefined), {
      GPUFLEET_BASE_URL: account.url,
      GPUFLEET_API_KEY: apiKey,
    });
    const text = showOffers(await findOffers(runtime, { criteria, gpuCount }), undefined, plain);
    await runtime.client.close();
    return text.slice(text.indexOf("Rentals")).split("\n");
  }

  test("are those that the account pays by the hour, in whole nodes, and those of the price book", async () => {
    expect(await lines({})).toEqual([
      "Rentals  with a known price; whether one is free is known only when it is rented",
      "  KIND               GPU   REGION         $/H PER GPU              $/H  PRICE FROM",
      "  rental             h100  us-east-1          ≈ $2.20          ≈ $2.20  your price book",
      "  bare-metal rental  h100  us-central-1         $2.49  $19.92 (8 GPUs)  train, in this account",
      "  rental             h100  other regions      ≈ $2.60          ≈ $2.60  your price book",
    ]);
  });

  test("obey the filters, and the price for all other regions is that of a region which the book does not name", async () => {
    expect((await lines({ region: "eu-west-1", gpuModel: "H1" }, { gpuCount: 2 })).slice(1)).toEqual([
      "  KIND    GPU   REGION     $/H PER GPU  $/H FOR 2  PRICE FROM",
      "  rental  h100  eu-west-1      ≈ $2.60    ≈ $5.20  your price book",
    ]);
    expect(await lines({ maxPricePerHour: 1 })).toContain("Rentals  no price is known of one that matches");
    expect(await lines({ region: "us-east1" })).toContain("Rentals  no price is known of one that matches");
  });

  test("are left out where a filter is about what the service does not say of them", async () => {
    expect(await lines({ minGpuRamGb: 40 })).toContain(
      "Rentals are left out: the service says nothing of them about --min-gpu-ram-gb.",
    );
  });

  test("are those of the price book alone where the API key is rejected, and that is said", async () => {
    const shown = await lines({ region: "us-central-1" }, { apiKey: "wrong-key" });
    expect(shown).toContain("  rental  h100  us-central-1      ≈ $2.60  ≈ $2.60  your price book");
    expect(shown.at(-1)).toMatch(
      /^Not included, because it could not be read: prices of what the account rents: .*401: the API key was rejected/,
    );
  });
});

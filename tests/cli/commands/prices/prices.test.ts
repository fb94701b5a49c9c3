import { bookNotes, bookOf } from "../../../../cli/commands/prices/book";
import { gatherPrices } from "../../../../cli/commands/prices/gather";
import { pricesJson, showPrices } from "../../../../cli/commands/prices/show";
import type { State } from "../../../../cli/stack";
import { readPrices } from "../../../../provider/shared/prices";
import { dynamicPrefix } from "../../../../provider/shared/typeToken";
import { type Account, openAccount } from "../../account/openAccount";

const plain = (_style: string, text: string) => text;

/** A state with these resources, by name. */
function stateWith(
  resources: Record<string, { type: string; id: string | number; outputs: Record<string, unknown> }>,
): State {
  return {
    version: 3,
    deployment: {
      resources: Object.entries(resources).map(([name, { type, id, outputs }]) => ({
        urn: `urn:pulumi:dev::fleet::${dynamicPrefix}${type}::${name}`,
        type: `${dynamicPrefix}${type}`,
        custom: true,
        id: String(id),
        outputs,
      })),
    },
  };
}

describe("gpufleet prices", () => {
  let account: Account;
  let state: State;

  beforeAll(async () => {
    account = await openAccount();
    const { client } = account.runtime;
    await client.createBareMetalRental({ gpuCount: 8, networkType: "infiniband" });
    await client.createBareMetalRental({ gpuCount: 16, networkType: "infiniband" });
    await client.createBareMetalRental({
      gpuCount: 8,
      gpuType: "h200",
      networkType: "infiniband",
      termType: "reserved",
      termPeriodDays: 30,
      discountPercentage: 20,
    });
    await client.createStorageVolume({ label: "data", sizeInGb: 1024, region: "us-central-1" });
    const login = await client.createVmRental({ gpuCount: 1 });
    const lab = await client.createVmRental({ gpuCount: 2, gpuType: "b200", region: "eu-north-2" });
    const vm = (region: string, gpuType: string, gpuCount: number) => ({ region, gpuType, gpuCount });
    state = stateWith({
      login: { type: "VmRental", id: login.id, outputs: vm("us-central-1", "h100", 1) },
      lab: { type: "VmRental", id: lab.id, outputs: vm("eu-north-2", "b200", 2) },
    });
  });

  afterAll(() => account.close());

  async function found(book?: string) {
    const situation = await account.situation(state);
    return gatherPrices(
      { situations: [situation], leftOut: [], close: async () => {} },
      book === undefined ? undefined : readPrices(book),
    );
  }

  test("shows each price with where it is from, and what has none", async () => {
    const [rentals, marketplace, rest] = showPrices(await found(), plain).split("\n\n");
    expect(rentals).toBe(
      `Prices for fleet/dev
  MODEL    REGION            $/H  PER  FROM
  b200     eu-north-2    unknown  GPU  not known: lab (virtual-machine rental)
  h100     us-central-1    $2.49  GPU  service: 2 bare-metal rentals
  h100     us-central-1  unknown  GPU  not known: login (virtual-machine rental)
  h200     us-central-1   $2.632  GPU  service: 1 bare-metal rental, reserved for 30 days, 20% off
  storage  us-central-1  $0.0001  GB   service: 1 storage volume`,
    );
    expect(marketplace).toMatch(/^Marketplace\n {2}MODEL +REGION +\$\/H +PER +MACHINES +FREE GPUS\n/);
    expect(rest).toBe("`gpufleet prices --book` prints a price book to start from.");
  });

  test("sums up the machines of the marketplace by model and region", async () => {
    const machines = (await account.runtime.client.listMarketplaceMachines({ filters: {} })).instances;
    const groups = (await found()).accounts[0].marketplace;
    const [machine] = machines;
    const alike = machines.filter(
      (one) =>
        one.hardware.gpus[0]?.model === machine?.hardware.gpus[0]?.model &&
        one.location.region === machine?.location.region,
    );
    const amounts = alike.map(({ pricing }) => pricing.price.amount);
    expect(groups).toContainEqual({
      name: machine?.hardware.gpus[0]?.model,
      region: machine?.location.region,
      lowest: Math.min(...amounts),
      highest: Math.max(...amounts),
      machines: alike.length,
      freeGpus: alike.reduce((sum, one) => sum + one.gpus_total - one.gpus_reserved, 0),
    });
    expect(groups.reduce((sum, group) => sum + group.machines, 0)).toBe(machines.length);
  });

  test("shows the price book beside the service, and says where they differ", async () => {
    const text = showPrices(await found('{"h100": 2.6, "b200": {"eu-north-2": 5, "default": 5.5}}'), plain);
    expect(text.split("\n\n")[0]).toBe(
      `Prices for fleet/dev
  MODEL    REGION             $/H  PER  FROM
  b200     eu-north-2     ≈ $5.00  GPU  price book
  b200     other regions  ≈ $5.50  GPU  price book
  h100     us-central-1     $2.49  GPU  service: 2 bare-metal rentals
  h100     any region     ≈ $2.60  GPU  price book
  h200     us-central-1    $2.632  GPU  service: 1 bare-metal rental, reserved for 30 days, 20% off
  storage  us-central-1   $0.0001  GB   service: 1 storage volume`,
    );
    expect(text.split("\n\n")[2]).toBe(
      "Different prices of h100 in us-central-1: $2.49 (service: 2 bare-metal rentals), ≈ $2.60 (price book). Where the service shows a price, that one counts.",
    );
  });

  test("prints JSON with a version and the currency; an unknown price is no number", async () => {
    const json: unknown = JSON.parse(pricesJson(await found('{"h100": 2.6}')));
    expect(json).toMatchObject({
      version: 1,
      currency: "USD",
      stack: "fleet/dev",
      accounts: [
        {
          account: null,
          service: [
            { name: "h100", per: "GPU", region: "us-central-1", usd: 2.49, count: 2, terms: null },
            { name: "h200", usd: 2.632, terms: "reserved for 30 days, 20% off" },
            { name: "storage", per: "GB", usd: 0.0001 },
          ],
          book: [{ name: "h100", per: "GPU", region: null, usd: 2.6 }],
          unknown: [{ name: "b200", per: "GPU", region: "eu-north-2", type: "VmRental", resources: ["lab"] }],
          differences: [{ name: "h100", region: "us-central-1", service: [2.49], book: 2.6 }],
        },
      ],
      notes: [],
    });
  });

  test("prints a book to start from, which the provider can read, and names what it lacks", async () => {
    const prices = await found();
    const book = bookOf(prices);
    expect(book.text).toBe('{"h100":{"us-central-1":2.49},"storage":{"us-central-1":0.0001}}');
    expect(readPrices(book.text)).toEqual(book.prices);
    expect(bookNotes(prices, book)).toEqual([
      "No price is known of b200 in eu-north-2: lab (virtual-machine rental). Add it, in USD per GPU and hour.",
      "The service shows no price of h100 in us-central-1: login (virtual-machine rental). This book counts $2.49 per GPU, the price of other h100: check it.",
      'To use it: book=$(gpufleet prices --book) && pulumi config set gpufleet:prices "$book"',
    ]);
  });

  test("keeps what the present book has, with what the service shows now in its place", async () => {
    const prices = await found('{"b200": 5, "h100": {"us-central-1": 2.6, "default": 3}, "storage": 0.0001}');
    const book = bookOf(prices);
    expect(book.text).toBe('{"h100":{"us-central-1":2.49,"default":3},"b200":5,"storage":0.0001}');
    expect(bookNotes(prices, book)).toEqual([
      "h100 in us-central-1: $2.49 as the service shows it, in place of $2.60 in the present book.",
      'To use it: book=$(gpufleet prices --book) && pulumi config set gpufleet:prices "$book"',
    ]);
  });

  test("replaces the price of a region also where the new one is that of all other regions", async () => {
    const book = bookOf(await found('{"h100": {"us-central-1": 2.6, "default": 2.49}, "storage": 0.0001}'));
    expect(book.text).toBe('{"h100":{"us-central-1":2.49,"default":2.49},"storage":0.0001}');
  });

  test("does not take the price of a rental for that of a marketplace instance", async () => {
    const gpus = { model: "H100", count: 8 };
    const instance = { type: "MarketplaceInstance", name: "lab", urn: "", id: "lab-1", gpus };
    const situation = { ...(await account.situation(state)), own: [], unseen: [{ ...instance, isGone: false }] };
    const prices = await gatherPrices(
      { situations: [situation], leftOut: [], close: async () => {} },
      readPrices('{"h100": 2.49, "storage": 0.0001}'),
    );
    expect(prices.accounts[0].unknown).toMatchObject([{ name: "H100", resources: ["lab"] }]);
    expect(bookNotes(prices, bookOf(prices))).toContain(
      "No price is known of H100: lab (marketplace instance). A price book cannot have it.",
    );
  });

  test("has an empty book where nothing is known, not one of zeros", async () => {
    const empty = await openAccount();
    const situation = await empty.situation(state);
    const prices = await gatherPrices({ situations: [situation], leftOut: [], close: async () => {} });
    await empty.close();
    expect(bookOf(prices).text).toBe("{}");
    expect(showPrices(prices, plain)).toMatch(/^Prices for fleet\/dev\n {2}none known\n/);
  });

  test("shows the rest where the marketplace cannot be read", async () => {
    const broken = await openAccount();
    broken.emulator.faults.add({
      match: { method: "POST", path: "/v1/marketplace" },
      kind: "status",
      status: 403,
      times: 9,
    });
    const situation = await broken.situation();
    const { notes, accounts } = await gatherPrices({ situations: [situation], leftOut: [], close: async () => {} });
    await broken.close();
    expect(accounts[0].marketplace).toEqual([]);
    expect(notes).toEqual([
      expect.stringMatching(/^Not included, because it could not be read: marketplace machines: .*403/),
    ]);
  });
});

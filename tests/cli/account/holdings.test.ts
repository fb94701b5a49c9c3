import { listHoldings } from "../../../cli/account/holdings";
import { estimatedKey, volumeKey } from "../../../provider/lifecycle";
import { type Account, openAccount } from "./openAccount";

const made = Date.UTC(2026, 0, 1);

describe("What an account holds", () => {
  let account: Account;

  beforeEach(async () => {
    account = await openAccount({ clock: { now: () => made } });
  });

  afterEach(() => account.close());

  const answer = (path: string, body: unknown) =>
    account.emulator.faults.add({ match: { method: "GET", path }, times: 100, kind: "status", status: 200, body });

  test("is counted once, however often a record is listed", async () => {
    const { client } = account.runtime;
    await client.createBareMetalRental({ gpuCount: 8, networkType: "infiniband" });
    const records = await client.listBareMetalRentals();
    answer("/v2/alpha/on-demand/bare-metal-rentals", [...records, ...records]);
    const { holdings } = await listHoldings(account.runtime);
    expect(holdings.map(({ id }) => id)).toEqual([String(records[0]?.id)]);
  });

  test("is counted once, also where the state has it twice: it is that of the resource that keeps it", async () => {
    const { client } = account.runtime;
    const storageVolume = { isNew: true, label: "scratch", sizeInGb: 2560 } as const;
    const { id } = await client.createBareMetalRental({ gpuCount: 8, networkType: "infiniband", storageVolume });
    const [volume] = await client.listStorageVolumes();
    const entry = (name: string, type: string, id: string, more: object = {}) => ({
      urn: `urn:pulumi:dev::fleet::pulumi-nodejs:dynamic/gpufleet:${type}::${name}`,
      type: `pulumi-nodejs:dynamic/gpufleet:${type}`,
      id,
      ...more,
    });
    const outputs = { storageVolume, [volumeKey]: { id: String(volume?.id) } };
    const resources = [
      entry("before", "BareMetalRental", String(id), { outputs, delete: true }),
      entry("node", "BareMetalRental", String(id), { outputs }),
      entry("data", "StorageVolume", String(volume?.id), { outputs: {} }),
      // The same name of two creates of which nobody knows what they made.
      entry("one", "MarketplaceInstance", "unresolved:c/n/8", { outputs: {} }),
      entry("other", "MarketplaceInstance", "unresolved:c/n/8", { outputs: {} }),
    ];
    const { own, unseen, others } = await account.situation({ version: 3, deployment: { resources } });
    expect(own.map(({ name }) => name)).toEqual(["node", "data"]);
    expect(unseen.map(({ name }) => name)).toEqual(["one", "other"]);
    expect(others).toEqual([]);
  });

  describe("at prices of the book", () => {
    let priced: Account;

    beforeEach(async () => {
      priced = await openAccount({ clock: { now: () => made } }, { prices: '{"h100": 2.5}' });
    });

    afterEach(() => priced.close());

    /** What the commands say of the price of a machine that the state has so. */
    async function priceOf(outputs: object) {
      const { id } = await priced.runtime.client.createVmRental({ gpuCount: 8, gpuType: "h100" });
      const type = "pulumi-nodejs:dynamic/gpufleet:VmRental";
      const urn = `urn:pulumi:dev::fleet::${type}::vm`;
      const entry = { urn, type, id: String(id), outputs: { gpuCount: 8, gpuType: "h100", ...outputs } };
      const { own } = await priced.situation({ version: 3, deployment: { resources: [entry] } });
      return own.map(({ costPerHour, estimated = false }) => ({ costPerHour, estimated }));
    }

    test("costs what it costs on the terms that the state has", async () => {
      const terms = { termType: "reserved", termPeriodDays: 30, discountPercentage: 50 };
      expect(await priceOf({ ...terms, costPerHour: 10, [estimatedKey]: true })).toEqual([
        { costPerHour: 10, estimated: true },
      ]);
    });

    test("costs what the service has shown once", async () => {
      expect(await priceOf({ costPerHour: 19.92 })).toEqual([{ costPerHour: 19.92, estimated: false }]);
    });

    test("is an estimate also where only the state has one", async () => {
      const b200 = { gpuType: "b200", costPerHour: 32, [estimatedKey]: true };
      const { id } = await account.runtime.client.createVmRental({ gpuCount: 8, gpuType: "b200" });
      const type = "pulumi-nodejs:dynamic/gpufleet:VmRental";
      const entry = { urn: `urn:pulumi:dev::fleet::${type}::vm`, type, id: String(id), outputs: b200 };
      const { own } = await account.situation({ version: 3, deployment: { resources: [entry] } });
      expect(own).toMatchObject([{ costPerHour: 32, estimated: true }]);
    });
  });

  test("is not what has ended by the service's clock, and still what is only to end", async () => {
    const at = (id: string, end: string) => ({ id, end, instance: { status: "offline", gpu_count: 1 } });
    const instances = [at("past", "2025-12-31 23:59:00.123+00"), at("planned", "2026-01-02T00:00:00Z")];
    answer("/v1/marketplace/instances", { instances });
    const { holdings } = await listHoldings(account.runtime);
    expect(holdings.map(({ id }) => id)).toEqual(["planned"]);
  });

  test("is this stack's under any name that its record has", async () => {
    const urn = "urn:pulumi:dev::fleet::pulumi-nodejs:dynamic/gpufleet:MarketplaceInstance::job";
    const record = { id: "x-1", instance_name: "job-1", status: "running", gpu_count: 1 };
    answer("/v1/marketplace/instances", { instances: [record, { ...record, id: "x-2", instance_name: "job-2" }] });
    const held = { urn, type: "pulumi-nodejs:dynamic/gpufleet:MarketplaceInstance", id: "job-1", outputs: {} };
    const state = { version: 3, deployment: { resources: [held] } };
    const { own, unseen, others } = await account.situation(state);
    expect(own).toMatchObject([{ name: "job", id: "x-1", status: "running" }]);
    expect(unseen).toEqual([]);
    expect(others).toMatchObject([{ id: "x-2" }]);
  });

  test("has no price where the list does not say of how many GPUs: that of the state is shown", async () => {
    const urn = "urn:pulumi:dev::fleet::pulumi-nodejs:dynamic/gpufleet:MarketplaceInstance::job";
    const outputs = { gpuCount: 2, costPerHour: 0.8, createdAt: "2025-12-31T22:00:00Z" };
    const record = { status: "running", price: 0.4, start: "2025-12-31T23:00:00Z" };
    answer("/v1/marketplace/instances", {
      instances: [
        { ...record, id: "job-1" },
        { ...record, id: "job-2" },
      ],
    });
    const held = { urn, type: "pulumi-nodejs:dynamic/gpufleet:MarketplaceInstance", id: "job-1", outputs };
    const { own, others } = await account.situation({ version: 3, deployment: { resources: [held] } });
    expect(own).toMatchObject([{ costPerHour: 0.8, gpus: { count: 2 }, createdAt: outputs.createdAt }]);
    expect(others).toMatchObject([{ id: "job-2", createdAt: record.start }]);
    expect(others[0]).toMatchObject({ costPerHour: undefined, gpus: { count: undefined } });
  });
});

import * as pulumi from "@pulumi/pulumi";
import { defaults, type Emulator } from "../../emulator";
import { type Client, ConfigurationError, createClient, UnauthorizedError } from "../../provider/client";
import * as gpufleet from "../../sdk";
import { resolved, startService } from "./service";

let emulator: Emulator;
let account: Client;

beforeAll(async () => {
  emulator = await startService();
  account = createClient({ baseUrl: process.env["GPUFLEET_BASE_URL"] ?? "", apiKey: defaults.apiKey });
});
afterAll(() => emulator.close());
beforeEach(() => emulator.reset());

describe("getMarketplaceMachines", () => {
  test("lists what can be rented, the cheapest first", async () => {
    const { machines } = await gpufleet.getMarketplaceMachines();
    expect(machines.length).toBeGreaterThan(5);
    expect(machines.every(({ available, gpusAvailable }) => available && gpusAvailable > 0)).toBe(true);
    const prices = machines.map(({ pricePerGpuHour }) => pricePerGpuHour);
    expect(prices).toEqual([...prices].sort((one, other) => one - other));
  });

  test("computes how many GPUs are free", async () => {
    const { machines } = await gpufleet.getMarketplaceMachines({ minAvailableGpus: 0 });
    const full = machines.filter(({ available }) => !available);
    expect(full).not.toEqual([]);
    for (const { gpusTotal, gpusReserved, gpusAvailable } of machines) {
      expect(gpusAvailable).toBe(gpusTotal - gpusReserved);
    }
    const [machine] = machines.filter(({ gpusAvailable }) => gpusAvailable > 1);
    if (!machine) throw new Error("no machine with two free GPUs");
    await account.createMarketplaceInstance({
      cluster_name: machine.clusterName,
      node_name: machine.nodeName,
      gpu_count: 1,
    });
    const after = (await gpufleet.getMarketplaceMachines()).machines.find(
      ({ nodeName }) => nodeName === machine.nodeName,
    );
    expect(after).toEqual({
      ...machine,
      gpusReserved: machine.gpusReserved + 1,
      gpusAvailable: machine.gpusAvailable - 1,
    });
  });

  test("keeps to what is asked for", async () => {
    const { machines: all } = await gpufleet.getMarketplaceMachines({ minAvailableGpus: 0 });
    const { machines } = await gpufleet.getMarketplaceMachines({
      gpuModel: "h100",
      minAvailableGpus: 2,
      maxPricePerGpuHour: 10,
      minGpuRamGb: 80,
      needsPersistentStorage: true,
    });
    expect(machines).not.toEqual([]);
    expect(machines.map(({ nodeName }) => nodeName).sort()).toEqual(
      all
        .filter(({ gpuModel, gpusAvailable }) => gpuModel.includes("H100") && gpusAvailable >= 2)
        .map(({ nodeName }) => nodeName)
        .sort(),
    );
    const [cheapest] = machines;
    const dear = await gpufleet.getMarketplaceMachines({
      maxPricePerGpuHour: (cheapest?.pricePerGpuHour ?? 0) - 0.01,
      gpuModel: "H100",
    });
    expect(dear.machines).toEqual([]);
    const region = cheapest?.region ?? "";
    const there = await gpufleet.getMarketplaceMachines({ region });
    expect(new Set(there.machines.map((machine) => machine.region))).toEqual(new Set([region]));
  });

  test("sorts by free GPUs and by memory, and stops at the limit", async () => {
    const byFree = (await gpufleet.getMarketplaceMachines({ sortBy: "availableGpus", limit: 3 })).machines;
    expect(byFree).toHaveLength(3);
    expect(byFree.map(({ gpusAvailable }) => gpusAvailable)).toEqual([8, 8, 8]);
    const byRam = (await gpufleet.getMarketplaceMachines({ sortBy: "gpuRam" })).machines.map(
      ({ gpuRamGb }) => gpuRamGb,
    );
    expect(byRam).toEqual([...byRam].sort((one, other) => other - one));
    expect(byRam[0]).toBe(141);
  });

  test("needs no key", async () => {
    const connection = { baseUrl: process.env["GPUFLEET_BASE_URL"] ?? "" };
    expect((await gpufleet.getMarketplaceMachines({}, { connection })).machines).not.toEqual([]);
  });

  test("reads prices in cents where the stack is configured so", async () => {
    const before = await gpufleet.getMarketplaceMachines({ limit: 1 });
    pulumi.runtime.setConfig("gpufleet:marketplacePriceUnit", "cents");
    try {
      const after = await gpufleet.getMarketplaceMachines({ limit: 1 });
      expect(after.machines[0]?.pricePerGpuHour).toBeCloseTo((before.machines[0]?.pricePerGpuHour ?? 0) / 100, 10);
    } finally {
      pulumi.runtime.setConfig("gpufleet:marketplacePriceUnit", "usd");
    }
  });
});

describe("Instances of the marketplace", () => {
  test("are listed while they run, and are history when they have ended", async () => {
    const { machines } = await gpufleet.getMarketplaceMachines({ minAvailableGpus: 2, limit: 1 });
    const [machine] = machines;
    if (!machine) throw new Error("no machine");
    const { nodeName, clusterName, gpuModel, pricePerGpuHour } = machine;
    const { instanceId } = await account.createMarketplaceInstance({
      cluster_name: clusterName,
      node_name: nodeName,
      gpu_count: 2,
      image: { name: "ubuntu", tag: "24.04", port: 8080 },
    });
    const { instances } = await gpufleet.getMarketplaceInstances({ nodeName });
    expect(instances).toEqual([
      {
        instanceId,
        status: "running",
        gpuModel,
        gpuCount: 2,
        nodeName,
        clusterName,
        pricePerGpuHour,
        createdAt: expect.stringMatching(/^\d{4}-/),
        endedAt: undefined,
        sshCommand: expect.stringMatching(/^ssh /),
        portMappings: [{ domain: "127.0.0.1", protocol: "http", port: 8080 }],
      },
    ]);
    expect((await gpufleet.getMarketplaceInstances({ status: "starting" })).instances).toEqual([]);
    expect((await gpufleet.getMarketplaceHistory()).instances).toEqual([]);
    await account.terminateMarketplaceInstance({ id: instanceId });
    expect((await gpufleet.getMarketplaceHistory()).instances).toEqual([
      {
        instanceId,
        startedAt: expect.stringMatching(/^\d{4}-/),
        endedAt: expect.stringMatching(/^\d{4}-/),
        gpuCount: 2,
        pricePerGpuHour,
      },
    ]);
  });
});

describe("Rentals and volumes", () => {
  test("bare-metal rentals are listed with price, address and storage", async () => {
    const { id } = await account.createBareMetalRental({
      networkType: "infiniband",
      gpuCount: 16,
      label: "mine",
      storageVolume: { isNew: true, label: "data", sizeInGb: 256 },
    });
    await account.createBareMetalRental({ networkType: "ethernet", gpuCount: 8, label: "other", gpuType: "b200" });
    const { rentals } = await gpufleet.getBareMetalRentals({ label: "mine", status: "Running" });
    expect(rentals).toHaveLength(1);
    expect(rentals[0]).toMatchObject({
      rentalId: id,
      label: "mine",
      status: "Running",
      region: "us-central-1",
      gpuType: "h100",
      gpuCount: 16,
      costPerHour: 39.84,
      networkType: "infiniband",
      ssh: [{ host: "127.0.0.1", user: "ubuntu" }],
      term: { termType: "on-demand", costPerHour: 39.84 },
      attachedStorage: [{ label: "data", sizeInGb: 256 }],
    });
    expect(rentals[0]?.nodes).toHaveLength(2);
    expect((await gpufleet.getBareMetalRentals()).rentals).toHaveLength(2);
    expect((await gpufleet.getBareMetalRentals({ gpuType: "b200" })).rentals).toMatchObject([{ label: "other" }]);
    expect((await gpufleet.getBareMetalRentals({ region: "eu-west-3" })).rentals).toEqual([]);
  });

  test("VM rentals are listed with the status that their record implies", async () => {
    const { id } = await account.createVmRental({ gpuCount: 2, region: "jp-east-1", label: "bench" });
    expect((await gpufleet.getVmRentals({ region: "jp-east-1" })).rentals).toEqual([
      {
        rentalId: id,
        label: "bench",
        status: "Running",
        region: "jp-east-1",
        gpuType: "h100",
        gpuCount: 2,
        costPerHour: undefined,
        createdAt: expect.stringMatching(/^\d{4}-/),
        ssh: [expect.objectContaining({ host: "127.0.0.1" })],
      },
    ]);
  });

  test("storage volumes are listed with what they cost and what they are attached to", async () => {
    const rental = await account.createBareMetalRental({ networkType: "infiniband", gpuCount: 8 });
    const { storageVolumeId } = await account.createStorageVolume({
      region: "us-central-1",
      label: "data",
      sizeInGb: 512,
      rentalIds: [rental.id],
    });
    await account.createStorageVolume({ region: "jp-east-1", label: "far-away", sizeInGb: 256 });
    expect((await gpufleet.getStorageVolumes({ label: "data" })).volumes).toEqual([
      {
        storageVolumeId,
        label: "data",
        status: "active",
        region: "us-central-1",
        sizeInGb: 512,
        costPerHour: 0.0512,
        createdAt: expect.stringMatching(/^\d{4}-/),
        vip: "10.0.0.1",
        attachedRentals: [rental.id],
      },
    ]);
    expect((await gpufleet.getStorageVolumes()).volumes).toHaveLength(2);
  });
});

describe("Billing and reservations", () => {
  test("the balance is in USD", async () => {
    expect(await gpufleet.getBalance()).toEqual({ usd: 1_000_000 });
  });

  test("a reservation is requested", async () => {
    expect(await gpufleet.requestReservation({ gpuCount: 512 })).toEqual({
      sent: true,
      message: expect.stringContaining("512"),
    });
  });

  test("a reservation is not requested in a preview", async () => {
    const { runtime } = pulumi;
    const preview = jest.spyOn(runtime, "isDryRun").mockReturnValue(true);
    try {
      expect(await gpufleet.requestReservation({ gpuCount: 512 })).toEqual({
        sent: false,
        message: "not sent: this is a preview",
      });
    } finally {
      preview.mockRestore();
    }
    expect(emulator.requests().total).toBe(0);
  });
});

describe("The Output form of a function", () => {
  test("takes inputs that are still to be resolved", async () => {
    await account.createStorageVolume({ region: "us-central-1", label: "data", sizeInGb: 256 });
    const label = pulumi.output(Promise.resolve("data"));
    const { volumes } = await resolved(
      gpufleet.getStorageVolumesOutput({ label, region: Promise.resolve("us-central-1") }),
    );
    expect(volumes).toMatchObject([{ label: "data" }]);
  });

  test("exists for getBalance", async () => {
    expect(await resolved(gpufleet.getBalanceOutput())).toEqual({ usd: 1_000_000 });
  });

  test.each<[string, () => pulumi.Output<unknown>, () => Promise<unknown>]>([
    ["getBareMetalRentals", () => gpufleet.getBareMetalRentalsOutput(), () => gpufleet.getBareMetalRentals()],
    ["getMarketplaceHistory", () => gpufleet.getMarketplaceHistoryOutput(), () => gpufleet.getMarketplaceHistory()],
    [
      "getMarketplaceInstances",
      () => gpufleet.getMarketplaceInstancesOutput(),
      () => gpufleet.getMarketplaceInstances(),
    ],
    ["getMarketplaceMachines", () => gpufleet.getMarketplaceMachinesOutput(), () => gpufleet.getMarketplaceMachines()],
    [
      "getRequestCost",
      () => gpufleet.getRequestCostOutput({ requestIds: pulumi.output(["a"]) }),
      () => gpufleet.getRequestCost({ requestIds: ["a"] }),
    ],
    ["getStorageVolumes", () => gpufleet.getStorageVolumesOutput(), () => gpufleet.getStorageVolumes()],
    ["getVmRentals", () => gpufleet.getVmRentalsOutput(), () => gpufleet.getVmRentals()],
    [
      "requestReservation",
      () => gpufleet.requestReservationOutput({ gpuCount: pulumi.output(8) }),
      () => gpufleet.requestReservation({ gpuCount: 8 }),
    ],
  ])("exists for %s and gives what the function gives", async (_, asOutput, asPromise) => {
    await account.createVmRental({ gpuCount: 1, label: "bench" });
    await account.createBareMetalRental({ networkType: "infiniband", gpuCount: 8 });
    expect(await resolved(asOutput())).toEqual(await asPromise());
  });
});

describe("The connection", () => {
  let kept: NodeJS.ProcessEnv;
  beforeEach(() => {
    kept = { ...process.env };
  });
  afterEach(() => {
    process.env = kept;
  });

  test("is the stack's own where the environment says nothing", async () => {
    const { GPUFLEET_BASE_URL: url = "" } = process.env;
    delete process.env["GPUFLEET_BASE_URL"];
    delete process.env["GPUFLEET_API_KEY"];
    pulumi.runtime.setConfig("gpufleet:baseUrl", url);
    pulumi.runtime.setConfig("gpufleet:apiKey", defaults.apiKey);
    expect(await gpufleet.getBalance()).toEqual({ usd: 1_000_000 });
    pulumi.runtime.setConfig("gpufleet:apiKey", "");
    pulumi.runtime.setConfig("gpufleet:baseUrl", "");
    await expect(gpufleet.getBalance()).rejects.toThrow(ConfigurationError);
    await expect(gpufleet.getBalance()).rejects.toThrow("no base URL: set GPUFLEET_BASE_URL");
  });

  test("follows the environment before the stack's configuration", async () => {
    pulumi.runtime.setConfig("gpufleet:apiKey", "outdated");
    expect(await gpufleet.getBalance()).toEqual({ usd: 1_000_000 });
    process.env["GPUFLEET_API_KEY"] = "revoked";
    await expect(gpufleet.getBalance()).rejects.toThrow(UnauthorizedError);
  });

  test("can be another one for a single call", async () => {
    const baseUrl = process.env["GPUFLEET_BASE_URL"] ?? "";
    process.env["GPUFLEET_BASE_URL"] = "http://127.0.0.1:9";
    const connection = { baseUrl, apiKey: defaults.apiKey };
    expect(await gpufleet.getBalance({ connection })).toEqual({ usd: 1_000_000 });
  });
});

describe("A list with an item that cannot be read", () => {
  test.each([
    ["bare-metal rentals", "/v2/alpha/on-demand/bare-metal-rentals", () => gpufleet.getBareMetalRentals()],
    ["virtual-machine rentals", "/v2/alpha/on-demand/virtual-machine-rentals", () => gpufleet.getVmRentals()],
    ["storage volumes", "/v2/alpha/on-demand/storage-volumes", () => gpufleet.getStorageVolumes()],
  ])("is given without it, and a warning says how many of the %s are missing", async (plural, path, list) => {
    const warn = jest.spyOn(pulumi.log, "warn").mockImplementation(async () => undefined);
    const body = [
      { id: 7, label: "good" },
      { id: 8, label: 5 },
      { id: 9, label: [] },
    ];
    emulator.faults.add({ match: { method: "GET", path }, kind: "status", status: 200, body });
    const [listed] = Object.values(await list());
    expect(listed).toMatchObject([{ label: "good" }]);
    expect(warn.mock.calls).toEqual([
      [expect.stringMatching(`^2 of the ${plural} cannot be read and are left out of the result \\(8\\): .*label`)],
    ]);
    warn.mockRestore();
  });
});

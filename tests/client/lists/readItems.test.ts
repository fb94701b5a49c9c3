import { UnreadableAnswerError } from "../../../provider/client";
import { closeServices, failureOf, json, type LocalService, serve, status } from "../localService";
import { bareMetalRecord, volumeRecord } from "../records";

afterEach(closeServices);

const without = (record: object, ...fields: string[]) =>
  Object.fromEntries(Object.entries(record).filter(([name]) => !fields.includes(name)));

async function listing(items: unknown): Promise<LocalService> {
  return serve((_, response) => json(response, 200, items));
}

describe("an item that is not as documented", () => {
  const rental = bareMetalRecord(1);

  test.each<[string, object, object]>([
    ["a term nobody has heard of", { currentTerm: { ...rental.currentTerm, termType: "spot" } }, {}],
    ["a user id that is too long", { userId: "u".repeat(60) }, {}],
    ["no provider data", { providerData: undefined }, {}],
    ["provider data of another shape", { providerData: "north" }, { providerData: undefined }],
    ["no term", { currentTerm: undefined }, {}],
    ["a price in text", { currentTerm: { costPerHour: "19.92" } }, { currentTerm: { costPerHour: 19.92 } }],
    ["a GPU count in text", { gpuCount: "8" }, { gpuCount: 8 }],
    ["an id in text", { id: "1" }, { id: 1 }],
    ["no status", { status: undefined }, { status: "Unknown" }],
    ["times that are numbers", { startedAt: 1_700_000_000 }, { startedAt: "2023-11-14T22:13:20.000Z" }],
    ["no time, as 0", { startedAt: 0 }, { startedAt: undefined }],
    ["no time, as Go writes it", { startedAt: -62_135_596_800 }, { startedAt: undefined }],
    ["a time in microseconds", { startedAt: 1_700_000_000_000_000 }, { startedAt: undefined }],
    ["no nodes", { nodes: null }, { nodes: undefined }],
  ])("is read all the same: %s", async (_, change, read) => {
    const service = await listing([bareMetalRecord(2), { ...rental, ...change }]);
    const rentals = await service.client().listBareMetalRentals();
    expect(rentals).toHaveLength(2);
    expect(rentals[1]).toEqual({ ...rental, ...change, ...read });
    expect(rentals.unreadable).toBeUndefined();
  });

  test("with nothing but an id is a volume, too", async () => {
    const service = await listing([{ id: 7 }]);
    await expect(service.client().listStorageVolumes()).resolves.toEqual([
      { id: 7, status: "unknown", attachedRentals: [], hidesRentals: true },
    ]);
  });

  test("is a marketplace machine as long as it has an id, a cluster and a price", async () => {
    const machine = { id: "n-1", cluster_name: "c", pricing: { price: { amount: "1.5" } }, gpus_total: 8 };
    const service = await listing({ instances: [machine, without(machine, "pricing"), without(machine, "id")] });
    const { instances } = await service.client().listMarketplaceMachines();
    expect(instances.map(({ id, gpus_total, hardware, status }) => ({ id, gpus_total, hardware, status }))).toEqual([
      { id: "n-1", gpus_total: 8, hardware: { cpus: [], gpus: [], storage: [], ram: [] }, status: "unknown" },
    ]);
    expect(instances[0]?.pricing.price.amount).toBe(1.5);
    expect(instances.unreadable).toEqual([
      { id: "n-1", reason: "pricing (missing) must be an object" },
      { id: undefined, reason: "id (missing) must be a string, or must be a number" },
    ]);
  });
});

describe("an item that cannot be read", () => {
  test("is named beside those that can", async () => {
    const service = await listing([
      bareMetalRecord(1),
      { ...bareMetalRecord(2), label: { text: "train" } },
      { ...bareMetalRecord(3), status: 5 },
      without(bareMetalRecord(4), "id"),
      null,
      "rental",
    ]);
    const rentals = await service.client().listBareMetalRentals();
    expect(rentals.map(({ id }) => id)).toEqual([1]);
    expect(rentals.unreadable).toEqual([
      { id: "2", reason: "label (an object) must be a string" },
      { id: "3", label: "train-3", reason: "status 5 must be a string" },
      { id: undefined, label: "train-4", reason: "id (missing) must be a number" },
      { id: undefined, reason: "(the whole value) null must be an object" },
      { id: undefined, reason: '(the whole value) "rental" must be an object' },
    ]);
  });

  test("is named by the id that a volume goes by", async () => {
    const broken = { label: 5 };
    const service = await listing([
      { ...volumeRecord(1), storageVolumeId: 71, ...broken },
      { ...volumeRecord(2), storageVolumeId: "volume-2", ...broken },
    ]);
    const volumes = await service.client().listStorageVolumes();
    expect(volumes.unreadable?.map(({ id }) => id)).toEqual(["71", "2"]);
  });

  test("has no id where only another name of it is left", async () => {
    const broken = { label: 5, status: [] };
    const service = await serve((request, response) =>
      json(response, 200, [
        request.path.includes("volume")
          ? { ...volumeRecord(1), storageVolumeId: null, ...broken }
          : { id: null, instance_name: "bright-fox", ...broken },
      ]),
    );
    const client = service.client();
    const unreadable = { id: undefined, reason: expect.any(String) };
    const { instances } = await client.listMarketplaceInstances();
    expect(instances.unreadable).toEqual([{ ...unreadable, names: ["bright-fox"] }]);
    expect((await client.listStorageVolumes()).unreadable).toEqual([{ ...unreadable, names: ["1"] }]);
  });

  test("is an instance whose own record below it is none", async () => {
    const service = await listing({ instances: [{ id: null, instance_name: "bright-fox", instance: 5 }] });
    const { instances } = await service.client().listMarketplaceInstances();
    expect(instances).toHaveLength(0);
    expect(instances.unreadable).toMatchObject([{ names: ["bright-fox"], reason: "instance 5 must be an object" }]);
  });

  test("is named among virtual machines, instances and the history", async () => {
    const service = await serve((request, response) => {
      if (request.path === "/v2/openapi.json") return json(response, 404, {});
      return json(response, 200, [{ id: 1 }, { id: 2, status: [] }, 5]);
    });
    const client = service.client();
    const instances = (await client.listMarketplaceInstances()).instances;
    for (const list of [await client.listVmRentals(), instances]) {
      expect(list).toHaveLength(1);
      expect(list.unreadable?.map(({ id }) => id)).toEqual(["2", undefined]);
    }
    const { instance_history } = await client.getMarketplaceHistory();
    expect(instance_history.unreadable?.map(({ id }) => id)).toEqual(["2", undefined]);
  });

  test("does not show what is not fit to be shown", async () => {
    const service = await listing([
      { ...bareMetalRecord(2), label: { text: 1 }, status: "\u001b[2J" },
      { id: "\u001b" },
    ]);
    const { unreadable } = await service.client().listBareMetalRentals();
    expect(unreadable?.map(({ reason }) => reason)).toEqual([
      "label (an object) must be a string",
      'id "\\u001b" must be a number',
    ]);
  });
});

describe("a list of the v1 interface", () => {
  const entry = { id: "i-1", instance: { status: "running", gpu_count: "2", pricing: { price: { amount: "1.25" } } } };
  const flat = { id: "i-1", status: "running", gpu_count: 2, price: 1.25 };

  test.each([
    ["a plain array", [entry]],
    ["{instances}", { instances: [entry] }],
    ["{data}", { data: [entry] }],
    ["{items}", { items: [entry] }],
    ["{data: {instances}}", { data: { instances: [entry] } }],
    ["fields at the top", [flat]],
  ])("is read as %s", async (_, body) => {
    const service = await listing(body);
    const { instances } = await service.client().listMarketplaceInstances();
    expect(instances).toMatchObject([{ id: "i-1", status: "running", gpuCount: 2, price: 1.25 }]);
  });

  const past = { instance_name: "i-1", gpu_count: "2", price: "1.25", started_at: "a", terminated_at: "b" };
  test.each([
    ["a plain array", [past]],
    ["{instance_history}", { instance_history: [past] }],
    ["{history}", { history: [past] }],
    ["{data}", { data: [past] }],
    ["{items}", { items: [past] }],
    [
      "fields below instance",
      [{ id: "i-1", start: "a", end: "b", instance: { gpu_count: 2, pricing: { amount: 1.25 } } }],
    ],
  ])("is a history as %s", async (_, body) => {
    const service = await listing(body);
    const { instance_history } = await service.client().getMarketplaceHistory();
    expect(instance_history).toMatchObject([
      { instance_name: "i-1", gpu_count: 2, price: 1.25, started_at: "a", terminated_at: "b" },
    ]);
  });

  test.each([
    ["{}", "it is not a list, and has none in instances, data, items"],
    ['{"instances":{}}', "it is not a list, and has none in instances, data, items"],
    ['{"instances":[],"error":"database is down"}', 'it says "database is down"'],
    ['{"success":false,"instances":[]}', 'it says "refused without a reason"'],
    ["5", "it is not a list, and has none in instances, data, items"],
  ])("that is %s is an error that names the operation", async (body, reason) => {
    const service = await serve((_, response) => void response.end(body));
    const error = await failureOf(service.client().listMarketplaceInstances());
    expect(error).toBeInstanceOf(UnreadableAnswerError);
    expect(error.message).toBe(`GET /v1/marketplace/instances answered 200: the answer could not be read: ${reason}`);
  });
});

test.each<[unknown, number]>([
  [{ balance: 12.5 }, 12.5],
  [{ balance: "12.50" }, 12.5],
  [{ balance: { amount: "12.5", currency: "USD" } }, 12.5],
  [{ current_balance: 12.5 }, 12.5],
  [{ data: { credits: "1250" } }, 12.5],
  [{ balanceCents: "1250" }, 12.5],
  [12.5, 12.5],
  ["12.5", 12.5],
])("a balance of %j is $%d", async (body, usd) => {
  const service = await serve(status(200, body));
  await expect(service.client().getBalance()).resolves.toMatchObject({ usd });
});

describe("the answer to a create", () => {
  const request = { networkType: "ethernet", gpuCount: 8 } as const;

  test("needs no more than the id", async () => {
    const service = await serve(status(200, { id: 1, userId: "u".repeat(60) }));
    await expect(service.client().createBareMetalRental(request)).resolves.toMatchObject({ id: 1 });
  });

  test("of a volume needs no more than its id", async () => {
    const service = await serve(status(200, { storageVolumeId: "7" }));
    const volume = { region: "us-central-1", label: "data", sizeInGb: 256 } as const;
    await expect(service.client().createStorageVolume(volume)).resolves.toEqual({ storageVolumeId: 7 });
  });

  test.each<[unknown, string[]]>([
    [{ id: 17 }, ["17"]],
    [{ instance_id: "a", id: "a" }, ["a"]],
    [{ instance_name: "box", id: 17, status: "success" }, ["17", "box"]],
    [{ instanceName: "box", instance_id: "b" }, ["b", "box"]],
    [{ data: { id: "a" } }, ["a"]],
    [{ instance: { id: "a", instance_name: "b" } }, ["a", "b"]],
    [{ instance: "i-1", status: "success" }, ["i-1"]],
    ["i-1", ["i-1"]],
    [[{ id: "i-1" }], ["i-1"]],
    [{ instances: [{ id: "i-1" }] }, ["i-1"]],
    [{ data: { instance: { id: "i-1" } } }, ["i-1"]],
    // Whatever else it says, this was made.
    [{ status: "error", message: "slow to start", instance: { id: "i-1" } }, ["i-1"]],
    [{ id: Number.MAX_SAFE_INTEGER + 1, instance_name: "box" }, ["box"]],
  ])("of an instance keeps every name in %j, `id` first", async (body, instanceIds) => {
    const service = await serve(status(200, body));
    const instance = { cluster_name: "c", node_name: "n", gpu_count: 1 };
    await expect(service.client().createMarketplaceInstance(instance)).resolves.toMatchObject({
      instanceId: instanceIds[0],
      instanceIds,
    });
  });

  test.each<[unknown]>([
    ["created"],
    [{ instances: [{ id: "i-1" }, { id: "i-2" }] }],
    [{ id: Number.MAX_SAFE_INTEGER + 1 }],
    [{ instance: "is being created" }],
    [{ data: "2026-11-17T12:00:00Z" }],
    [{ status: "error", message: "node busy", data: "E1042" }],
  ])("of an instance names none in %j", async (body) => {
    const service = await serve(status(200, body));
    const instance = { cluster_name: "c", node_name: "n", gpu_count: 1 };
    await expect(service.client().createMarketplaceInstance(instance)).rejects.toThrow(
      /has none of id, instance_id|node busy/,
    );
  });
});

describe("a list that shows both kinds of rental", () => {
  const both = [bareMetalRecord(1), { ...bareMetalRecord(2), rentalType: "virtual-machine" }, { id: 3 }];
  const idsOf = (items: readonly { id: number }[]) => items.map(({ id }) => id);
  const undescribed = (items: unknown) =>
    serve((request, response) => json(response, request.path.includes("openapi") ? 404 : 200, items));

  test("is of each kind only what says so, or says nothing", async () => {
    const service = await undescribed(both);
    expect(idsOf(await service.client().listBareMetalRentals())).toEqual([1, 3]);
    expect(idsOf(await service.client().listVmRentals())).toEqual([2, 3]);
  });

  test("is whole where it says how many it has of both", async () => {
    const service = await undescribed({ rentals: both, total: 3 });
    expect(idsOf(await service.client().listVmRentals())).toEqual([2, 3]);
    const cut = await undescribed({ rentals: both, total: 4 });
    expect(await failureOf(cut.client().listVmRentals())).toBeInstanceOf(UnreadableAnswerError);
  });
});

describe("a list without items that says null", () => {
  test("is empty under its own name", async () => {
    const service = await listing({ instances: null });
    expect((await service.client().listMarketplaceInstances()).instances).toEqual([]);
  });

  test.each([
    ["nothing", {}],
    ["null alone", null],
    ["another name", { data: null }],
    ["a refusal", { instances: null, error: "try again" }],
    ["a number of them", { instances: null, total: 2 }],
  ])("is none: %s", async (_, body) => {
    const service = await listing(body);
    expect(await failureOf(service.client().listMarketplaceInstances())).toBeInstanceOf(UnreadableAnswerError);
  });
});

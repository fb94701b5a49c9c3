import { closeServices, json, serve } from "../localService";
import { bareMetalRecord, volumeRecord } from "../records";

afterEach(closeServices);

const path = "/v2/alpha/on-demand/bare-metal-rentals";

async function rentals(...items: unknown[]) {
  const service = await serve((_, response) => json(response, 200, items));
  return service.client().listBareMetalRentals();
}

describe("A record that is listed twice", () => {
  const record = bareMetalRecord(1);
  const at = (updatedAt: string | null, more: object) => ({ ...record, updatedAt, ...more });
  const running = { status: "Running", terminatedAt: null };
  const ended = { status: "Terminated", terminatedAt: "2026-09-12T14:00:00Z" };

  test("on pages that overlap is one, and the others keep their order", async () => {
    const service = await serve((request, response) =>
      request.path === path
        ? json(response, 200, [bareMetalRecord(3), bareMetalRecord(2)], { link: `<${path}?page=2>; rel="next"` })
        : json(response, 200, [bareMetalRecord(2), bareMetalRecord(1)]),
    );
    const listed = await service.client().listBareMetalRentals();
    expect(listed.map(({ id }) => id)).toEqual([3, 2, 1]);
  });

  test("on pages that overlap does not stand for one that is missing", async () => {
    const service = await serve((request, response) =>
      request.path === path
        ? json(response, 200, [bareMetalRecord(3), bareMetalRecord(2)], { link: `<${path}?page=2>; rel="next"` })
        : json(response, 200, [bareMetalRecord(2), bareMetalRecord(1)], { "X-Total-Count": "4" }),
    );
    await expect(service.client().listBareMetalRentals()).rejects.toThrow(
      "it is not the whole list, and how to ask for the rest is not known (the header X-Total-Count 4, and 3 came)",
    );
  });

  test("and counted twice by the service is the whole list", async () => {
    const service = await serve((_, response) => json(response, 200, [record, record], { "X-Total-Count": "2" }));
    expect(await service.client().listBareMetalRentals()).toHaveLength(1);
  });

  test.each<[string, object, object, string]>([
    [
      "updated later",
      at("2026-09-12T14:00:00Z", running),
      at("2026-09-12 13:59:00+00", { status: "Pending" }),
      "Running",
    ],
    [
      "updated later, and has ended",
      at("2026-09-12T13:59:00Z", running),
      at("2026-09-12T14:00:00Z", ended),
      "Terminated",
    ],
    ["read later, where nothing tells", at(null, { status: "Pending" }), at(null, running), "Running"],
  ])("is the one that was %s", async (_, first, second, status) => {
    expect((await rentals(first, second)).map((one) => one.status)).toEqual([status]);
  });

  test("once as running and once as ended stays twice, where nothing tells which is true", async () => {
    expect((await rentals(at(null, ended), at(null, running))).map(({ status }) => status)).toEqual([
      "Terminated",
      "Running",
    ]);
  });

  test.each([
    ["label", { label: "another" }],
    ["time of creation", { createdAt: "2026-01-01T00:00:00Z" }],
  ])("with another %s is another machine to which the service has given the id", async (_, change) => {
    expect(await rentals(record, { ...record, ...change })).toHaveLength(2);
  });

  test("and cannot be read is named once, and twice where it has no id", async () => {
    const broken = { ...record, label: {} };
    const listed = await rentals(broken, broken, null, null);
    expect(listed.unreadable?.map(({ id }) => id)).toEqual(["1", undefined, undefined]);
  });

  test("is one volume by the id that volumes go by", async () => {
    const volume = { ...volumeRecord(1), storageVolumeId: 71 };
    const service = await serve((_, response) =>
      json(response, 200, [volume, volume, { ...volume, storageVolumeId: 72 }]),
    );
    expect(await service.client().listStorageVolumes()).toHaveLength(2);
  });

  test("is one machine of its cluster, one instance and one entry of the history", async () => {
    const machine = { id: "n-1", cluster_name: "c", pricing: { price: { amount: 1 } } };
    const service = await serve((request, response) => {
      if (request.path === "/v1/marketplace") {
        return json(response, 200, { instances: [machine, machine, { ...machine, cluster_name: "d" }] });
      }
      const [past, nameless] = [{ instance_name: "i-1", started_at: "2026-01-01T00:00:00Z" }, { price: 1 }];
      if (request.path.endsWith("/history")) return json(response, 200, [past, past, nameless, nameless]);
      return json(response, 200, { instances: [{ id: "i-1" }, { id: "i-1" }, { id: "i-2" }] });
    });
    const client = service.client();
    expect((await client.listMarketplaceMachines()).instances).toHaveLength(2);
    expect((await client.listMarketplaceInstances()).instances).toHaveLength(2);
    expect((await client.getMarketplaceHistory()).instance_history).toHaveLength(3);
  });
});

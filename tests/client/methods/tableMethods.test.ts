import { ServerError } from "../../../provider/client";
import { closeServices, failureOf, type Handler, inTurn, json, serve, status } from "../localService";
import { bareMetalRecord, volumeRecord } from "../records";

afterEach(closeServices);

describe("requests and answers", () => {
  test("what is sent is what was given, with the documented defaults filled in", async () => {
    const service = await serve(status(400));
    await failureOf(service.client().createVmRental({ gpuCount: 2, label: "a" }));
    expect(JSON.parse(service.requests[0]?.body ?? "")).toEqual({
      gpuCount: 2,
      label: "a",
      gpuType: "h100",
      networkType: "ethernet",
      region: "us-central-1",
      termType: "on-demand",
      discountPercentage: 0,
      convertToOnDemandOnExpiry: true,
    });
  });

  test("the machine listing can be asked for without anything", async () => {
    const service = await serve(status(200, { instances: [] }));
    await expect(service.client().listMarketplaceMachines()).resolves.toEqual({ instances: [] });
    expect(service.requests[0]?.body).toBe('{"filters":{}}');
  });

  test("records come back whole, fields that nobody has heard of included", async () => {
    const records = [{ ...bareMetalRecord(1), surprise: { a: [1] }, region: "moon-1" }];
    const service = await serve((_, response) => json(response, 200, records));
    await expect(service.client().listBareMetalRentals()).resolves.toEqual(records);
  });

  test("an answer that begins with a byte order mark is read", async () => {
    const service = await serve((_, response) => void response.end(`\ufeff${JSON.stringify([volumeRecord(1)])}`));
    await expect(service.client().listStorageVolumes()).resolves.toEqual([volumeRecord(1)]);
  });

  test("a character that is cut between two chunks is read", async () => {
    const bytes = Buffer.from(JSON.stringify([{ ...volumeRecord(1), label: "日本語" }]));
    const service = await serve(async (_, response) => {
      for (const byte of bytes) await new Promise((resolve) => response.write(Buffer.of(byte), resolve));
      response.end();
    });
    await expect(service.client().listStorageVolumes()).resolves.toMatchObject([{ label: "日本語" }]);
  });
});

describe("getRequestCost", () => {
  const costs: Handler = (request, response) => {
    const { requestIds } = JSON.parse(request.body);
    json(response, 200, { requests: requestIds.map((requestId: string) => ({ requestId, costNanoUsd: 5 })) });
  };

  const ids = (length: number) => Array.from({ length }, (_, index) => `id-${index}`);

  test("tells each id once that was asked for, and no other", async () => {
    const answered = ["r1", "r0", "r0", "somebody-else"].map((requestId) => ({ requestId, costNanoUsd: 5 }));
    const service = await serve((_, response) => json(response, 200, { requests: answered }));
    const { requests } = await service.client().getRequestCost({ requestIds: ["r0", "r0", "r1"] });
    expect(requests.map(({ requestId }) => requestId)).toEqual(["r0", "r1"]);
    expect(JSON.parse(service.requests[0]?.body ?? "")).toEqual({ requestIds: ["r0", "r1"] });
  });

  test("asks for any number of ids in batches of 100, in order", async () => {
    const service = await serve(costs);
    const requestIds = ids(250);
    const { requests } = await service.client().getRequestCost({ requestIds });
    expect(requests.map(({ requestId }) => requestId)).toEqual(requestIds);
    expect(service.requests.map(({ body }) => JSON.parse(body).requestIds.length)).toEqual([100, 100, 50]);
  });

  test("asks once for 100, twice for 101 and not at all for none", async () => {
    const service = await serve(costs);
    const client = service.client();
    await client.getRequestCost({ requestIds: ids(100) });
    expect(service.requests).toHaveLength(1);
    await client.getRequestCost({ requestIds: ids(101) });
    expect(service.requests).toHaveLength(3);
    await expect(client.getRequestCost({ requestIds: [] })).resolves.toEqual({ requests: [] });
    expect(service.requests).toHaveLength(3);
  });

  test("fails as a whole when one batch does", async () => {
    const service = await serve(inTurn(costs, status(500)));
    const error = await failureOf(service.client().getRequestCost({ requestIds: ids(101) }));
    expect(error).toBeInstanceOf(ServerError);
  });
});

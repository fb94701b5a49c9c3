import { NotFoundError } from "../../../provider/client";
import { closeServices, failureOf, json, serve, status } from "../localService";

afterEach(closeServices);

describe("listMarketplaceInstances", () => {
  const list = { instances: [{ id: "i-1", instance: { status: "running", gpu_count: 2 } }] };

  test("asks with GET", async () => {
    const service = await serve(status(200, list));
    const { instances } = await service.client().listMarketplaceInstances();
    expect(instances).toMatchObject([{ id: "i-1", status: "running", gpuCount: 2 }]);
    expect(service.lines()).toEqual(["GET /v1/marketplace/instances"]);
  });

  test.each([404, 405])("turns to POST where GET is answered %d, and stays with it", async (code) => {
    const service = await serve((request, response) =>
      request.method === "POST" ? json(response, 200, list) : json(response, code, { error: "no" }),
    );
    const client = service.client();
    await client.listMarketplaceInstances();
    await client.listMarketplaceInstances();
    expect(service.lines()).toEqual([
      "GET /v1/marketplace/instances",
      "POST /v1/marketplace/instances",
      "POST /v1/marketplace/instances",
    ]);
  });

  test("sends no body with a POST, and an empty object only where that is refused", async () => {
    const service = await serve((request, response) => {
      if (request.method === "GET") return json(response, 405, { error: "no" });
      return request.body === "" ? json(response, 400, { error: "a body is required" }) : json(response, 200, list);
    });
    const client = service.client();
    await client.listMarketplaceInstances();
    await client.listMarketplaceInstances();
    expect(service.requests.map(({ method, body }) => `${method} ${body}`)).toEqual([
      "GET ",
      "POST ",
      "POST {}",
      "POST {}",
    ]);
  });

  test("sends the type that the interface asks for, without a body, too", async () => {
    const service = await serve(status(200, list));
    await service.client().listMarketplaceInstances();
    expect(service.requests[0]).toMatchObject({ body: "", headers: { "content-type": "application/json" } });
  });

  test.each([400, 401, 403])("does not turn to POST on %d", async (code) => {
    const service = await serve(status(code));
    await failureOf(service.client().listMarketplaceInstances());
    expect(service.requests).toHaveLength(1);
  });

  test('takes "no instances found" for an empty list only where POST has none either, or after a list', async () => {
    const none = { error: "No instances found" };
    const known = await serve((request, response) =>
      request.method === "GET" ? json(response, 404, none) : json(response, 200, list),
    );
    expect(await known.client().listMarketplaceInstances()).toEqual(
      expect.objectContaining({ instances: expect.anything() }),
    );
    const unknown = await serve(status(404, none));
    expect(await unknown.client().listMarketplaceInstances()).toMatchObject({ instances: [] });
  });

  test("where neither is known, fails and begins again with GET", async () => {
    const service = await serve(status(404));
    const client = service.client();
    expect(await failureOf(client.listMarketplaceInstances())).toBeInstanceOf(NotFoundError);
    await failureOf(client.listMarketplaceInstances());
    expect(service.lines().map((line) => line.split(" ")[0])).toEqual(["GET", "POST", "GET", "POST"]);
  });
});

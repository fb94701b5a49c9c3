import {
  BadRequestError,
  ConfigurationError,
  createClient,
  InvalidRequestError,
  NotFoundError,
  OutcomeUnknownError,
  ServerError,
  TimeoutError,
  UnauthorizedError,
  UnreadableAnswerError,
} from "../../../provider/client";
import { closeServices, failureOf, type Handler, json, methodOf, serve, skippingClock } from "../localService";
import { bareMetalRecord } from "../records";

import { bareMetal, bodyOf, done, rental, routes, storageVolume, virtualMachine } from "./discovered";

afterEach(closeServices);

describe("an undocumented operation is done", () => {
  test("as configured, without asking for the description", async () => {
    const service = await serve(routes({ [`DELETE /custom/12`]: done }));
    const client = service.client({
      operations: { terminateBareMetalRental: { method: "DELETE", path: "/custom/{id}" } },
    });
    await expect(client.terminateRental(rental)).resolves.toEqual({ message: "ended", body: { message: "ended" } });
    expect(service.lines()).toEqual(["DELETE /custom/12"]);
    expect(service.requests[0]?.body).toBe("");
  });

  test("as configured, with the id in a field of the body", async () => {
    const service = await serve(routes({ "POST /end": done }));
    const operation = { method: "POST", path: "/end" };
    await service.client({ operations: { terminateBareMetalRental: operation } }).terminateRental(rental);
    await service
      .client({ operations: { terminateBareMetalRental: { ...operation, idField: "nr" } } })
      .terminateRental(rental);
    expect(service.requests.map(bodyOf)).toEqual([{ rentalId: 12 }, { nr: 12 }]);
  });

  test("as configured, with constants beside the id", async () => {
    const service = await serve(routes({ "POST /end": done, "DELETE /end/12": done }));
    const fields = { reason: "unused", force: true };
    const ended = (operation: { method: string; path: string }) =>
      service.client({ operations: { terminateBareMetalRental: { ...operation, fields } } }).terminateRental(rental);
    await ended({ method: "POST", path: "/end" });
    await ended({ method: "DELETE", path: "/end/{id}" });
    expect(service.requests.map(bodyOf)).toEqual([{ ...fields, rentalId: 12 }, fields]);
  });

  test("as the service describes it", async () => {
    const schema = { properties: { id: { type: "integer" } } };
    const description = {
      paths: {
        [`${bareMetal}/cancel`]: { post: { requestBody: { content: { "application/json": { schema } } } } },
        [`${storageVolume}/{volume}`]: { delete: {} },
      },
    };
    const service = await serve(
      routes({ [`POST ${bareMetal}/cancel`]: done, [`DELETE ${storageVolume}/7`]: done }, description),
    );
    const client = service.client();
    await client.terminateRental(rental);
    await client.deleteStorageVolume({ storageVolumeId: 7 });
    expect(service.lines()).toEqual(["GET /v2/openapi.json", `POST ${bareMetal}/cancel`, `DELETE ${storageVolume}/7`]);
    expect(bodyOf(service.requests[1])).toEqual({ id: 12 });
  });

  test.each([
    ["there is no description", undefined],
    ["the description does not have it", { paths: {} }],
  ])("in the usual way where %s", async (_, description) => {
    const service = await serve(
      routes(
        {
          [`POST ${bareMetal}/terminate`]: done,
          [`POST ${virtualMachine}/terminate`]: done,
          [`GET ${virtualMachine}`]: (__, response) => json(response, 200, [{ id: 3, status: "Running" }]),
          [`POST ${storageVolume}/delete`]: done,
          [`POST ${storageVolume}/detach`]: done,
        },
        description,
      ),
    );
    const client = service.client();
    await client.terminateRental(rental);
    await client.terminateRental({ rentalId: 3, rentalType: "virtual-machine" });
    await expect(client.listVmRentals()).resolves.toEqual([{ id: 3, status: "Running" }]);
    await client.deleteStorageVolume({ storageVolumeId: 7 });
    await client.detachStorageVolume({ storageVolumeId: 7, rentalIds: [12] });
    expect(service.requests.slice(1).map(bodyOf)).toEqual([
      { rentalId: 12 },
      { rentalId: 3 },
      null,
      { storageVolumeId: 7 },
      { storageVolumeId: 7, rentalIds: [12] },
    ]);
  });

  test("with nothing in the answer, too", async () => {
    const service = await serve(
      routes({ [`POST ${bareMetal}/terminate`]: (_, response) => void response.writeHead(204).end() }),
    );
    await expect(service.client().terminateRental(rental)).resolves.toEqual({ message: undefined, body: undefined });
  });
});

describe("the description", () => {
  test("is asked for once by a client, however many need it at the same moment", async () => {
    const service = await serve(routes({ [`POST ${bareMetal}/terminate`]: done }, { paths: {} }));
    const client = service.client();
    await Promise.all(Array.from({ length: 10 }, () => client.terminateRental(rental)));
    await client.resolveOperations();
    expect(service.lines().filter((line) => line === "GET /v2/openapi.json")).toHaveLength(1);
  });

  test("that could not be had is asked for again on the next use", async () => {
    let broken = true;
    const service = await serve((request, response, index) =>
      broken
        ? json(response, 500, {})
        : routes({ [`POST ${bareMetal}/terminate`]: done }, { paths: {} })(request, response, index),
    );
    const client = service.client({ limits: { attempts: 1 } });
    expect(await failureOf(client.terminateRental(rental))).toBeInstanceOf(ServerError);
    broken = false;
    await client.terminateRental(rental);
    expect(service.lines()).toEqual(["GET /v2/openapi.json", "GET /v2/openapi.json", `POST ${bareMetal}/terminate`]);
  });

  const describedEnd = { paths: { [`${bareMetal}/{id}`]: { delete: {} } } };
  /** Answers the first requests for the description with this status, and then with the description. */
  function late(statuses: number[], known: Record<string, Handler>): Handler {
    return (request, response, index) => {
      const status = request.path === "/v2/openapi.json" ? statuses.shift() : undefined;
      if (status !== undefined) return json(response, status, { error: "not now" });
      return routes(known, describedEnd)(request, response, index);
    };
  }

  test.each([400, 403, 404])(
    "that is answered %d once is asked for again before the usual way is given up",
    async (status) => {
      const service = await serve(late([status], { [`DELETE ${bareMetal}/12`]: done }));
      const clock = skippingClock();
      await service.client({ clock }).terminateRental(rental);
      expect(service.lines()).toEqual([
        "GET /v2/openapi.json",
        `POST ${bareMetal}/terminate`,
        "GET /v2/openapi.json",
        `DELETE ${bareMetal}/12`,
      ]);
      expect(clock.sleeps).toEqual([2500]);
    },
  );

  test.each([400, 403, 404])(
    "that is always answered %d keeps nobody waiting, and is asked for three times",
    async (status) => {
      const service = await serve(late(Array(99).fill(status), { [`POST ${bareMetal}/terminate`]: done }));
      const clock = skippingClock();
      const client = service.client({ clock });
      for (let second = 0; second < 30; second += 1) {
        await Promise.all([client.terminateRental(rental), client.terminateRental(rental)]);
        clock.advance(1000);
      }
      expect(clock.sleeps).toEqual([]);
      expect(service.lines().filter((line) => line === "GET /v2/openapi.json")).toHaveLength(3);
    },
  );

  test("for which the key is rejected is an error of the key", async () => {
    const service = await serve(late([401], {}));
    expect(await failureOf(service.client().terminateRental(rental))).toBeInstanceOf(UnauthorizedError);
    expect(service.lines()).toEqual(["GET /v2/openapi.json"]);
  });

  test.each<[string, Handler, string]>([
    ["fails", (_, response) => json(response, 500, { error: "down" }), "answered 500: down"],
    [
      "is none",
      (_, response) => void response.end("<html>"),
      "answered 200: the answer could not be read: it is not JSON",
    ],
  ])("that %s says how to do without it", async (_, handler, reason) => {
    const service = await serve(handler);
    const error = await failureOf(service.client().terminateRental(rental));
    expect(error.message).toBe(
      `GET /v2/openapi.json ${reason}. It tells how the service does what its interface does not show. ` +
        "To do without it, configure terminateBareMetalRental in gpufleet:operations (docs/undocumented-operations.md). " +
        "Destroy uses new configuration only with --run-program.",
    );
  });

  test("that does not come holds nobody beyond his own deadline", async () => {
    const service = await serve(() => {});
    const clock = skippingClock();
    const client = service.client({ clock });
    const patient = failureOf(client.listVmRentals({ deadline: clock.now() + 10_000 }));
    const error = await failureOf(client.terminateRental(rental, { deadline: clock.now() + 50 }));
    expect(error).toBeInstanceOf(TimeoutError);
    await closeServices();
    await patient;
    expect(service.requests[0]?.path).toBe("/v2/openapi.json");
  });

  test("is told by resolveOperations, with what is configured and what is usual", async () => {
    const service = await serve(routes({}, { paths: { [virtualMachine]: { get: {} } } }));
    const client = service.client({ operations: { deleteStorageVolume: { method: "DELETE", path: "/v/{id}" } } });
    await expect(client.resolveOperations()).resolves.toEqual({
      terminateBareMetalRental: {
        kind: "conventional",
        method: "POST",
        path: `${bareMetal}/terminate`,
        idField: "rentalId",
      },
      terminateVmRental: {
        kind: "conventional",
        method: "POST",
        path: `${virtualMachine}/terminate`,
        idField: "rentalId",
      },
      listVmRentals: { kind: "described", method: "GET", path: virtualMachine, idField: undefined },
      deleteStorageVolume: { kind: "configured", method: "DELETE", path: "/v/{id}", idField: undefined },
      detachStorageVolume: {
        kind: "conventional",
        method: "POST",
        path: `${storageVolume}/detach`,
        idField: "storageVolumeId",
      },
    });
  });
});

describe("terminateRental without a type", () => {
  test.each([
    ["bare metal, if the list has it", 12, bareMetal],
    ["a virtual machine otherwise", 13, virtualMachine],
  ])("takes the rental for %s", async (_, rentalId, collection) => {
    const list: Handler = (__, response) => json(response, 200, [bareMetalRecord(12)]);
    const service = await serve(routes({ [`GET ${bareMetal}`]: list, [`POST ${collection}/terminate`]: done }));
    await service.client().terminateRental({ rentalId });
    expect(service.lines()).toEqual([`GET ${bareMetal}`, "GET /v2/openapi.json", `POST ${collection}/terminate`]);
  });
});

describe("the id is written as the service describes it", () => {
  const body = (properties: object, required: string[] = []) => ({
    requestBody: { content: { "application/json": { schema: { properties, required } } } },
  });
  const query = (name: string) => ({
    parameters: [{ name, in: "query", required: true, schema: { type: "integer" } }],
  });

  test.each<[string, object, string, unknown]>([
    [
      "a list of one",
      { [`${bareMetal}/terminate`]: { post: body({ rentalIds: { type: "array" } }) } },
      `POST ${bareMetal}/terminate`,
      { rentalIds: [12] },
    ],
    [
      "text",
      { [`${bareMetal}/terminate`]: { post: body({ id: { type: "string" } }) } },
      `POST ${bareMetal}/terminate`,
      { id: "12" },
    ],
    [
      "a PUT",
      { [`${bareMetal}/terminate`]: { put: body({ rentalId: {} }) } },
      `PUT ${bareMetal}/terminate`,
      { rentalId: 12 },
    ],
    ["a PUT on the rental", { [`${bareMetal}/{id}/cancel`]: { put: {} } }, `PUT ${bareMetal}/12/cancel`, null],
    [
      "a DELETE with a body",
      { [bareMetal]: { delete: body({ rentalId: {} }, ["rentalId"]) } },
      `DELETE ${bareMetal}`,
      { rentalId: 12 },
    ],
    ["a DELETE with a query", { [bareMetal]: { delete: query("rentalId") } }, `DELETE ${bareMetal}?rentalId=12`, null],
    [
      "the external id",
      { [`${bareMetal}/terminate`]: { post: body({ externalId: { type: "string" } }) } },
      `POST ${bareMetal}/terminate`,
      { externalId: "ext-12" },
    ],
    [
      "the external id in the path",
      { [`${bareMetal}/{externalId}`]: { delete: {} } },
      `DELETE ${bareMetal}/ext-12`,
      null,
    ],
  ])("%s", async (_, paths, line, sent) => {
    const list: Handler = (__, response) => json(response, 200, [bareMetalRecord(12)]);
    const service = await serve(routes({ [line]: done, [`GET ${bareMetal}`]: list }, { paths }));
    await service.client().terminateRental(rental);
    expect(service.lines().at(-1)).toBe(line);
    expect(bodyOf(service.requests.at(-1))).toEqual(sent);
  });

  test("and nothing is sent where the external id is not known", async () => {
    const list: Handler = (_, response) => json(response, 200, [bareMetalRecord(13)]);
    const paths = { [`${bareMetal}/{externalId}`]: { delete: {} } };
    const service = await serve(routes({ [`GET ${bareMetal}`]: list }, { paths }));
    const error = await failureOf(service.client().terminateRental(rental));
    expect(error).toBeInstanceOf(NotFoundError);
    expect(error.message).toBe(
      `POST ${bareMetal}/terminate: not sent: the service ends it by its externalId, and no list shows 12 with one`,
    );
    expect(service.lines()).toEqual(["GET /v2/openapi.json", `GET ${bareMetal}`]);
  });
});

describe("a rental or volume that the service does not know", () => {
  test.each(["rental not found", "Rental 12 does not exist", "already terminated", "no such volume"])(
    "is not found: %s",
    async (said) => {
      const service = await serve(
        routes({ [`POST ${bareMetal}/terminate`]: (_, response) => json(response, 404, { error: said }) }),
      );
      const client = service.client();
      expect(await failureOf(client.terminateRental(rental))).toBeInstanceOf(NotFoundError);
      await failureOf(client.terminateRental(rental));
      expect(service.lines().filter((line) => line.startsWith("POST"))).toHaveLength(2);
    },
  );

  test("is not found where the service describes the operation, in whatever words", async () => {
    const notFound: Handler = (_, response) => json(response, 404, { error: "NOT_FOUND" });
    const description = { paths: { [`${bareMetal}/{id}`]: { delete: {} } } };
    const service = await serve(routes({ [`DELETE ${bareMetal}/12`]: notFound }, description));
    expect(await failureOf(service.client().terminateRental(rental))).toBeInstanceOf(NotFoundError);
  });

  test("is not 'not found' because a page says so, even then", async () => {
    const page: Handler = (_, response) => void response.writeHead(404).end("<html><title>404</title></html>");
    const description = { paths: { [`${bareMetal}/{id}`]: { delete: {} } } };
    const service = await serve(routes({ [`DELETE ${bareMetal}/12`]: page }, description));
    expect(await failureOf(service.client().terminateRental(rental))).toBeInstanceOf(UnreadableAnswerError);
  });
});

test("ending is not retried when its reply was lost", async () => {
  const service = await serve(routes({ [`POST ${bareMetal}/terminate`]: (_, response) => void response.destroy() }));
  expect(await failureOf(service.client().terminateRental(rental))).toBeInstanceOf(OutcomeUnknownError);
  expect(service.lines().filter((line) => line.startsWith("POST"))).toHaveLength(1);
});

test("an answer that is a page does not count as ended", async () => {
  const page: Handler = (_, response) => void response.end("<html>welcome</html>");
  const service = await serve(routes({ [`POST ${bareMetal}/terminate`]: page }));
  expect(await failureOf(service.client().terminateRental(rental))).toBeInstanceOf(OutcomeUnknownError);
});

test("a refusal passes through", async () => {
  const refuse: Handler = (_, response) => json(response, 400, { error: "volume is attached" });
  const service = await serve(routes({ [`POST ${storageVolume}/delete`]: refuse }));
  const error = await failureOf(service.client().deleteStorageVolume({ storageVolumeId: 7 }));
  expect(error).toBeInstanceOf(BadRequestError);
});

test.each([
  ["terminateRental", { rentalId: "12/../../x" }],
  ["terminateRental", { rentalId: 1.5 }],
  ["terminateRental", { rentalId: 1, rentalType: "metal" }],
  ["terminateRental", {}],
  ["deleteStorageVolume", { storageVolumeId: "7" }],
  ["detachStorageVolume", { storageVolumeId: 7, rentalIds: [] }],
  ["detachStorageVolume", { storageVolumeId: 7, rentalIds: ["1"] }],
])("%s refuses %j before anything is sent", async (name, request) => {
  const service = await serve(routes({}));
  expect(await failureOf(methodOf(service.client(), name)(request))).toBeInstanceOf(InvalidRequestError);
  expect(service.requests).toHaveLength(0);
});

describe("a configuration that cannot be right is refused when the client is made", () => {
  const create = (operations: object) => () =>
    Reflect.apply(createClient, undefined, [{ baseUrl: "https://a.com", operations }]);

  test.each([
    [
      { endRental: { method: "POST", path: "/x" } },
      /^gpufleet:operations is invalid:\n {2}endRental \(an object\): is not one of terminateBareMetalRental, /,
    ],
    [
      { listVmRentals: { method: "FETCH", path: "/x" } },
      /listVmRentals\.method "FETCH": must be one of GET, POST, PUT, PATCH, DELETE/,
    ],
    [
      { listVmRentals: { method: "GET", path: "https://evil.example/" } },
      /listVmRentals\.path "https:\/\/evil\.example\/": must match/,
    ],
    [{ listVmRentals: { method: "GET", path: "//evil.example/" } }, /must match/],
    [{ listVmRentals: { method: "GET", path: "@evil.example/" } }, /must match/],
    [
      { listVmRentals: { method: "GET", path: "/x", verb: "list" } },
      /listVmRentals\.verb "list": is not a field of this operation$/,
    ],
    [{ listVmRentals: { method: "GET" } }, /listVmRentals\.path \(missing\): must be a string/],
    [
      { terminateVmRental: { method: "DELETE", path: "/all" } },
      /terminateVmRental\.path "\/all": must contain \{id\}, unless idField is set/,
    ],
    [
      { terminateVmRental: { method: "POST", path: "/x", fields: { reason: {} } } },
      /terminateVmRental\.fields\.reason/,
    ],
    [
      { listVmRentals: { method: "GET", path: "/x", fields: { all: true } } },
      /listVmRentals\.fields \(an object\): must be left out: a GET has no body/,
    ],
  ])("%j", (operations, message) => {
    expect(create(operations)).toThrow(ConfigurationError);
    expect(create(operations)).toThrow(message);
  });
});

import {
  BadRequestError,
  ConfigurationError,
  createClient,
  InvalidRequestError,
  NotFoundError,
  OperationUnavailableError,
  OutcomeUnknownError,
  ServerError,
  TimeoutError,
  UnauthorizedError,
  UnreadableAnswerError,
} from "../../../provider/client";
import { collections } from "../../../provider/service";
import {
  closeServices,
  failureOf,
  type Handler,
  json,
  methodOf,
  type SeenRequest,
  serve,
  skippingClock,
} from "../localService";
import { bareMetalRecord } from "../records";

afterEach(closeServices);

const { bareMetal, virtualMachine, storageVolume } = collections;
const rental = { rentalId: 12, rentalType: "bare-metal" } as const;

/** A service with these routes, and with a description if one is given. Everything else is 404, as a router says it. */
function routes(known: Record<string, Handler>, description?: object): Handler {
  return (request, response, index) => {
    const line = `${request.method} ${request.path}`;
    if (line === "GET /v2/openapi.json" && description) return json(response, 200, description);
    const handler = known[line];
    return handler ? handler(request, response, index) : json(response, 404, { message: `Cannot ${line}` });
  };
}
const done: Handler = (_, response) => json(response, 200, { message: "ended" });
const bodyOf = (request: SeenRequest | undefined) => JSON.parse(request?.body || "null");

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

describe("an operation that the service does not have", () => {
  const unknown: [string, Handler][] = [
    [
      "404 from a router that names the path",
      (request, response) => json(response, 404, { message: `Cannot POST ${request.path}` }),
    ],
    [
      "404 that names the route",
      (request, response) => json(response, 404, { message: `Route POST:${request.path} not found` }),
    ],
    [
      "404 that names nothing but the path",
      (request, response) => json(response, 404, { error: "Not Found", message: `No mapping for ${request.path}` }),
    ],
    ["404 without a word", (_, response) => void response.writeHead(404).end()],
    ["404 with a page", (_, response) => void response.writeHead(404).end("<html><title>404 Not Found</title></html>")],
    ["404 in general", (_, response) => json(response, 404, { detail: "Not Found" })],
    ["405", (_, response) => json(response, 405, { error: "method not allowed for rental" })],
  ];

  test.each(unknown)("is unavailable and not 'gone' on %s", async (_, handler) => {
    const service = await serve(routes({ [`POST ${bareMetal}/terminate`]: handler }, { paths: {} }));
    expect(await failureOf(service.client().terminateRental(rental))).toBeInstanceOf(OperationUnavailableError);
  });

  test("says what to configure, and is not tried a second time", async () => {
    const service = await serve(routes({}, { paths: {} }));
    const client = service.client();
    const first = await failureOf(client.terminateRental(rental));
    const second = await failureOf(client.terminateRental(rental));
    const message =
      `POST ${bareMetal}/terminate answered 404: Cannot POST ${bareMetal}/terminate. ` +
      "Configure it in gpufleet:operations, for example " +
      '{"terminateBareMetalRental":{"method":"POST","path":"/v2/path/of/the/operation","idField":"id"}}; ' +
      "{id} in the path stands for the id. Destroy uses new configuration only with --run-program.";
    expect(first.message).toBe(message);
    expect(second).toBeInstanceOf(OperationUnavailableError);
    expect(second.message).toBe(message);
    const sent = `POST ${bareMetal}/terminate`;
    expect(service.lines()).toEqual(["GET /v2/openapi.json", sent, sent, sent]);
  });

  test("where it was configured wrongly is unavailable too, and tried again", async () => {
    const service = await serve(routes({}));
    const client = service.client({ operations: { terminateBareMetalRental: { method: "POST", path: "/wrong" } } });
    expect(await failureOf(client.terminateRental(rental))).toBeInstanceOf(OperationUnavailableError);
    expect(service.requests).toHaveLength(3);
    expect(await failureOf(client.terminateRental(rental))).toBeInstanceOf(OperationUnavailableError);
    expect(service.requests).toHaveLength(4);
  });

  test("such as a VM list is unavailable, and not empty", async () => {
    const service = await serve(routes({}));
    const error = await failureOf(service.client().listVmRentals());
    expect(error).toBeInstanceOf(OperationUnavailableError);
    expect(error.message).toBe(
      `GET ${virtualMachine} answered 404: Cannot GET ${virtualMachine}. ` +
        'Configure it in gpufleet:operations, for example {"listVmRentals":{"method":"GET","path":"/v2/path/of/the/list"}}. ' +
        "Destroy uses new configuration only with --run-program.",
    );
  });
});

describe("one 404 on an operation that nobody describes", () => {
  const notFound: Handler = (_, response) => json(response, 404, { detail: "Not Found" });
  const listed: Handler = (_, response) => json(response, 200, [{ id: 3 }]);

  test("does not prove that there is none: it is asked for again", async () => {
    let requests = 0;
    const service = await serve(
      routes({
        [`GET ${virtualMachine}`]: (...given) => {
          requests += 1;
          return requests <= 2 ? notFound(...given) : listed(...given);
        },
      }),
    );
    const clock = skippingClock();
    const client = service.client({ clock });
    await expect(client.listVmRentals()).resolves.toEqual([{ id: 3 }]);
    expect(clock.sleeps).toEqual([2500, 2500]);
  });

  test("proves it with two more over five seconds, once in a process", async () => {
    const service = await serve(routes({ [`GET ${virtualMachine}`]: notFound }));
    const clock = skippingClock();
    const client = service.client({ clock });
    const start = clock.now();
    for (let time = 0; time < 3; time += 1) {
      expect(await failureOf(client.listVmRentals())).toBeInstanceOf(OperationUnavailableError);
    }
    expect(clock.now() - start).toBe(5000);
    expect(service.lines().filter((line) => line.startsWith(`GET ${virtualMachine}`))).toHaveLength(3);
  });

  test("of many at the same moment is one", async () => {
    const service = await serve(routes({ [`POST ${bareMetal}/terminate`]: notFound }));
    const sleeps: (() => void)[] = [];
    let now = 0;
    const clock = { now: () => now, sleep: () => new Promise<void>((resolve) => void sleeps.push(resolve)) };
    const client = service.client({ clock });
    const ended = Array.from({ length: 5 }, () => failureOf(client.terminateRental(rental)));
    for (let wave = 0; wave < 2; wave += 1) {
      while (sleeps.length < 5) await new Promise((resolve) => setTimeout(resolve, 5));
      now += 2500;
      for (const wake of sleeps.splice(0)) wake();
    }
    for (const error of await Promise.all(ended)) expect(error).toBeInstanceOf(OperationUnavailableError);
  });

  test("counts as trouble that may pass where there is no time to ask again", async () => {
    const service = await serve(routes({ [`GET ${virtualMachine}`]: notFound }));
    const clock = skippingClock();
    const error = await failureOf(service.client({ clock }).listVmRentals({ deadline: clock.now() + 1000 }));
    expect(error).toBeInstanceOf(UnreadableAnswerError);
    expect(error.message).toBe(`GET ${virtualMachine} answered 404: Not Found`);
  });

  test("does not count with those before an answer that shows the operation", async () => {
    const said = [404, 404, 200, 404, 404, 200];
    const service = await serve(
      routes({
        [`GET ${virtualMachine}`]: (...given) => (said.shift() === 404 ? notFound(...given) : listed(...given)),
      }),
    );
    const client = service.client();
    await expect(client.listVmRentals()).resolves.toHaveLength(1);
    await expect(client.listVmRentals()).resolves.toHaveLength(1);
  });

  test.each([404, 405])("counts no more than one 405, nor less: %d", async (status) => {
    const refuse: Handler = (_, response) => json(response, status, { error: "method not allowed" });
    const service = await serve(routes({ [`GET ${virtualMachine}`]: refuse }));
    const clock = skippingClock();
    expect(await failureOf(service.client({ clock }).listVmRentals())).toBeInstanceOf(OperationUnavailableError);
    expect(clock.sleeps).toEqual([2500, 2500]);
  });
});

describe("a list of virtual machines that somebody has told of is never taken for one that there is not", () => {
  const refuse: Handler = (_, response) => json(response, 405, { error: "method not allowed" });
  const notFound: Handler = (_, response) => json(response, 404, { detail: "Not Found" });
  const described = { paths: { [virtualMachine]: { get: {} } } };
  const configured = { listVmRentals: { method: "GET", path: "/v2/vms" } };

  test("the service describes it, and answers 405", async () => {
    const service = await serve(routes({ [`GET ${virtualMachine}`]: refuse }, described));
    const error = await failureOf(service.client().listVmRentals());
    expect(error).toBeInstanceOf(UnreadableAnswerError);
    expect(error.message).toBe(
      `GET ${virtualMachine} answered 405: method not allowed. If it stays like this, configure listVmRentals in gpufleet:operations.`,
    );
  });

  test.each([
    ["404", notFound],
    ["405", refuse],
  ])("the configuration has it, and it is answered %s", async (_, handler) => {
    const service = await serve(routes({ "GET /v2/vms": handler }));
    const error = await failureOf(service.client({ operations: configured }).listVmRentals());
    expect(error).toBeInstanceOf(UnreadableAnswerError);
    expect(error.message).toMatch(/ Check listVmRentals in gpufleet:operations\.$/);
  });

  test.each([404, 405])("it was had before it is answered %d", async (status) => {
    let isThere = true;
    const service = await serve(
      routes({
        [`GET ${virtualMachine}`]: (_, response) =>
          isThere ? json(response, 200, [{ id: 3 }]) : json(response, status, { detail: "Not Found" }),
      }),
    );
    const client = service.client();
    await client.listVmRentals();
    isThere = false;
    expect(await failureOf(client.listVmRentals())).toBeInstanceOf(UnreadableAnswerError);
    isThere = true;
    await expect(client.listVmRentals()).resolves.toHaveLength(1);
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
  ])("%j", (operations, message) => {
    expect(create(operations)).toThrow(ConfigurationError);
    expect(create(operations)).toThrow(message);
  });
});

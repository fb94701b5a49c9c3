import { OperationUnavailableError, UnreadableAnswerError } from "../../../provider/client";
import { closeServices, failureOf, type Handler, json, serve, skippingClock } from "../localService";

import { bareMetal, rental, routes, virtualMachine } from "./discovered";

afterEach(closeServices);

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
    expect(service.lines()).toEqual(["GET /v2/openapi.json", sent, sent, sent, `DELETE ${bareMetal}/12`]);
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

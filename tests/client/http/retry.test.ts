import {
  AbortedError,
  BadRequestError,
  ConnectionError,
  createClient,
  OutcomeUnknownError,
  RateLimitedError,
  ServerError,
  TimeoutError,
  type Transport,
  TransportError,
} from "../../../provider/client";
import { closeServices, cut, failureOf, type Handler, inTurn, serve, skippingClock, status } from "../localService";

afterEach(closeServices);

const vm = { gpuCount: 1 };
const ok = status(200, { id: 1 });
const empty = status(200, []);

describe("what is safe to send again is retried", () => {
  test.each([500, 502, 503, 504, 408])("a list answered %d", async (code) => {
    const service = await serve(inTurn(status(code), status(code), empty));
    await expect(service.client().listStorageVolumes()).resolves.toEqual([]);
    expect(service.requests).toHaveLength(3);
  });

  test("a list whose connection was cut", async () => {
    const service = await serve(inTurn(cut, empty));
    await expect(service.client().listStorageVolumes()).resolves.toEqual([]);
    expect(service.requests).toHaveLength(2);
  });

  test("a list whose answer was cut in the middle", async () => {
    const half = inTurn((_, response) => {
      response.writeHead(200, { "content-length": "100" });
      response.write("[");
      setImmediate(() => response.destroy());
    }, empty);
    const service = await serve(half);
    await expect(service.client().listStorageVolumes()).resolves.toEqual([]);
    expect(service.requests).toHaveLength(2);
  });

  test("a POST that only reads", async () => {
    const service = await serve(inTurn(status(500), status(200, { requests: [] })));
    await service.client().getRequestCost({ requestIds: ["a"] });
    expect(service.requests).toHaveLength(2);
  });

  test("a create that was answered 429", async () => {
    const service = await serve(inTurn(status(429), status(429), ok));
    await expect(service.client().createVmRental(vm)).resolves.toEqual({ id: 1 });
    expect(service.requests).toHaveLength(3);
  });

  test("a create that could not be sent", async () => {
    let tries = 0;
    const transport: Transport = async () => {
      if (++tries < 3) throw new TransportError("connection refused", { sent: "no" });
      return { status: 200, headers: {}, body: bodyOf('{"id":1}') };
    };
    const client = createClient({ baseUrl: "https://a.com", transport, clock: skippingClock() });
    await expect(client.createVmRental(vm)).resolves.toEqual({ id: 1 });
    expect(tries).toBe(3);
  });

  test("up to eight times, and then the last error is thrown", async () => {
    const service = await serve(status(503, { error: "overloaded" }));
    const clock = skippingClock();
    const error = await failureOf(service.client({ clock }).listStorageVolumes());
    expect(error).toBeInstanceOf(ServerError);
    expect(error.message).toBe("GET /v2/alpha/on-demand/storage-volumes answered 503: overloaded");
    expect(service.requests).toHaveLength(8);
  });
});

describe("what may have taken effect is never retried", () => {
  const happened: [string, Handler, string][] = [
    ["500", status(500, { error: "oops" }), " answered 500: oops"],
    [
      "502 with a page",
      (_, response) => void response.writeHead(502).end("<html><title>Bad gateway</title>"),
      " answered 502: Bad gateway",
    ],
    ["503 with Retry-After", status(503, {}, { "retry-after": "1" }), " answered 503: Service Unavailable"],
    ["408", status(408), " answered 408: no"],
    ["302", status(302, {}, { location: "https://evil.example" }), " answered 302: redirects are not followed"],
    ["307", status(307, {}, { location: "https://evil.example" }), " answered 307: redirects are not followed"],
    [
      "200 with a page",
      (_, response) => void response.end("<html>"),
      " answered 200: the answer could not be read: it is not JSON",
    ],
    [
      "200 without a body",
      (_, response) => void response.end(),
      " answered 200: the answer could not be read: it is empty",
    ],
    [
      "200 without an id",
      status(200, {}),
      " answered 200: the answer could not be read: id (missing) must be a number",
    ],
  ];

  test.each(happened)("a create answered %s", async (_, handler, said) => {
    const service = await serve(handler);
    const error = await failureOf(service.client().createVmRental(vm));
    expect(error).toBeInstanceOf(OutcomeUnknownError);
    expect(error.message).toBe(
      `POST /v2/alpha/on-demand/virtual-machine-rentals${said}. It may have taken effect, so it is not retried.`,
    );
    expect(error.cause).toBeInstanceOf(Error);
    expect(service.requests).toHaveLength(1);
  });

  test("a create whose reply was lost", async () => {
    const service = await serve(cut);
    const error = await failureOf(service.client().createVmRental(vm));
    expect(error).toBeInstanceOf(OutcomeUnknownError);
    expect(error.message).toMatch(
      /: lost the connection to http:\/\/127\.0\.0\.1:\d+: closed by the other side before the answer was complete\. It may/,
    );
    expect(error.cause).toBeInstanceOf(ConnectionError);
    expect(service.requests).toHaveLength(1);
  });

  test("a create whose answer was cut in the middle", async () => {
    const service = await serve((_, response) => {
      response.writeHead(200, { "content-length": "100" });
      response.write('{"id":');
      setImmediate(() => response.destroy());
    });
    expect(await failureOf(service.client().createVmRental(vm))).toBeInstanceOf(OutcomeUnknownError);
    expect(service.requests).toHaveLength(1);
  });

  test("a create that timed out", async () => {
    const service = await serve(() => {});
    const error = await failureOf(service.client({ limits: { headers: 30 } }).createVmRental(vm));
    expect(error).toBeInstanceOf(OutcomeUnknownError);
    expect(error.cause).toBeInstanceOf(TimeoutError);
    expect(service.requests).toHaveLength(1);
  });

  test("a create that was cancelled on its way", async () => {
    const controller = new AbortController();
    const service = await serve(() => controller.abort());
    const error = await failureOf(service.client().createVmRental(vm, { signal: controller.signal }));
    expect(error).toBeInstanceOf(OutcomeUnknownError);
    expect(error.cause).toBeInstanceOf(AbortedError);
    expect(service.requests).toHaveLength(1);
  });

  test("a create whose second try, after a 429, was lost", async () => {
    const service = await serve(inTurn(status(429), cut));
    expect(await failureOf(service.client().createVmRental(vm))).toBeInstanceOf(OutcomeUnknownError);
    expect(service.requests).toHaveLength(2);
  });

  test("a transport that fails in a way of its own counts as sent", async () => {
    const transport = async () => {
      throw new RangeError("what is this");
    };
    const client = createClient({ baseUrl: "https://a.com", transport, clock: skippingClock() });
    expect(await failureOf(client.createVmRental(vm))).toBeInstanceOf(OutcomeUnknownError);
  });

  test.each([400, 402, 404, 409, 422])("a create refused with %d is definite, and not retried", async (code) => {
    const service = await serve(status(code));
    expect(await failureOf(service.client().createVmRental(vm))).not.toBeInstanceOf(OutcomeUnknownError);
    expect(service.requests).toHaveLength(1);
  });

  test("a refusal is definite even if its text never ends", async () => {
    const service = await serve((_, response) => {
      response.writeHead(400);
      response.write("region disabled");
    });
    const error = await failureOf(service.client({ limits: { total: 1000 } }).createVmRental(vm));
    expect(error).toBeInstanceOf(BadRequestError);
    expect(error.message).toContain("answered 400: region disabled");
  });
});

describe("waits", () => {
  const waitsFor = async (headers: Record<string, string>, random: number, times = 3) => {
    const clock = skippingClock();
    const service = await serve((_, response, index) =>
      index < times ? status(429, {}, headers)(_, response, index) : empty(_, response, index),
    );
    await service.client({ clock, random: () => random }).listStorageVolumes();
    return clock.sleeps;
  };

  test("grow twofold, are jittered in full, and stay under 20 s", async () => {
    expect(await waitsFor({}, 1, 8)).toEqual([500, 1000, 2000, 4000, 8000, 16_000, 20_000, 20_000]);
    expect(await waitsFor({}, 0.5)).toEqual([250, 500, 1000]);
    expect(await waitsFor({}, 0)).toEqual([0, 0, 0]);
  });

  test("are as long as the service asks, and a little longer at random", async () => {
    expect(await waitsFor({ "retry-after": "7" }, 0)).toEqual([7000, 7000, 7000]);
    expect(await waitsFor({ "retry-after": "7" }, 1)).toEqual([8200, 8200, 8200]);
    const dates = { date: "Sat, 12 Sep 2026 00:00:00 GMT", "retry-after": "Sat, 12 Sep 2026 00:00:09 GMT" };
    expect(await waitsFor(dates, 0, 1)).toEqual([9000]);
  });

  test.each(["0", "-3", "soon", "Sat, 12 Sep 2020 00:00:00 GMT"])(
    "are the client's own on Retry-After: %s",
    async (value) => {
      expect(await waitsFor({ "retry-after": value }, 1)).toEqual([500, 1000, 2000]);
    },
  );

  test("also go by the Retry-After of a 503", async () => {
    const clock = skippingClock();
    const service = await serve(inTurn(status(503, {}, { "retry-after": "5" }), empty));
    await service.client({ clock, random: () => 0 }).listStorageVolumes();
    expect(clock.sleeps).toEqual([5000]);
  });

  test.each(["86400", "9".repeat(400)])("beyond the deadline are not begun: Retry-After %s", async (value) => {
    const clock = skippingClock();
    const service = await serve(status(429, { error: "slow down" }, { "retry-after": value }));
    const error = await failureOf(service.client({ clock }).createVmRental(vm));
    expect(error).toBeInstanceOf(RateLimitedError);
    expect(error.message).toMatch(
      /^POST \/v2\/alpha\/on-demand\/virtual-machine-rentals answered 429: slow down\. The service asks to wait \d+ s\.$/,
    );
    expect(service.requests).toHaveLength(1);
    expect(clock.sleeps).toEqual([]);
  });

  test("beyond the deadline end a 503 as well", async () => {
    const service = await serve(status(503, { error: "maintenance" }, { "retry-after": "3600" }));
    const error = await failureOf(service.client().listStorageVolumes());
    expect(error).toBeInstanceOf(ServerError);
    expect(error.message).toBe(
      "GET /v2/alpha/on-demand/storage-volumes answered 503: maintenance. The service asks to wait 3600 s.",
    );
    expect(error).toHaveProperty("retryAfter", 3_600_000);
  });

  test("go on for as long as the service says 429, and end with the deadline", async () => {
    const clock = skippingClock();
    const service = await serve(status(429));
    const deadline = clock.now() + 100_000;
    const error = await failureOf(service.client({ clock, random: () => 1 }).createVmRental(vm, { deadline }));
    expect(error).toBeInstanceOf(RateLimitedError);
    expect(clock.now()).toBeLessThanOrEqual(deadline);
    expect(service.requests.length).toBeGreaterThan(8);
  });

  test("of a chat end after a minute unless it has a deadline: somebody is waiting", async () => {
    const clock = skippingClock();
    const service = await serve(status(429, {}, { "retry-after": "1" }));
    const request = { model: "m", messages: [{ role: "user" as const, content: "hi" }] };
    const client = service.client({ clock });
    for (const [hasDeadline, most] of [
      [false, 60_000],
      [true, 200_000],
    ] as const) {
      const began = clock.now();
      const options = hasDeadline ? { deadline: began + most } : {};
      expect(await failureOf(client.chat(request, options))).toBeInstanceOf(RateLimitedError);
      expect(clock.now() - began).toBeLessThanOrEqual(most);
      expect(clock.now() - began).toBeGreaterThan(most - 10_000);
    }
  });

  test("without a deadline end after twice the limit of one exchange", async () => {
    const clock = skippingClock();
    const began = clock.now();
    const service = await serve(status(429, {}, { "retry-after": "30" }));
    await failureOf(service.client({ clock }).listStorageVolumes());
    expect(clock.now() - began).toBeLessThanOrEqual(240_000);
    expect(clock.now() - began).toBeGreaterThan(180_000);
  });

  test("can be cancelled", async () => {
    const controller = new AbortController();
    const service = await serve((request, response, index) => {
      controller.abort(new Error("enough"));
      return status(429)(request, response, index);
    });
    const clock = skippingClock();
    const error = await failureOf(service.client({ clock }).getOpenApi({ signal: controller.signal }));
    expect(error).toBeInstanceOf(AbortedError);
    expect(service.requests).toHaveLength(1);
  });
});

describe("before an attempt", () => {
  test("the caller's check runs each time, and its error passes through with nothing sent", async () => {
    const service = await serve(status(429));
    const gone = new Error("the engine is gone");
    let checks = 0;
    const beforeAttempt = async () => {
      if (++checks === 3) throw gone;
    };
    expect(await failureOf(service.client().createVmRental(vm, { beforeAttempt }))).toBe(gone);
    expect(service.requests).toHaveLength(2);
  });

  test("a deadline that has passed ends the call with nothing sent", async () => {
    const service = await serve(ok);
    const clock = skippingClock();
    const error = await failureOf(service.client({ clock }).createVmRental(vm, { deadline: clock.now() }));
    expect(error).toBeInstanceOf(TimeoutError);
    expect(error.message).toBe("POST /v2/alpha/on-demand/virtual-machine-rentals: not sent, the deadline has passed");
    expect(service.requests).toHaveLength(0);
  });

  test("a deadline that passes during the caller's check does so too", async () => {
    const service = await serve(ok);
    const clock = skippingClock();
    const beforeAttempt = async () => clock.advance(1001);
    const error = await failureOf(
      service.client({ clock }).createVmRental(vm, { deadline: clock.now() + 1000, beforeAttempt }),
    );
    expect(error).toBeInstanceOf(TimeoutError);
    expect(service.requests).toHaveLength(0);
  });

  test("a signal that is aborted already ends the call with nothing sent", async () => {
    const service = await serve(ok);
    const error = await failureOf(service.client().createVmRental(vm, { signal: AbortSignal.abort() }));
    expect(error).toBeInstanceOf(AbortedError);
    expect(service.requests).toHaveLength(0);
  });
});

async function* bodyOf(text: string) {
  yield Buffer.from(text);
}

import type { ServerResponse } from "node:http";
import { createServer } from "node:net";
import {
  AbortedError,
  ConnectionError,
  createClient,
  OutcomeUnknownError,
  systemClock,
  TimeoutError,
  UnreadableAnswerError,
} from "../../../provider/client";
import { closeServices, failureOf, serve, skippingClock } from "../localService";

afterEach(closeServices);

const once = { attempts: 1 };

/** Sends a byte every few milliseconds, for ever. */
function drip(response: ServerResponse): void {
  response.flushHeaders();
  const timer = setInterval(() => response.write(" "), 5);
  response.on("close", () => clearInterval(timer));
}

test("an answer whose headers do not come ends at the headers limit", async () => {
  const service = await serve(() => {});
  const error = await failureOf(service.client({ limits: { ...once, headers: 100 } }).listStorageVolumes());
  expect(error).toBeInstanceOf(TimeoutError);
  expect(error.message).toBe("GET /v2/alpha/on-demand/storage-volumes: no answer within 0.1 s");
});

test("an answer that drips ends at the total limit", async () => {
  const service = await serve((_, response) => drip(response));
  const error = await failureOf(service.client({ limits: { ...once, total: 500 } }).listStorageVolumes());
  expect(error).toBeInstanceOf(TimeoutError);
  expect(error.message).toBe("GET /v2/alpha/on-demand/storage-volumes: no complete answer within 0.5 s");
});

test("a deadline that is nearer than the limits ends the exchange", async () => {
  const service = await serve((_, response) => drip(response));
  const clock = skippingClock();
  const client = service.client({ clock });
  const began = performance.now();
  const error = await failureOf(client.listStorageVolumes({ deadline: clock.now() + 100 }));
  expect(error).toBeInstanceOf(TimeoutError);
  expect(performance.now() - began).toBeLessThan(5000);
});

test("a list that timed out is asked for again", async () => {
  const service = await serve((_, response, index) => void (index > 0 && response.end("[]")));
  await expect(service.client({ limits: { headers: 50 } }).listStorageVolumes()).resolves.toEqual([]);
  expect(service.requests).toHaveLength(2);
});

test("chat, images and audio have limits of their own", async () => {
  const service = await serve((_, response) => {
    setTimeout(() => response.end('{"audio":"AAAA"}'), 60);
  });
  const client = service.client({ limits: { headers: 20, total: 20, inferenceTotal: 10_000 } });
  await expect(client.generateAudio({ text: "hello" })).resolves.toMatchObject({ audio: Buffer.alloc(3) });
});

test("an answer is read up to the cap and no further", async () => {
  let written = 0;
  const service = await serve((_, response) => {
    const block = Buffer.alloc(16 * 1024, 32);
    const more = () => {
      while (!response.destroyed && response.write(block)) written += block.length;
      if (!response.destroyed) response.once("drain", more);
    };
    more();
  });
  const client = service.client({ limits: { ...once, bytes: 100_000 } });
  const error = await failureOf(client.listStorageVolumes());
  expect(error).toBeInstanceOf(UnreadableAnswerError);
  expect(error.message).toBe("GET /v2/alpha/on-demand/storage-volumes: the answer is longer than 100000 bytes");
  expect(await failureOf(client.createVmRental({ gpuCount: 1 }))).toBeInstanceOf(OutcomeUnknownError);
  expect(written).toBeLessThan(50 * 1024 * 1024);
});

test("the text of an error is read up to its own cap", async () => {
  const service = await serve((_, response) => {
    response.statusCode = 400;
    response.write("no room ".repeat(300_000));
    drip(response);
  });
  const error = await failureOf(service.client({ limits: { total: 60_000 } }).listStorageVolumes());
  expect(error.message).toMatch(/answered 400: no room no room/);
});

test("a signal ends a request under way and gives up its connection", async () => {
  const controller = new AbortController();
  const service = await serve((_, response) => {
    response.on("close", () => closed());
    drip(response);
    controller.abort(new Error("enough"));
  });
  let closed = () => {};
  const seen = new Promise<void>((resolve) => {
    closed = resolve;
  });
  const error = await failureOf(service.client().listStorageVolumes({ signal: controller.signal }));
  expect(error).toBeInstanceOf(AbortedError);
  expect(error.message).toBe("GET /v2/alpha/on-demand/storage-volumes: cancelled by the caller");
  expect(error.cause).toEqual(new Error("enough"));
  await seen;
});

test("limits hold against a transport that heeds no signal", async () => {
  const transport = () => new Promise<never>(() => {});
  const client = createClient({ baseUrl: "https://a.com", transport, limits: { ...once, total: 20 } });
  expect(await failureOf(client.listStorageVolumes())).toBeInstanceOf(TimeoutError);
});

test("limits hold against a body that never goes on", async () => {
  const body = { [Symbol.asyncIterator]: () => ({ next: () => new Promise<never>(() => {}) }) };
  const transport = async () => ({ status: 200, headers: {}, body });
  const client = createClient({ baseUrl: "https://a.com", transport, limits: { ...once, total: 20 } });
  expect(await failureOf(client.listStorageVolumes())).toBeInstanceOf(TimeoutError);
});

test("a server that speaks no HTTP is a lost connection", async () => {
  const server = createServer((socket) => socket.end("SSH-2.0-OpenSSH_9.6\r\n"));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const port = typeof address === "object" ? address?.port : 0;
  const client = createClient({ baseUrl: `http://127.0.0.1:${port}`, limits: once });
  const error = await failureOf(client.listStorageVolumes());
  server.close();
  expect(error).toBeInstanceOf(ConnectionError);
});

describe("the system clock", () => {
  test("tells the time of day", () => {
    expect(Math.abs(systemClock.now() - Date.now())).toBeLessThan(60_000);
  });

  test("sleeps, and wakes with the signal's reason", async () => {
    await systemClock.sleep(1);
    const controller = new AbortController();
    const sleeping = systemClock.sleep(60_000, controller.signal);
    controller.abort(new Error("enough"));
    await expect(sleeping).rejects.toThrow("enough");
    await expect(systemClock.sleep(60_000, controller.signal)).rejects.toThrow("enough");
  });
});

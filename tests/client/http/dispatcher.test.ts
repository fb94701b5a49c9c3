import { createServer, type LookupFunction, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { TransportError } from "../../../provider/client";
import { createTransport, type DispatcherOptions } from "../../../provider/client/http/dispatcher";
import type { TransportAnswer } from "../../../provider/client/http/transport";
import { closeServices, type LocalService, serve } from "../localService";
import { listen, unusedPort } from "./listen";

afterEach(closeServices);

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

function create(options: Partial<DispatcherOptions> = {}) {
  const { transport, close } = createTransport({ connect: 1000, bytes: 1_000_000, ...options });
  ends.push(close);
  const get = (url: string, signal = new AbortController().signal) =>
    transport({ method: "GET", url, headers: {}, timeout: 5000, signal });
  return { transport, close, get };
}

async function read({ body }: TransportAnswer): Promise<string> {
  let text = "";
  for await (const chunk of body) text += Buffer.from(chunk).toString();
  return text;
}

async function until(what: () => Promise<boolean>): Promise<void> {
  while (!(await what())) await sleep(5);
}

const isOpen = (service: LocalService, count: number) => async () => (await service.openConnections()) === count;

test("a connection is used again", async () => {
  const service = await serve((_, response) => void response.end("a"));
  const { get } = create();
  for (let turn = 0; turn < 20; turn++) expect(await read(await get(service.url))).toBe("a");
  // Two: the next request may come before the pool has noticed that the last answer is complete.
  expect(await service.openConnections()).toBeLessThanOrEqual(2);
});

test("an unused connection is closed before the service would close it", async () => {
  const service = await serve((_, response) => void response.end("a"));
  const { get } = create({ idle: 20 });
  await read(await get(service.url));
  await until(isOpen(service, 0));
  expect(await read(await get(service.url))).toBe("a");
});

test("an unused connection is kept no longer than the service announces", async () => {
  const service = await serve((_, response) => void response.setHeader("keep-alive", "timeout=2").end("a"));
  const { get } = create({ idle: 60_000 });
  const startedAt = performance.now();
  await read(await get(service.url));
  await until(isOpen(service, 0));
  // By itself this service would close it after five.
  expect(performance.now() - startedAt).toBeLessThan(4000);
});

test("an answer that takes longer than an unused connection is kept is waited for, on a kept connection too", async () => {
  const service = await serve(async (_, response) => {
    await sleep(60);
    response.end("late");
  });
  const { get } = create({ idle: 20 });
  for (let turn = 0; turn < 2; turn++) expect(await read(await get(service.url))).toBe("late");
});

test("closing waits for a request under way, and takes no further one", async () => {
  let answer = () => {};
  const service = await serve((_, response) => {
    answer = () => response.end("a");
  });
  const { get, close } = create();
  const pending = get(service.url);
  await until(async () => service.requests.length === 1);
  let closed = false;
  const closing = close().then(() => {
    closed = true;
  });
  await sleep(10);
  expect(closed).toBe(false);
  answer();
  expect(await read(await pending)).toBe("a");
  await closing;
  await until(isOpen(service, 0));
  await expect(get(service.url)).rejects.toMatchObject({ sent: "no", permanent: true });
});

test("closing does not wait for an answer that has come in whole and that nobody reads", async () => {
  const service = await serve((_, response) => void response.end("a"));
  const { get, close } = create();
  const answer = await get(service.url);
  await sleep(20);
  await close();
  expect(await read(answer)).toBe("a");
});

test("closing waits for an answer that is still coming in", async () => {
  let end = () => {};
  const service = await serve((_, response) => {
    response.write("a");
    end = () => response.end("b");
  });
  const { get, close } = create();
  const answer = await get(service.url);
  const closing = close();
  const text = read(answer);
  await sleep(20);
  end();
  expect(await text).toBe("ab");
  await closing;
});

test("an aborted request gives up its connection", async () => {
  const service = await serve(() => {});
  const { get } = create();
  const controller = new AbortController();
  const pending = get(service.url, controller.signal);
  await until(async () => service.requests.length === 1);
  controller.abort();
  await expect(pending).rejects.toBeInstanceOf(TransportError);
  await until(isOpen(service, 0));
});

test("what is aborted from the beginning fails", async () => {
  const service = await serve((_, response) => void response.end("a"));
  await expect(create().get(service.url, AbortSignal.abort())).rejects.toBeInstanceOf(TransportError);
});

test("aborting after the end of an answer harms nothing", async () => {
  const service = await serve((_, response) => void response.end("a"));
  const { get } = create();
  const controller = new AbortController();
  await read(await get(service.url, controller.signal));
  controller.abort();
  expect(await read(await get(service.url))).toBe("a");
});

test("closing does not wait for a request that was given up before it had a connection", async () => {
  const silent = await serveSockets(() => {});
  const { get, close } = create({ connect: 60_000 });
  const controller = new AbortController();
  const pending = get(`https://${silent}`, controller.signal);
  controller.abort();
  await close();
  await expect(pending).rejects.toBeInstanceOf(TransportError);
});

/** Hands over every connection, and tells where. */
async function serveSockets(take: (socket: Socket) => void): Promise<string> {
  const server = createServer((socket) => {
    socket.on("error", () => {});
    ends.push(() => socket.destroy());
    take(socket);
  });
  ends.push(() => server.close());
  return `127.0.0.1:${await listen(server)}`;
}

describe("nothing counts as sent", () => {
  test("on a connection that never stands", async () => {
    const silent = await serveSockets(() => {});
    await expect(create({ connect: 30 }).get(`https://${silent}`)).rejects.toMatchObject({
      message: "no connection within 0.03 s",
      sent: "no",
      permanent: false,
    });
  });

  test("to a service that is not there", async () => {
    const port = await unusedPort(createServer());
    await expect(create().get(`http://127.0.0.1:${port}`)).rejects.toMatchObject({
      message: `connect ECONNREFUSED 127.0.0.1:${port}`,
      sent: "no",
      permanent: false,
    });
  });

  test("to a name that does not resolve", async () => {
    const lookup: LookupFunction = (name, _, callback) =>
      callback(Object.assign(new Error(`getaddrinfo ENOTFOUND ${name}`), { code: "ENOTFOUND" }), "", 0);
    await expect(create({ network: { lookup } }).get("https://gpu.example")).rejects.toMatchObject({
      message: "getaddrinfo ENOTFOUND gpu.example",
      sent: "no",
      permanent: false,
    });
  });

  test("where TLS fails", async () => {
    const plain = await serve((_, response) => void response.end("a"));
    const secure = plain.url.replace("http:", "https:");
    await expect(create().get(secure)).rejects.toMatchObject({ sent: "no" });
    const cut = await serveSockets((socket) => socket.once("data", () => socket.destroy()));
    await expect(create().get(`https://${cut}`)).rejects.toMatchObject({ sent: "no" });
    expect(plain.requests).toEqual([]);
  });

  test.each([
    ["a header that cannot be written", "http://127.0.0.1:1/", { "x-key": "a\nb" }],
    ["an address that is none", "http://", {}],
  ])("with %s, and it is not tried again", async (_, url, headers) => {
    const { signal } = new AbortController();
    await expect(create().transport({ method: "GET", url, headers, timeout: 5000, signal })).rejects.toMatchObject({
      sent: "no",
      permanent: true,
    });
  });
});

describe("a kept connection", () => {
  const answer = "HTTP/1.1 200 OK\r\ncontent-length: 1\r\n\r\na";
  const post = { method: "POST", headers: {}, body: "{}", timeout: 5000 };

  test("that the service closes when the next request comes may have carried it", async () => {
    let requests = 0;
    const host = await serveSockets((socket) =>
      socket.on("data", () => {
        if (++requests === 1) socket.write(answer);
        else socket.destroy();
      }),
    );
    const { transport } = create();
    const { signal } = new AbortController();
    await read(await transport({ ...post, url: `http://${host}`, signal }));
    await sleep(20);
    await expect(transport({ ...post, url: `http://${host}`, signal })).rejects.toMatchObject({
      message: "closed by the other side before the answer was complete",
      sent: "maybe",
      permanent: false,
    });
    expect(requests).toBe(2);
  });

  test("that the service has closed is not used again", async () => {
    let connections = 0;
    const host = await serveSockets((socket) => {
      connections += 1;
      socket.on("data", () => socket.end(answer));
    });
    const { transport } = create();
    const { signal } = new AbortController();
    for (let turn = 0; turn < 5; turn++) {
      expect(await read(await transport({ ...post, url: `http://${host}`, signal }))).toBe("a");
    }
    expect(connections).toBe(5);
  });
});

test("an answer that stops in the middle is given up", async () => {
  const service = await serve((_, response) => void response.writeHead(200).write("a"));
  const { transport } = create();
  const { signal } = new AbortController();
  const answer = await transport({ method: "GET", url: service.url, headers: {}, timeout: 50, signal });
  await expect(read(answer)).rejects.toMatchObject({
    message: "the answer stopped for 0.05 s",
    kind: "timeout",
    sent: "maybe",
  });
});

test("undici is loaded by the first request, and not before", async () => {
  const service = await serve((_, response) => void response.end("[]"));
  let loaded = 0;
  jest.doMock("undici", () => {
    loaded += 1;
    return jest.requireActual("undici");
  });
  try {
    await jest.isolateModulesAsync(async () => {
      const { createClient }: typeof import("../../../provider/client") = require("../../../provider/client");
      const client = createClient({ baseUrl: service.url });
      expect(loaded).toBe(0);
      await client.listStorageVolumes();
      await client.close();
      expect(loaded).toBe(1);
    });
  } finally {
    jest.dontMock("undici");
  }
});

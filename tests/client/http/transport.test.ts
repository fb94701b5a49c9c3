import { once } from "node:events";
import { type AddressInfo, createServer, type Server } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { TransportError } from "../../../provider/client";
import { createTransport, type TransportAnswer, type TransportLimits } from "../../../provider/client/http/transport";
import { closeServices, type LocalService, serve } from "../localService";

afterEach(closeServices);

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

function create(limits: TransportLimits = { connect: 1000 }) {
  const { transport, close } = createTransport(limits);
  ends.push(close);
  const get = (url: string, signal = new AbortController().signal) =>
    transport({ method: "GET", url, headers: {}, signal });
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
  expect(await read(await get(service.url))).toBe("a");
  expect(await read(await get(service.url))).toBe("a");
  expect(await service.openConnections()).toBe(1);
});

test("an unused connection is closed before the service would close it", async () => {
  const service = await serve((_, response) => void response.end("a"));
  const { get } = create({ connect: 1000, idle: 20 });
  await read(await get(service.url));
  await until(isOpen(service, 0));
  expect(await read(await get(service.url))).toBe("a");
});

test("an unused connection is kept no longer than the service announces", async () => {
  const service = await serve((_, response) => void response.setHeader("keep-alive", "timeout=2").end("a"));
  const { get } = create({ connect: 1000, idle: 60_000 });
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
  const { get } = create({ connect: 1000, idle: 20 });
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

/** Takes connections and never says a word. */
async function serveSilence(): Promise<string> {
  const server: Server = createServer((socket) => {
    socket.on("error", () => {});
    ends.push(() => socket.destroy());
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  ends.push(() => server.close());
  const address: AddressInfo | string | null = server.address();
  if (typeof address !== "object" || !address) throw new Error("no address");
  return `127.0.0.1:${address.port}`;
}

test("a connection that never stands is given up, and nothing counts as sent", async () => {
  const silent = await serveSilence();
  await expect(create({ connect: 30 }).get(`https://${silent}`)).rejects.toMatchObject({
    message: "no connection within 0.03 s (CONNECT_TIMEOUT)",
    sent: "no",
    permanent: false,
  });
});

test("a service that is not there counts as not sent", async () => {
  const silent = await serveSilence();
  for (const end of ends.splice(0)) await end();
  await expect(create().get(`http://${silent}`)).rejects.toMatchObject({ sent: "no", permanent: false });
});

test.each([
  ["a header that cannot be written", "http://127.0.0.1:1/", { "x-key": "a\nb" }],
  ["an address that is none", "http://", {}],
])("%s is not sent, and not tried again", async (_, url, headers) => {
  const { signal } = new AbortController();
  await expect(create().transport({ method: "GET", url, headers, signal })).rejects.toMatchObject({
    sent: "no",
    permanent: true,
  });
});

import { createServer, type LookupFunction } from "node:net";
import { ConnectionError, createClient, type Transport, TransportError } from "../../../provider/client";
import { createTransport } from "../../../provider/client/http/dispatcher";
import { defaultLimits } from "../../../provider/client/http/limits";
import { closeServices, failureOf, serve, skippingClock } from "../localService";
import { unusedPort } from "./listen";

afterEach(closeServices);

const vm = { gpuCount: 1 };
const refuse: Transport = async () => {
  throw new TransportError("connect ECONNREFUSED", { sent: "no" });
};
const reset: Transport = async () => {
  throw new TransportError("read ECONNRESET", { sent: "maybe" });
};
const accept: Transport = async () => ({ status: 200, headers: {}, body: emptyList() });
async function* emptyList() {
  yield Buffer.from("[]");
}

/** A client whose requests go through each of these in turn, the last one for ever; and how often it tried. */
function clientThrough(baseUrl: string, ...turns: [Transport, ...Transport[]]) {
  const clock = skippingClock();
  const tried: string[] = [];
  const transport: Transport = (request) => {
    tried.push(request.url);
    return (turns[tried.length - 1] ?? turns.at(-1) ?? turns[0])(request);
  };
  return { client: createClient({ baseUrl, transport, clock, random: () => 1 }), clock, tried };
}

describe("a service that has never answered", () => {
  test("is tried for three seconds", async () => {
    const { client, clock, tried } = clientThrough("https://never.example", refuse);
    const error = await failureOf(client.createVmRental(vm));
    expect(error).toBeInstanceOf(ConnectionError);
    expect(error.message).toBe(
      "POST /v2/alpha/on-demand/virtual-machine-rentals: could not reach https://never.example: connect ECONNREFUSED. " +
        "Check GPUFLEET_BASE_URL / gpufleet:baseUrl and the network.",
    );
    expect(clock.sleeps).toEqual([500, 1000]);
    expect(tried).toHaveLength(3);
  });

  test("is found if it comes up meanwhile", async () => {
    const { client, tried } = clientThrough("https://late.example", refuse, refuse, accept);
    await expect(client.listStorageVolumes()).resolves.toEqual([]);
    expect(tried).toHaveLength(3);
  });

  test("and cuts connections is tried as often as any", async () => {
    const { client, tried } = clientThrough("https://cutting.example", reset);
    await failureOf(client.listStorageVolumes());
    expect(tried).toHaveLength(defaultLimits.attempts);
  });

  test("at the address for v1 is told apart", async () => {
    const { client } = clientThrough("https://never.example", refuse);
    const other = createClient({
      ...{ baseUrl: "https://never.example", v1BaseUrl: "https://v1.never.example" },
      ...{ transport: refuse, clock: skippingClock() },
    });
    await expect(client.getBalance()).rejects.toThrow(
      /\. Check GPUFLEET_BASE_URL \/ gpufleet:baseUrl and the network\.$/,
    );
    await expect(other.getBalance()).rejects.toThrow(
      /\. Check GPUFLEET_V1_BASE_URL \/ gpufleet:v1BaseUrl and the network\.$/,
    );
  });
});

test("a service that has answered is tried for longer, by every client of the process", async () => {
  const first = clientThrough("https://known.example", accept);
  await first.client.listStorageVolumes();
  const { client, tried } = clientThrough("https://known.example/prefix", refuse);
  await failureOf(client.createVmRental(vm));
  expect(tried).toHaveLength(defaultLimits.attempts);
});

describe("with real connections, within three seconds", () => {
  const within = async (promise: Promise<unknown>) => {
    const startedAt = performance.now();
    const error = await failureOf(promise);
    expect(performance.now() - startedAt).toBeLessThan(3500);
    return error.message;
  };

  test("an emulator that is not running is an error that says how to start it", async () => {
    const baseUrl = `http://127.0.0.1:${await unusedPort(createServer())}`;
    const client = createClient({ baseUrl });
    expect(await within(client.createVmRental(vm))).toBe(
      "POST /v2/alpha/on-demand/virtual-machine-rentals: " +
        `could not reach ${baseUrl}: connect ECONNREFUSED ${new URL(baseUrl).host}. ` +
        "Is the emulator running? Start it with `gpufleet emulator`, or check GPUFLEET_BASE_URL / gpufleet:baseUrl.",
    );
    await client.close();
  });

  test("a name that does not resolve is an error that says what to check", async () => {
    const lookup: LookupFunction = (name, _, callback) =>
      callback(Object.assign(new Error(`getaddrinfo ENOTFOUND ${name}`), { code: "ENOTFOUND" }), "", 0);
    const { transport, close } = createTransport({ ...defaultLimits, network: { lookup } });
    const client = createClient({ baseUrl: "https://gpu.example", transport });
    expect(await within(client.listStorageVolumes())).toBe(
      "GET /v2/alpha/on-demand/storage-volumes: could not reach https://gpu.example: getaddrinfo ENOTFOUND gpu.example. " +
        "Check GPUFLEET_BASE_URL / gpufleet:baseUrl and the network.",
    );
    await close();
  });

  test("a service that went away in mid-run is waited for", async () => {
    const service = await serve((_, response) => void response.end("[]"));
    const clock = skippingClock();
    const client = createClient({ baseUrl: service.url, clock, random: () => 1 });
    await client.listStorageVolumes();
    await closeServices();
    const error = await failureOf(client.createVmRental(vm));
    expect(error.message).toContain("ECONNREFUSED");
    expect(clock.sleeps).toEqual([500, 1000, 2000, 4000, 8000, 16_000, 20_000]);
    await client.close();
  });
});

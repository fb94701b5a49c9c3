import { readFileSync } from "node:fs";
import { join } from "node:path";
import { inspect } from "node:util";
import { ConfigurationError, createClient } from "../../provider/client";
import { operations } from "../../provider/service";
import { requests } from "../contract/cases";
import { closeServices, json, methodOf, serve, testKey } from "./localService";

afterEach(closeServices);

const { version } = JSON.parse(readFileSync(join(__dirname, "../../package.json"), "utf8"));

describe("base URLs", () => {
  test.each([
    "https://gpu.example.com",
    "https://gpu.example.com:8443/prefix/",
    "http://127.0.0.1:4000",
    "http://127.8.9.1",
    "http://localhost:1",
    "http://[::1]:4000",
  ])("%s is accepted", (baseUrl) => {
    expect(() => createClient({ baseUrl })).not.toThrow();
  });

  test.each([
    [
      "http://gpu.example.com",
      "baseUrl http://gpu.example.com must use https; plain http is allowed on loopback addresses only",
    ],
    [
      "http://127.0.0.1.evil.com",
      "baseUrl http://127.0.0.1.evil.com must use https; plain http is allowed on loopback addresses only",
    ],
    ["ftp://localhost", "baseUrl ftp://localhost must use https; plain http is allowed on loopback addresses only"],
    ["gpu.example.com", 'baseUrl "gpu.example.com" is not a URL such as https://host'],
    ["https://me:pass@h.com", "baseUrl https://…@h.com must not contain a user, password, query or fragment"],
    ["https://h.com/?a=1", "baseUrl https://h.com/?a=1 must not contain a user, password, query or fragment"],
  ])("%s is refused", (baseUrl, message) => {
    expect(() => createClient({ baseUrl })).toThrow(new ConfigurationError(message));
  });

  test("the one of v1 is held to the same rule", () => {
    expect(() => createClient({ baseUrl: "https://a.com", v1BaseUrl: "http://b.com" })).toThrow(
      /^v1BaseUrl http:\/\/b\.com must/,
    );
  });

  test("v1 operations go to the v1 base URL, which is the base URL unless given, and prefixes are kept", async () => {
    const v2 = await serve((_, response) => json(response, 200, { credits: 1 }));
    const v1 = await serve((_, response) => json(response, 200, { credits: 1 }));
    await v2.client({ v1BaseUrl: `${v1.url}/inner/` }).getBalance();
    await v2.client().getBalance();
    await v2.client({ v1BaseUrl: v1.url }).getOpenApi();
    expect(v1.lines()).toEqual(["GET /inner/billing/get_current_balance"]);
    expect(v2.lines()).toEqual(["GET /billing/get_current_balance", "GET /v2/openapi.json"]);
  });
});

describe("the API key", () => {
  test("goes out with every operation that takes it and with no other", async () => {
    const service = await serve((_, response) => json(response, 400, {}));
    const client = service.client();
    for (const [name, { method, path, key, base }] of Object.entries(operations)) {
      await expect(methodOf(client, name)(requests[name])).rejects.toThrow(
        `${method} ${path} answered 400: Bad Request`,
      );
      const seen = service.requests.at(-1);
      expect(`${seen?.method} ${seen?.path}`).toBe(`${method} ${path}`);
      expect(seen?.headers.authorization).toBe(key ? `Bearer ${testKey}` : undefined);
      expect(seen?.headers["user-agent"]).toBe(`pulumi-gpufleet/${version}`);
      expect(seen?.headers["content-type"]).toBe(method === "POST" || base === "v1" ? "application/json" : undefined);
    }
    expect(service.requests).toHaveLength(Object.keys(operations).length);
  });

  test("is left out where none is given", async () => {
    const service = await serve((_, response) => json(response, 200, {}));
    await service.client({ apiKey: undefined }).getOpenApi();
    await service.client({ apiKey: " \n" }).getOpenApi();
    expect(service.requests.map(({ headers }) => headers.authorization)).toEqual([undefined, undefined]);
  });

  test("may have a line break after it, as keys read from files do", async () => {
    const service = await serve((_, response) => json(response, 200, {}));
    await service.client({ apiKey: "from-a-file\n" }).getOpenApi();
    expect(service.requests[0]?.headers.authorization).toBe("Bearer from-a-file");
  });

  test("with a break inside is refused without being shown", () => {
    const create = () => createClient({ baseUrl: "https://a.com", apiKey: "abc\r\ndef" });
    expect(create).toThrow("the API key contains spaces, line breaks or non-ASCII characters");
  });

  test("does not show when the client is printed", () => {
    const client = createClient({ baseUrl: "https://a.com", apiKey: testKey });
    expect(inspect(client, { depth: 10, showHidden: true })).not.toContain(testKey);
    expect(JSON.stringify(client)).not.toContain(testKey);
  });
});

test("connections are kept and used again", async () => {
  const service = await serve((_, response) => json(response, 200, {}));
  const client = service.client();
  for (let turn = 0; turn < 20; turn++) await client.getOpenApi();
  // Two: the next request may come before the pool has noticed that the last answer is complete.
  expect(await service.openConnections()).toBeLessThanOrEqual(2);
});

test("a client that was closed says so, and sends nothing", async () => {
  const service = await serve((_, response) => json(response, 200, {}));
  const client = service.client();
  await client.getOpenApi();
  await client.close();
  await client.close();
  await expect(client.createVmRental({ gpuCount: 1 })).rejects.toThrow(
    `POST /v2/alpha/on-demand/virtual-machine-rentals: could not reach ${service.url}: the client is closed`,
  );
  expect(service.requests).toHaveLength(1);
});

import { createServer } from "node:net";
import { inspect } from "node:util";
import { type ClientOptions, ConnectionError, createClient } from "../../../provider/client";
import { createTransport } from "../../../provider/client/http/dispatcher";
import { defaultLimits } from "../../../provider/client/http/limits";
import { describeWith } from "../../requirements";
import { closeServices, failureOf, json, serve, skippingClock, testKey } from "../localService";
import { unusedPort } from "./listen";
import {
  answer,
  type Certificate,
  closeProxies,
  localLookup,
  makeCertificate,
  openTunnel,
  serveProxy,
  serveSecurely,
} from "./localProxy";

const variables = ["HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy", "NO_PROXY", "no_proxy"];
const before = Object.fromEntries(variables.map((name) => [name, process.env[name]]));

function setEnvironment(values: Readonly<Record<string, string | undefined>>): void {
  for (const name of variables) {
    const value = values[name];
    if (value === undefined) delete process.env[name];
    else process.env[name] = value;
  }
}

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  setEnvironment(before);
  await closeProxies();
  await Promise.all(closing.splice(0).map((close) => close()));
  await closeServices();
});

function clientOf(options: Pick<ClientOptions, "baseUrl">, ca?: string, connect = 2000) {
  const network = ca === undefined ? {} : { ca, lookup: localLookup };
  const { transport, close } = createTransport({ ...defaultLimits, connect, network });
  closing.push(close);
  return createClient({ ...options, apiKey: testKey, transport, clock: skippingClock() });
}

const vm = { gpuCount: 1 };

describeWith("openssl", "A service behind a proxy", (openssl) => {
  let certificate: Certificate;
  beforeAll(() => {
    certificate = makeCertificate(openssl);
  });

  test.each(["HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy"])(
    "is reached through the tunnel of %s, and the proxy sees the key nowhere",
    async (variable) => {
      const service = await serveSecurely(certificate);
      const proxy = await serveProxy();
      setEnvironment({ [variable]: `http://${proxy.host}` });
      const client = clientOf({ baseUrl: service.url }, certificate.cert);
      await expect(client.listStorageVolumes()).resolves.toEqual([]);
      expect(service.seen).toEqual([`Bearer ${testKey}`]);
      const { host } = new URL(service.url);
      expect(proxy.heads).toEqual([expect.stringMatching(new RegExp(`^CONNECT ${host} HTTP/1.1\r\n`))]);
      expect(proxy.heads.join()).not.toMatch(/^authorization/im);
      for (const form of [testKey, Buffer.from(testKey).toString("base64"), "Bearer"]) {
        expect(proxy.bytes().includes(form)).toBe(false);
      }
    },
  );

  test("is reached with the user and password of the proxy's URL", async () => {
    const service = await serveSecurely(certificate);
    const proxy = await serveProxy();
    setEnvironment({ HTTPS_PROXY: `http://me:s%40crit@${proxy.host}` });
    await clientOf({ baseUrl: service.url }, certificate.cert).listStorageVolumes();
    const credentials = Buffer.from("me:s@crit").toString("base64");
    expect(proxy.heads.join()).toContain(`proxy-authorization: Basic ${credentials}\r\n`);
  });

  test.each([
    ["NO_PROXY", "gpu.example"],
    ["no_proxy", ".example"],
    ["NO_PROXY", "localhost, gpu.example"],
    ["NO_PROXY", "*"],
  ])("is reached directly where %s is %s", async (variable, value) => {
    const service = await serveSecurely(certificate);
    const proxy = await serveProxy();
    setEnvironment({ HTTPS_PROXY: `http://${proxy.host}`, [variable]: value });
    await expect(clientOf({ baseUrl: service.url }, certificate.cert).listStorageVolumes()).resolves.toEqual([]);
    expect(service.seen).toHaveLength(1);
    expect(proxy.heads).toEqual([]);
  });

  test("is not spoken to if its certificate is not trusted, and nothing is sent", async () => {
    const service = await serveSecurely(certificate);
    const proxy = await serveProxy();
    setEnvironment({ HTTPS_PROXY: `http://${proxy.host}` });
    const error = await failureOf(clientOf({ baseUrl: service.url }).createVmRental(vm));
    expect(error).toBeInstanceOf(ConnectionError);
    expect(error.message).toContain(
      `POST /v2/alpha/on-demand/virtual-machine-rentals: could not reach ${service.url}: self-signed certificate`,
    );
    // Newer versions of Node say in between what to do about it.
    expect(error.message).toMatch(/\(DEPTH_ZERO_SELF_SIGNED_CERT\)$/);
    expect(service.seen).toEqual([]);
    expect(proxy.heads).toHaveLength(1);
  });

  test("is reached on the next try where the proxy fails for a moment", async () => {
    const service = await serveSecurely(certificate);
    const proxy = await serveProxy((client, target) => {
      const manner = proxy.heads.length === 1 ? answer("502 Bad Gateway") : openTunnel;
      manner(client, target);
    });
    setEnvironment({ HTTPS_PROXY: `http://${proxy.host}` });
    await expect(clientOf({ baseUrl: service.url }, certificate.cert).listStorageVolumes()).resolves.toEqual([]);
    expect(proxy.heads).toHaveLength(2);
  });
});

describe("A proxy that does not let anything through is named without its user and password, and nothing was sent", () => {
  const advice = "Check HTTPS_PROXY and HTTP_PROXY, or add the host of the service to NO_PROXY.";

  async function failureThrough(host: string, connect?: number): Promise<Error> {
    setEnvironment({ HTTPS_PROXY: `http://me:secret@${host}` });
    const client = clientOf({ baseUrl: "https://gpu.example" }, undefined, connect);
    const error = await failureOf(client.createVmRental(vm));
    expect(error).toBeInstanceOf(ConnectionError);
    const shown = inspect(error, { depth: 20, showHidden: true });
    for (const secret of ["secret", Buffer.from("me:secret").toString("base64"), testKey]) {
      expect(shown).not.toContain(secret);
    }
    return error;
  }

  const said = (host: string, what: string) =>
    `POST /v2/alpha/on-demand/virtual-machine-rentals: could not reach https://gpu.example: the proxy http://${host} ${what}. ${advice}`;

  test.each(["407 Proxy Authentication Required", "403 Forbidden"])("answering %s", async (status) => {
    const proxy = await serveProxy(answer(status));
    const error = await failureThrough(proxy.host);
    expect(error.message).toBe(said(proxy.host, `refused the tunnel: ${status}`));
    expect(proxy.heads).toHaveLength(1);
  });

  test("refusing connections", async () => {
    const host = `127.0.0.1:${await unusedPort(createServer())}`;
    const error = await failureThrough(host);
    expect(error.message).toBe(said(host, `cannot be reached: connect ECONNREFUSED ${host}`));
  });

  test("closing connections, which are not opened again without end", async () => {
    const proxy = await serveProxy((client) => client.destroy());
    const error = await failureThrough(proxy.host);
    expect(error.message).toBe(
      said(proxy.host, "cannot be reached: closed by the other side before the answer was complete"),
    );
    expect(proxy.heads.length).toBeLessThanOrEqual(defaultLimits.attempts);
  });

  test("never answering", async () => {
    const proxy = await serveProxy(() => {});
    const error = await failureThrough(proxy.host, 50);
    expect(error.message).toBe(said(proxy.host, "cannot be reached: no answer within 0.05 s"));
  });

  test.each(["gpu-proxy:3128", "http://", "me:secret"])("having the address %s", async (value) => {
    setEnvironment({ HTTPS_PROXY: value });
    const error = await failureOf(clientOf({ baseUrl: "https://gpu.example" }).createVmRental(vm));
    expect(error).toBeInstanceOf(ConnectionError);
    expect(error.message).toBe(
      "POST /v2/alpha/on-demand/virtual-machine-rentals: could not reach https://gpu.example: " +
        `HTTPS_PROXY or HTTP_PROXY is not a URL such as http://proxy.example:3128. ${advice}`,
    );
  });
});

test.each(["127.0.0.1", "localhost"])("%s is never reached through a proxy", async (host) => {
  const service = await serve((_, response) => json(response, 200, []));
  const proxy = await serveProxy();
  setEnvironment({ HTTP_PROXY: `http://${proxy.host}`, HTTPS_PROXY: `http://${proxy.host}` });
  const { port } = new URL(service.url);
  await expect(clientOf({ baseUrl: `http://${host}:${port}` }).listStorageVolumes()).resolves.toEqual([]);
  expect(proxy.heads).toEqual([]);
});

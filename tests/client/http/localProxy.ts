import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer as createSecureServer } from "node:https";
import { connect, createServer, type LookupFunction, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { listen } from "./listen";

const running: (() => Promise<unknown>)[] = [];

/** To be called after each test. */
export async function closeProxies(): Promise<void> {
  await Promise.all(running.splice(0).map((close) => close()));
}

/** A name that is no loopback address, and that only a proxy or `localLookup` can find. */
export const serviceName = "gpu.example";

export const localLookup: LookupFunction = (_, options, callback) =>
  options.all ? callback(null, [{ address: "127.0.0.1", family: 4 }]) : callback(null, "127.0.0.1", 4);

export interface Certificate {
  key: string;
  cert: string;
}

/** A certificate for the service's name that nobody trusts who is not told to. */
export function makeCertificate(openssl: string): Certificate {
  const folder = mkdtempSync(join(tmpdir(), "gpufleet-certificate-"));
  const [key, cert] = [join(folder, "key.pem"), join(folder, "cert.pem")];
  const kind = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"];
  const name = ["-subj", `/CN=${serviceName}`, "-addext", `subjectAltName=DNS:${serviceName}`];
  try {
    execFileSync(openssl, ["req", "-x509", ...kind, ...name, "-keyout", key, "-out", cert], { stdio: "pipe" });
    return { key: readFileSync(key, "utf8"), cert: readFileSync(cert, "utf8") };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** An https service under that name; `seen` has the Authorization header of each request. */
export async function serveSecurely(certificate: Certificate): Promise<{ url: string; seen: (string | undefined)[] }> {
  const seen: (string | undefined)[] = [];
  const server = createSecureServer(certificate, (request, response) => {
    seen.push(request.headers.authorization);
    request.resume().on("end", () => response.end("[]"));
  });
  const port = await listen(server);
  running.push(() => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  });
  return { url: `https://${serviceName}:${port}`, seen };
}

export interface LocalProxy {
  host: string;
  /** The heads of the requests for a tunnel. */
  heads: string[];
  /** Every byte that came from the client, before the tunnel and inside it. */
  bytes(): Buffer;
}

/** What the proxy does with a connection once it has read the head of the request. */
export type ProxyManner = (client: Socket, target: string) => void;

/** Connects to the port of the target on this machine, whatever its name. */
export const openTunnel: ProxyManner = (client, target) => {
  const upstream = connect(Number(target.split(":")[1]), "127.0.0.1", () => {
    client.write("HTTP/1.1 200 Connection established\r\n\r\n");
    client.pipe(upstream).pipe(client);
  });
  upstream.on("error", () => client.destroy());
  client.on("close", () => upstream.destroy());
};

export const answer =
  (status: string): ProxyManner =>
  (client) =>
    client.end(`HTTP/1.1 ${status}\r\ncontent-length: 0\r\n\r\n`);

/** A real proxy on a port of its own that knows CONNECT and nothing else. */
export async function serveProxy(manner: ProxyManner = openTunnel): Promise<LocalProxy> {
  const heads: string[] = [];
  const chunks: Buffer[] = [];
  const sockets = new Set<Socket>();
  const server: Server = createServer((client) => {
    sockets.add(client);
    client.on("error", () => {}).on("data", (chunk: Buffer) => chunks.push(chunk));
    client.once("data", (chunk: Buffer) => {
      const head = chunk.toString("latin1");
      heads.push(head);
      manner(client, /^CONNECT (\S+) /.exec(head)?.[1] ?? "");
    });
  });
  const port = await listen(server);
  running.push(() => {
    for (const socket of sockets) socket.destroy();
    return new Promise((resolve) => server.close(resolve));
  });
  return { host: `127.0.0.1:${port}`, heads, bytes: () => Buffer.concat(chunks) };
}

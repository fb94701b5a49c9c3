import * as http from "node:http";
import * as https from "node:https";
import { TLSSocket } from "node:tls";
import { TransportError } from "../errors";

export type Headers = Record<string, string | string[] | undefined>;

export interface TransportRequest {
  method: string;
  url: string;
  headers: Record<string, string>;
  body?: string;
  signal: AbortSignal;
}

export interface TransportAnswer {
  status: number;
  headers: Headers;
  body: AsyncIterable<Uint8Array>;
}

/** One HTTP exchange: no redirects, no repeats. Rejects with a TransportError. */
export type Transport = (request: TransportRequest) => Promise<TransportAnswer>;

export interface ClosableTransport {
  transport: Transport;
  /** Takes no further request, and waits for those under way. */
  close(): Promise<void>;
}

export interface TransportLimits {
  /** Milliseconds until a connection stands. */
  connect: number;
  /** Milliseconds for which an unused connection is kept. */
  idle?: number;
}

/** Shorter than servers keep an unused connection: a create on one that is just being closed would be in doubt. */
const mostIdle = 4000;

/**
 * The transport over Node's own client: kept connections, no proxy of its own. Its memory and its start are a fraction of what
 * a client with a parser in WebAssembly takes, and every provider process pays for both.
 */
export function createTransport({ connect, idle = mostIdle }: TransportLimits): ClosableTransport {
  // The agent's time limit is for unused connections, or less where the service announces less.
  const kept = { keepAlive: true, timeout: idle };
  const plain = new http.Agent(kept);
  const secure = new https.Agent(kept);
  let closed = false;
  let underWay = 0;
  const whenDone: (() => void)[] = [];
  const endIfDone = () => {
    if (!closed || underWay > 0) return;
    plain.destroy();
    secure.destroy();
    for (const done of whenDone.splice(0)) done();
  };
  return {
    close: () =>
      new Promise((resolve) => {
        closed = true;
        whenDone.push(resolve);
        endIfDone();
      }),
    transport: async ({ method, url, headers, body, signal }) => {
      if (closed) throw new TransportError("the client is closed", { sent: "no", permanent: true });
      try {
        const isSecure = url.startsWith("https:");
        const options = { method, headers, agent: isSecure ? secure : plain };
        const request = (isSecure ? https : http).request(url, options);
        underWay += 1;
        request.once("close", () => {
          underWay -= 1;
          endIfDone();
        });
        limitConnecting(request, connect);
        abortWith(signal, request);
        return await answerTo(request.end(body));
      } catch (error) {
        throw new TransportError(describe(error), {
          sent: wasNotSent(error) ? "no" : "maybe",
          permanent: isPermanent(error),
        });
      }
    },
  };
}

function answerTo(request: http.ClientRequest): Promise<TransportAnswer> {
  return new Promise((resolve, reject) => {
    // Both stay: a connection may break, or be given up, when nobody listens any more.
    request.on("error", reject);
    request.on("response", (answer) => {
      answer.on("error", () => {});
      resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body: answer });
    });
  });
}

function abortWith(signal: AbortSignal, request: http.ClientRequest): void {
  // Without an error: a connection that has just become idle would throw it, having no listener.
  const abort = () => void request.destroy();
  if (signal.aborted) abort();
  signal.addEventListener("abort", abort, { once: true });
  request.once("close", () => signal.removeEventListener("abort", abort));
}

const connectTimeout = "CONNECT_TIMEOUT";

/** Gives up when no connection stands within this many milliseconds. */
function limitConnecting(request: http.ClientRequest, ms: number): void {
  request.once("socket", (socket) => {
    // In use it has no limit but the client's.
    socket.setTimeout(0);
    if (!socket.connecting) return;
    const timer = setTimeout(() => {
      request.destroy(Object.assign(new Error(`no connection within ${ms / 1000} s`), { code: connectTimeout }));
    }, ms);
    const stop = () => clearTimeout(timer);
    socket.once(socket instanceof TLSSocket ? "secureConnect" : "connect", stop);
    socket.once("close", stop);
  });
}

/** A header by its name in lower case; the first where there are several. */
export function header(headers: Headers, name: string): string | undefined {
  const key = Object.keys(headers).find((candidate) => candidate.toLowerCase() === name);
  const value = key === undefined ? undefined : headers[key];
  return Array.isArray(value) ? value[0] : value;
}

/** A request that cannot be written down, and a certificate that is not to be trusted. */
const permanentCodes = /^(ERR_INVALID_|ERR_UNESCAPED_|CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|ERR_TLS_CERT_)/;

/**
 * Only what fails before a connection stands is known not to have been sent. The system call matters: an unreachable host
 * is also reported on connections that stood. Where a name has several addresses, there is one error for each.
 */
function wasNotSent(error: unknown): boolean {
  const each = errorsIn(error);
  if (each.length > 0) return each.every(wasNotSent);
  if (textIn(error, "code") === connectTimeout || isPermanent(error)) return true;
  const call = textIn(error, "syscall");
  return call === "connect" || call === "getaddrinfo";
}

/** Refused before a connection stands, and refused again next time. */
function isPermanent(error: unknown): boolean {
  return permanentCodes.test(textIn(error, "code") ?? "");
}

function describe(error: unknown): string {
  const each = errorsIn(error);
  if (each.length > 0) return [...new Set(each.map(describe))].join("; ");
  const message = textIn(error, "message") ?? "no details";
  const code = textIn(error, "code");
  return code === undefined || message.includes(code) ? message : `${message} (${code})`;
}

function errorsIn(error: unknown): unknown[] {
  const list = field(error, "errors");
  return Array.isArray(list) ? list : [];
}

function textIn(error: unknown, name: string): string | undefined {
  const value = field(error, name);
  return typeof value === "string" ? value : undefined;
}

function field(error: unknown, name: string): unknown {
  return typeof error === "object" && error !== null ? Reflect.get(error, name) : undefined;
}

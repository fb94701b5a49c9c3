import type * as Undici from "undici";
import { TransportError } from "./errors/transportError";

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
  close(): Promise<void>;
}

/** The transport over undici: one pool of kept connections per origin. Its own time limits are off, the client has them. */
export function createTransport(limits: { connect: number }): ClosableTransport {
  // Loaded with the first client: a preview checks and compares without any.
  const { Agent, request: send }: typeof Undici = require("undici");
  const agent = new Agent({ connect: { timeout: limits.connect }, headersTimeout: 0, bodyTimeout: 0 });
  let closed = false;
  return {
    close: () => {
      closed = true;
      return agent.closed ? Promise.resolve() : agent.close();
    },
    transport: async ({ method, url, headers, body, signal }) => {
      if (closed) throw new TransportError("the client is closed", { sent: "no", permanent: true });
      try {
        const answer = await send(url, { dispatcher: agent, method, headers, body: body ?? null, signal });
        // A body that is given up on emits an error, and nobody may be listening by then.
        answer.body.on("error", () => {});
        return { status: answer.statusCode, headers: answer.headers, body: answer.body };
      } catch (error) {
        throw new TransportError(describe(error), {
          sent: wasNotSent(error) ? "no" : "maybe",
          permanent: isPermanent(error),
        });
      }
    },
  };
}

/** A header by its name in lower case; the first where there are several. */
export function header(headers: Headers, name: string): string | undefined {
  const key = Object.keys(headers).find((candidate) => candidate.toLowerCase() === name);
  const value = key === undefined ? undefined : headers[key];
  return Array.isArray(value) ? value[0] : value;
}

/** A request that cannot be written down, and a certificate that is not to be trusted. */
const permanentCodes = /^(UND_ERR_INVALID_ARG$|CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|ERR_TLS_CERT_)/;

/**
 * Only what fails before a connection stands is known not to have been sent. The system call matters: an unreachable host
 * is also reported on connections that stood. Where a name has several addresses, there is one error for each.
 */
function wasNotSent(error: unknown): boolean {
  const each = errorsIn(error);
  if (each.length > 0) return each.every(wasNotSent);
  if (textIn(error, "code") === "UND_ERR_CONNECT_TIMEOUT" || isPermanent(error)) return true;
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

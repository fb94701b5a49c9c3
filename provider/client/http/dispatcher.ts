import type { LookupFunction } from "node:net";
import type { Dispatcher, EnvHttpProxyAgent } from "undici";
import { TransportError } from "../errors";
import { Connections } from "./connections";
import { connectToProxy, createAgent } from "./proxy";
import type { ClosableTransport, TransportAnswer } from "./transport";
import { asTransportError, type FailureFacts } from "./transportFailure";

export interface DispatcherOptions {
  /** Milliseconds until a connection stands. */
  connect: number;
  /** Most bytes of one answer. */
  bytes: number;
  /** Milliseconds for which an unused connection is kept. */
  idle?: number;
  /** For tests: a certificate to trust, and names that no resolver knows. */
  network?: { ca?: string; lookup?: LookupFunction };
}

/** Shorter than servers keep an unused connection: whether a create on one that is just being closed arrived is unknown. */
const longestIdle = 4000;

/**
 * The transport over undici, which is loaded with the first request: a preview sends none. There is one agent per origin.
 */
export function createTransport(options: DispatcherOptions): ClosableTransport {
  const agents = new Map<string, Dispatcher>();
  const connections = new Connections();
  const underWay = new Set<Promise<void>>();
  let closed: Promise<void> | undefined;

  function agentFor(url: URL): Dispatcher {
    const agent = agents.get(url.origin) ?? createAgent(url, agentOptions(options, connections));
    agents.set(url.origin, agent);
    return agent;
  }

  /** Notes that a request is under way until the function that comes back is called. */
  function begin(): () => void {
    let resolve = () => {};
    const ended = new Promise<void>((done) => {
      resolve = done;
    });
    underWay.add(ended);
    return () => {
      underWay.delete(ended);
      resolve();
    };
  }

  return {
    close: async () => {
      closed ??= connections.close(Promise.all(underWay));
      await closed;
    },
    transport: async ({ method, url, headers, body = null, timeout, signal }) => {
      if (closed) throw new TransportError("the client is closed", { sent: "no", permanent: true });
      const limits = { connect: options.connect, bytes: options.bytes, timeout };
      const facts = { limits, failedToConnect: (error: unknown) => connections.failedToConnect(error) };
      const end = begin();
      signal.addEventListener("abort", end, { once: true });
      try {
        const target = new URL(url);
        const path = target.pathname + target.search;
        // undici takes 0 for "no limit".
        const silence = Math.max(1, Math.ceil(timeout));
        const request = { origin: target.origin, path, method, headers, body, signal };
        const answer = await agentFor(target).request({ ...request, headersTimeout: silence, bodyTimeout: silence });
        answer.body.once("close", end);
        return { status: answer.statusCode, headers: answer.headers, body: readBody(answer.body, facts) };
      } catch (error) {
        end();
        throw asTransportError(error, facts);
      }
    },
  };
}

function agentOptions(
  { connect: timeout, bytes, idle = longestIdle, network }: DispatcherOptions,
  connections: Connections,
): EnvHttpProxyAgent.Options {
  const { Pool }: typeof import("undici") = require("undici");
  const connect = { timeout, ...network };
  return {
    connect,
    maxResponseSize: bytes,
    keepAliveTimeout: idle,
    keepAliveMaxTimeout: idle,
    pipelining: 1,
    allowH2: false,
    factory: (origin, options) => connections.add(new Pool(origin, options)),
    requestTls: connect,
    proxyTls: { timeout },
    // The key travels only inside the tunnel.
    proxyTunnel: true,
    clientFactory: (proxy, options) =>
      connectToProxy(connections.add(new Pool(proxy, { ...options, headersTimeout: timeout })), proxy, timeout),
  };
}

async function* readBody(body: TransportAnswer["body"], facts: FailureFacts): TransportAnswer["body"] {
  try {
    yield* body;
  } catch (error) {
    throw asTransportError(error, facts);
  }
}

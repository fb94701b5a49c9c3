import type { LookupFunction } from "node:net";
import type { Agent, Dispatcher, Pool } from "undici";
import { isLoopback } from "../../shared/loopback";
import { TransportError } from "../errors";
import { Connections } from "./connections";
import { connectToProxy, invalidProxyVariable } from "./proxy";
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
 * Proxies are those of HTTPS_PROXY, HTTP_PROXY and NO_PROXY; a loopback address is never reached through one.
 */
export function createTransport(options: DispatcherOptions): ClosableTransport {
  const agents = new Map<string, Dispatcher>();
  const connections = new Connections();
  const underWay = new Set<Promise<void>>();
  let closed: Promise<void> | undefined;

  function agentFor({ origin, hostname }: URL): Dispatcher {
    const agent = agents.get(origin) ?? createAgent(options, isLoopback(hostname), connections);
    agents.set(origin, agent);
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

function createAgent(
  { connect: timeout, bytes, idle = longestIdle, network }: DispatcherOptions,
  isLocal: boolean,
  connections: Connections,
): Dispatcher {
  const undici: typeof import("undici") = require("undici");
  const connect = { timeout, ...network };
  const options: Agent.Options = {
    connect,
    maxResponseSize: bytes,
    keepAliveTimeout: idle,
    keepAliveMaxTimeout: idle,
    pipelining: 1,
    allowH2: false,
    factory: (origin: string | URL, options: Pool.Options) => connections.add(new undici.Pool(origin, options)),
  };
  if (isLocal) return new undici.Agent(options);
  try {
    return new undici.EnvHttpProxyAgent({
      ...options,
      requestTls: connect,
      proxyTls: { timeout },
      // The key travels only inside the tunnel.
      proxyTunnel: true,
      clientFactory: (proxy, options) =>
        connectToProxy(
          connections.add(new undici.Pool(proxy, { ...options, headersTimeout: timeout })),
          proxy,
          timeout,
        ),
    });
  } catch {
    throw invalidProxyVariable();
  }
}

async function* readBody(body: TransportAnswer["body"], facts: FailureFacts): TransportAnswer["body"] {
  try {
    yield* body;
  } catch (error) {
    throw asTransportError(error, facts);
  }
}

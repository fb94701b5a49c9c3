import { STATUS_CODES } from "node:http";
import type { Dispatcher, EnvHttpProxyAgent, Pool } from "undici";
import { isLoopback } from "../../shared/loopback";
import { TransportError } from "../errors";
import { asTransportError } from "./transportFailure";

const advice = "Check HTTPS_PROXY and HTTP_PROXY, or add the host of the service to NO_PROXY.";

/**
 * The way to a host: by the proxies of HTTPS_PROXY, HTTP_PROXY and NO_PROXY, but for a loopback address, which is never reached through
 * one. undici is loaded only now.
 */
export function createAgent({ hostname }: URL, options: EnvHttpProxyAgent.Options = {}): Dispatcher {
  const undici: typeof import("undici") = require("undici");
  if (isLoopback(hostname)) return new undici.Agent(options);
  try {
    return new undici.EnvHttpProxyAgent(options);
  } catch {
    // What undici says, and the value itself, may hold a password.
    throw proxyError("HTTPS_PROXY or HTTP_PROXY is not a URL such as http://proxy.example:3128", true);
  }
}

/**
 * A proxy whose failures say which one it is, without its user and password. They carry no code of undici's own: a socket
 * error would make undici try again without end.
 */
export function connectToProxy(pool: Pool, { origin }: URL, timeout: number): Dispatcher {
  const facts = { limits: { connect: timeout, timeout, bytes: 0 }, failedToConnect: () => true };
  const tunnel = pool.connect.bind(pool);
  return Object.assign(pool, {
    connect: async (options: Parameters<typeof tunnel>[0]) => {
      const answer = await tunnel(options).catch((error: unknown) => {
        const { message, permanent } = asTransportError(error, facts);
        throw proxyError(`the proxy ${origin} cannot be reached: ${message}`, permanent);
      });
      const { statusCode: status, socket } = answer;
      if (status === 200) return answer;
      socket.on("error", () => {}).destroy();
      const refused = [status, STATUS_CODES[status]].join(" ").trim();
      throw proxyError(`the proxy ${origin} refused the tunnel: ${refused}`, status >= 400 && status < 500);
    },
  });
}

function proxyError(message: string, permanent: boolean): TransportError {
  return new TransportError(message, { sent: "no", permanent, advice });
}

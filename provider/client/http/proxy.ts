import { STATUS_CODES } from "node:http";
import type { Dispatcher, Pool } from "undici";
import { TransportError } from "../errors";
import { asTransportError } from "./transportFailure";

const advice = "Check HTTPS_PROXY and HTTP_PROXY, or add the host of the service to NO_PROXY.";

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

/** Its value is not shown: it may hold a password. */
export function invalidProxyVariable(): TransportError {
  return proxyError("HTTPS_PROXY or HTTP_PROXY is not a URL such as http://proxy.example:3128", true);
}

function proxyError(message: string, permanent: boolean): TransportError {
  return new TransportError(message, { sent: "no", permanent, advice });
}

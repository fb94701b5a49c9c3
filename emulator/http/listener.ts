import { createServer, type Server, ServerResponse } from "node:http";
import { getRequestListener } from "@hono/node-server";
import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response";
import type { Exchange } from "./exchange";

const host = "127.0.0.1";

export interface Address {
  url: string;
  port: number;
}

/** The emulator on a loopback port. */
export class Listener {
  readonly #server: Server;

  constructor(exchange: (request: Request) => Promise<Exchange>) {
    const listener = getRequestListener(
      async (request, { outgoing }) => {
        const result = await exchange(request);
        if (result.kind === "answered") return result.response;
        if (result.kind === "truncated" && outgoing instanceof ServerResponse) sendPart(outgoing, result);
        else outgoing.socket?.resetAndDestroy();
        return RESPONSE_ALREADY_SENT;
      },
      // The process that the emulator runs in keeps its own Request and Response.
      { overrideGlobalObjects: false },
    );
    this.#server = createServer(listener);
    // Clients keep connections for longer than Node's five seconds; a reset would look like a fault.
    this.#server.keepAliveTimeout = 60_000;
  }

  listen(port: number): Promise<Address> {
    return new Promise((resolve, reject) => {
      this.#server.once("error", reject);
      this.#server.listen(port, host, () => {
        this.#server.off("error", reject);
        const address = this.#server.address();
        const given = typeof address === "object" && address ? address.port : port;
        resolve({ url: `http://${host}:${given}`, port: given });
      });
    });
  }

  close(): Promise<void> {
    return new Promise((resolve) => {
      this.#server.close(() => resolve());
      this.#server.closeAllConnections();
    });
  }
}

/** Announces the whole answer and cuts the connection after half of it. */
function sendPart(outgoing: ServerResponse, answer: Extract<Exchange, { kind: "truncated" }>): void {
  outgoing.writeHead(answer.status, { ...Object.fromEntries(answer.headers), "content-length": answer.whole });
  outgoing.write(answer.part, () => outgoing.socket?.destroy());
}

import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { type Client, type ClientOptions, createClient } from "../../provider/client";

export interface SeenRequest {
  method: string;
  path: string;
  headers: IncomingMessage["headers"];
  body: string;
}

export interface LocalService {
  url: string;
  /** Every request so far, in order. */
  requests: SeenRequest[];
  /** `POST /path` of every request so far. */
  lines(): string[];
  /** How many of the connections are still open. */
  openConnections(): Promise<number>;
  client(options?: Partial<ClientOptions>): Client;
}

export type Handler = (request: SeenRequest, response: ServerResponse, index: number) => void | Promise<void>;

export const testKey = "key-3f9a/T+o=p&secret";

const running: (() => Promise<void>)[] = [];

/** A real server on a port of its own. */
export async function serve(handler: Handler): Promise<LocalService> {
  const requests: SeenRequest[] = [];
  const server = createServer(async (incoming, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk);
    const { method = "", url: path = "", headers } = incoming;
    const request = { method, path, headers, body: Buffer.concat(chunks).toString() };
    requests.push(request);
    await handler(request, response, requests.length - 1);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port }: Pick<AddressInfo, "port"> = addressOf(server.address());
  const url = `http://127.0.0.1:${port}`;
  const clients: Client[] = [];
  running.push(async () => {
    server.closeAllConnections();
    await Promise.all(clients.map((client) => client.close()));
    await new Promise((resolve) => server.close(resolve));
  });
  return {
    url,
    requests,
    lines: () => requests.map(({ method, path }) => `${method} ${path}`),
    openConnections: () => new Promise((resolve) => server.getConnections((_, count) => resolve(count))),
    client: (options) => {
      const client = createClient({ baseUrl: url, apiKey: testKey, clock: skippingClock(), ...options });
      clients.push(client);
      return client;
    },
  };
}

/** To be called after each test. */
export async function closeServices(): Promise<void> {
  await Promise.all(running.splice(0).map((close) => close()));
}

function addressOf(address: AddressInfo | string | null): AddressInfo {
  if (typeof address !== "object" || address === null) throw new Error("the server has no port");
  return address;
}

export function json(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { "content-type": "application/json", ...headers });
  response.end(JSON.stringify(body));
}

/** Answers each request with the next of these; the last one for ever. */
export function inTurn(...handlers: Handler[]): Handler {
  return (request, response, index) => handlers[Math.min(index, handlers.length - 1)]?.(request, response, index);
}

export function status(code: number, body: unknown = { error: "no" }, headers: Record<string, string> = {}): Handler {
  return (_, response) => json(response, code, body, headers);
}

/** Cuts the connection without an answer. */
export const cut: Handler = (_, response) => {
  response.destroy();
};

/** A clock on which a sleep takes no time, and is noted down. */
export function skippingClock(start = Date.UTC(2026, 8, 12)) {
  let now = start;
  const sleeps: number[] = [];
  return {
    sleeps,
    now: () => now,
    advance: (ms: number) => {
      now += ms;
    },
    sleep: async (ms: number, signal?: AbortSignal) => {
      signal?.throwIfAborted();
      sleeps.push(ms);
      now += ms;
    },
  };
}

/** What a promise fails with; fails itself if it does not. */
export async function failureOf(promise: PromiseLike<unknown>): Promise<Error> {
  const result = await promise.then(
    (value) => ({ value }),
    (error: unknown) => ({ error }),
  );
  if ("error" in result && result.error instanceof Error) return result.error;
  throw new Error(`expected a failure, got ${JSON.stringify(result)}`);
}

/** A method by its name, for requests that the types would not let through. */
export function methodOf(client: Client, name: string): (...given: unknown[]) => Promise<unknown> {
  const method: unknown = Object.entries(client).find(([key]) => key === name)?.[1];
  if (typeof method !== "function") throw new Error(`the client has no ${name}`);
  return async (...given) => method(...given);
}

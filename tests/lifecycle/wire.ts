import type { Transport, TransportAnswer, TransportRequest } from "../../provider/client";
import type { Rig } from "./rig";

/** A record as it goes over the wire. */
export type Item = Record<string, unknown>;

export type Wire = (transport: Transport) => Transport;

/** A request as tests tell it from others. */
export interface Sent {
  method: string;
  path: string;
  body: Item;
}

/** A wire on which a request may be answered otherwise: undefined lets it through as it is. */
export function intercepting(
  answer: (request: Sent, send: () => Promise<TransportAnswer>) => Promise<TransportAnswer> | undefined,
): Wire {
  return (transport) => async (request: TransportRequest) => {
    const sent = {
      method: request.method,
      path: new URL(request.url).pathname,
      body: request.body ? JSON.parse(request.body) : {},
    };
    return (await answer(sent, () => transport(request))) ?? transport(request);
  };
}

/** A proxy that sends the first create of this path twice; the reply is the one to the second, or what is made of it. */
export function sendingTwice(
  path: string,
  second: (send: () => Promise<TransportAnswer>) => Promise<TransportAnswer> = (send) => send(),
): Wire {
  let isFirst = true;
  return intercepting((request, send) => {
    if (request.method !== "POST" || request.path !== path || !isFirst) return undefined;
    isFirst = false;
    return send().then(() => second(send));
  });
}

/** A wire that changes the records of a list, `[…]` or `{instances: […]}`. */
export function changingList(path: string, change: (items: Item[]) => Item[]): Wire {
  return intercepting((request, send) => {
    if (request.path !== path || request.method !== "GET") return undefined;
    return rewrite(send, (value) =>
      Array.isArray(value) ? change(value) : { ...value, instances: change(value.instances) },
    );
  });
}

/** A wire whose lists of this path leave records out, for so many requests. */
export function leavingOut(
  path: string,
  isMissing: (item: Item) => boolean,
  requests = Number.POSITIVE_INFINITY,
): Wire {
  let left = requests;
  return changingList(path, (items) => (left-- > 0 ? items.filter((item) => !isMissing(item)) : items));
}

/** A wire whose lists of this path come in pages, each of which names the next in a Link header. */
export function inPages(path: string, size: number): Wire {
  return (transport) => async (request) => {
    const url = new URL(request.url);
    if (request.method !== "GET" || url.pathname !== path) return transport(request);
    const page = Number(url.searchParams.get("page") ?? 0);
    url.search = "";
    const answer = await transport({ ...request, url: url.href });
    const items: unknown[] = JSON.parse(await textOf(answer));
    const next = `<${path}?page=${page + 1}>; rel="next"`;
    const isLast = (page + 1) * size >= items.length;
    const headers = isLast ? answer.headers : { ...answer.headers, link: next };
    return { ...answer, headers, body: bodyOf(JSON.stringify(items.slice(page * size, (page + 1) * size))) };
  };
}

/** A wire that changes every readable answer to such a request. */
export function changingAnswer(method: string, path: string, change: (body: Item) => unknown): Wire {
  return intercepting((request, send) =>
    request.method === method && request.path === path ? rewrite(send, change) : undefined,
  );
}

/** The same for every answer of the service. */
export function changingEverything(change: (body: unknown) => unknown): Wire {
  return intercepting((_request, send) => rewrite(send, change));
}

async function rewrite(
  send: () => Promise<TransportAnswer>,
  change: (value: ReturnType<typeof JSON.parse>) => unknown,
): Promise<TransportAnswer> {
  const answer = await send();
  const text = await textOf(answer);
  if (answer.status >= 300) return { ...answer, body: bodyOf(text) };
  return { ...answer, body: bodyOf(JSON.stringify(change(JSON.parse(text)))) };
}

/** An answer that the service itself never gave. */
export function answering(
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): Promise<TransportAnswer> {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  const type = typeof body === "string" ? "text/html" : "application/json";
  return Promise.resolve({ status, headers: { "content-type": type, ...headers }, body: bodyOf(text) });
}

export async function textOf({ body }: TransportAnswer): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

async function* bodyOf(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}

/** Ids of everything that bills, and that nobody is ending. */
export function live(rig: Rig): (number | string)[] {
  const running = rig.emulator
    .state()
    .filter(({ billing, status }) => billing && !/terminating|stopping/i.test(status));
  return running.map(({ id }) => id);
}

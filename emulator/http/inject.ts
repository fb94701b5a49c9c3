import { ConnectionCut } from "../connectionCut";
import type { Exchange } from "./exchange";

export interface InjectRequest {
  method: string;
  /** Absolute, or just the path. */
  url: string;
  headers?: Record<string, string>;
  body?: string | Uint8Array;
  signal?: AbortSignal;
}

export interface InjectAnswer {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  body: AsyncIterable<Uint8Array>;
}

/** One exchange without sockets. */
export async function inject(
  exchange: (request: Request) => Promise<Exchange>,
  injected: InjectRequest,
): Promise<InjectAnswer> {
  const { signal } = injected;
  if (signal?.aborted) throw new ConnectionCut("aborted", "no", { cause: signal.reason });
  const result = await untilAborted(exchange(requestOf(injected)), signal);
  switch (result.kind) {
    case "cut":
      throw new ConnectionCut("the connection was reset", "maybe");
    case "truncated":
      return { status: result.status, headers: withLength(result.headers, result.whole), body: halfOf(result.part) };
    case "answered": {
      const { status, headers: answered, body: stream } = result.response;
      return { status, headers: Object.fromEntries(answered), body: stream ?? nothing() };
    }
  }
}

function requestOf({ method, url, headers = {}, body }: InjectRequest): Request {
  const absolute = new URL(url, "http://127.0.0.1").href;
  if (body === undefined || method === "GET" || method === "HEAD") return new Request(absolute, { method, headers });
  // As over a connection; without a length the body would be wrapped to count it.
  const length = String(Buffer.byteLength(body));
  return new Request(absolute, { method, headers: { ...headers, "content-length": length }, body });
}

/** When the caller gives up, the request still runs to its end, as it would behind a socket. */
function untilAborted<Value>(work: Promise<Value>, signal: AbortSignal | undefined): Promise<Value> {
  if (!signal) return work;
  return new Promise((resolve, reject) => {
    const abort = () => reject(new ConnectionCut("aborted", "maybe", { cause: signal.reason }));
    signal.addEventListener("abort", abort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", abort));
  });
}

function withLength(headers: Headers, length: number) {
  return { ...Object.fromEntries(headers), "content-length": String(length) };
}

async function* halfOf(part: Uint8Array): AsyncGenerator<Uint8Array> {
  yield part;
  throw new ConnectionCut("the connection was reset in the middle of the answer", "maybe");
}

async function* nothing(): AsyncGenerator<Uint8Array> {}

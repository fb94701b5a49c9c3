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

/** A connection that ended before the answer did. `sent` is "no" only where nothing can have arrived. */
export class ConnectionCut extends Error {
  override name = "ConnectionCut";

  constructor(
    message: string,
    readonly sent: "no" | "maybe",
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/** One exchange without sockets. */
export async function inject(
  exchange: (request: Request) => Promise<Exchange>,
  { method, url, headers = {}, body, signal }: InjectRequest,
): Promise<InjectAnswer> {
  if (signal?.aborted) throw new ConnectionCut("aborted", "no", { cause: signal.reason });
  const bodiless = method === "GET" || method === "HEAD";
  const absolute = new URL(url, "http://127.0.0.1").href;
  const request = new Request(absolute, { method, headers, ...(bodiless || body === undefined ? {} : { body }) });
  const result = await untilAborted(exchange(request), signal);
  switch (result.outcome) {
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

/** The request goes on when its caller has given up, as it would behind a socket. */
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

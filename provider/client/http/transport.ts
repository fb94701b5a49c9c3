export type Headers = Record<string, string | string[] | undefined>;

export interface TransportRequest {
  method: string;
  url: string;
  headers: Record<string, string>;
  body?: string;
  /** Milliseconds until the headers of the answer are there, and between two pieces of its body. */
  timeout: number;
  signal: AbortSignal;
}

export interface TransportAnswer {
  status: number;
  headers: Headers;
  body: AsyncIterable<Uint8Array>;
}

/** One HTTP exchange: no redirects, no retries. Rejects with a TransportError, and so does the body. */
export type Transport = (request: TransportRequest) => Promise<TransportAnswer>;

export interface ClosableTransport {
  transport: Transport;
  /** Takes no further request, and waits for those under way. */
  close(): Promise<void>;
}

/** A header by its name in lower case; the first where there are several. */
export function header(headers: Headers, name: string): string | undefined {
  const key = Object.keys(headers).find((candidate) => candidate.toLowerCase() === name);
  const value = key === undefined ? undefined : headers[key];
  return Array.isArray(value) ? value[0] : value;
}

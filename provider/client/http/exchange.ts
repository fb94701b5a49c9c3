import { cleanText } from "../../shared/cleanText";
import { TransportError } from "../errors";
import { LimitReached, TimeLimit } from "./timeLimit";
import type { Headers, Transport, TransportAnswer, TransportRequest } from "./transport";

/** An exchange that did not end with a whole answer. */
export class ExchangeFailure extends Error {
  readonly kind: TransportError["kind"] | "aborted";
  readonly sent: "no" | "maybe";
  readonly permanent: boolean;
  readonly advice: string | undefined;

  constructor(
    message: string,
    { kind, sent, permanent = false, advice, cause }: Pick<ExchangeFailure, "kind" | "sent"> & ExchangeFailureDetail,
  ) {
    super(message, cause === undefined ? undefined : { cause });
    this.kind = kind;
    this.sent = sent;
    this.permanent = permanent;
    this.advice = advice;
  }
}

interface ExchangeFailureDetail {
  permanent?: boolean;
  advice?: string | undefined;
  cause?: unknown;
}

export interface ExchangeOptions {
  transport: Transport;
  /** Milliseconds from its start to the last byte of the answer. */
  total: number;
  signal: AbortSignal | undefined;
  secrets: readonly string[];
}

/** Sends one request and waits for the headers of its answer. Fails with ExchangeFailure and nothing else. */
export async function openExchange(
  request: Omit<TransportRequest, "signal">,
  options: ExchangeOptions,
): Promise<Exchange> {
  const limit = new TimeLimit(options.total, options.signal);
  try {
    limit.signal.throwIfAborted();
  } catch (error) {
    limit.stop({ cut: false });
    throw asFailure(error, "no", options.secrets);
  }
  try {
    const answer = await limit.orEnd(options.transport({ ...request, signal: limit.signal }));
    limit.headersArrived();
    return new Exchange(answer, limit, options.secrets);
  } catch (error) {
    limit.stop({ cut: true });
    throw asFailure(error, "maybe", options.secrets);
  }
}

/** An answer of which the headers are there and the body is still to be read. */
export class Exchange {
  readonly status: number;
  readonly headers: Headers;
  readonly #body: AsyncIterable<Uint8Array>;
  readonly #limit: TimeLimit;
  readonly #secrets: readonly string[];

  constructor(answer: TransportAnswer, limit: TimeLimit, secrets: readonly string[]) {
    this.status = answer.status;
    this.headers = answer.headers;
    this.#body = answer.body;
    this.#limit = limit;
    this.#secrets = secrets;
  }

  /** The body as it comes. Leaving the loop early gives up the connection. Fails with ExchangeFailure. */
  async *chunks(): AsyncGenerator<Uint8Array, void, undefined> {
    const iterator = this.#body[Symbol.asyncIterator]();
    let complete = false;
    try {
      for (;;) {
        const step = await this.#limit.orEnd(iterator.next());
        if (step.done) break;
        yield step.value;
      }
      complete = true;
    } catch (error) {
      throw asFailure(error, "maybe", this.#secrets);
    } finally {
      this.#limit.stop({ cut: !complete });
      // Not awaited: a body that hangs would hang here again.
      if (!complete) iterator.return?.().catch(() => {});
    }
  }

  /** The whole body as text. Fails with ExchangeFailure. */
  async readText(): Promise<string> {
    const chunks: Uint8Array[] = [];
    for await (const chunk of this.chunks()) chunks.push(chunk);
    return decode(chunks);
  }

  /** The beginning of the body, as much of it as comes: for errors, which stand whether or not their text is complete. */
  async readBeginning(bytes: number): Promise<string> {
    const chunks: Uint8Array[] = [];
    let size = 0;
    try {
      for await (const chunk of this.chunks()) {
        chunks.push(chunk.subarray(0, bytes - size));
        size += chunk.byteLength;
        if (size >= bytes) break;
      }
    } catch (error) {
      if (!(error instanceof ExchangeFailure)) throw error;
    }
    return decode(chunks);
  }
}

function decode(chunks: readonly Uint8Array[]): string {
  return Buffer.concat(chunks)
    .toString("utf8")
    .replace(/^\u{FEFF}/u, "");
}

/** Errors of transports are not kept as causes: they may hold the request, and with it the key. */
function asFailure(error: unknown, sent: "no" | "maybe", secrets: readonly string[]): ExchangeFailure {
  if (error instanceof ExchangeFailure) return error;
  if (error instanceof LimitReached) {
    return new ExchangeFailure(error.message, { kind: error.kind, sent, cause: error.cause });
  }
  const message = cleanText(describeThrown(error), { secrets, max: 200 });
  const known = error instanceof TransportError ? error : new TransportError(message, { sent });
  return new ExchangeFailure(message || "unknown error", {
    kind: known.kind,
    sent: known.sent,
    permanent: known.permanent,
    advice: known.advice,
    cause: new TransportError(message, known),
  });
}

/** Not by `instanceof Error`: what Node itself throws may come from another realm. */
function describeThrown(error: unknown): string {
  const message: unknown = typeof error === "object" && error !== null ? Reflect.get(error, "message") : error;
  return typeof message === "string" ? message : "unknown error";
}

import { type ChatChunk, chatChunk, refusalIn, requestIdHeader } from "../../service";
import { cleanText } from "../../shared/cleanText";
import { parseJson } from "../../shared/json";
import { reasonIn } from "../../shared/reason";
import * as errors from "../errors";
import { type Exchange, ExchangeFailure, header } from "../http";
import { describeFirstProblem } from "../text";
import { readEventLines } from "./eventStream";

/** The chunks of a chat completion, as they come. Leaving the loop ends the request. */
export interface ChatStream extends AsyncIterable<ChatChunk> {
  /** From the header of the answer: known once the stream was awaited, or its first chunk is there. */
  readonly requestId: string | undefined;
}

/** A stream that can be iterated as it is, or awaited first: then a refusal shows there, and the request id is known. */
export type PendingChatStream = Promise<ChatStream> & ChatStream;

export function pendingChatStream(opening: Promise<ChatStream>): PendingChatStream {
  const fields: ChatStream & { requestId: string | undefined } = {
    requestId: undefined,
    async *[Symbol.asyncIterator]() {
      yield* await opening;
    },
  };
  const pending = Object.assign(opening, fields);
  // Whoever awaits or iterates sees the failure; without either it is no unhandled rejection.
  opening.then(
    ({ requestId }) => Object.assign(pending, { requestId }),
    () => {},
  );
  return pending;
}

/** Reads the stream of an answer that was accepted. */
export function readChatStream(exchange: Exchange, call: errors.FailedCall, secrets: readonly string[]): ChatStream {
  const chunks = readChunks(exchange, call, secrets);
  return { requestId: header(exchange.headers, requestIdHeader), [Symbol.asyncIterator]: () => chunks };
}

async function* readChunks(
  exchange: Exchange,
  call: errors.FailedCall,
  secrets: readonly string[],
): AsyncGenerator<ChatChunk, void, undefined> {
  const beginning = new Beginning();
  let isStream = false;
  try {
    for await (const { event, data } of readEventLines(beginning.of(exchange.chunks()))) {
      isStream = true;
      if (data.trim() === "[DONE]") return;
      yield readChunk(event, data, call, secrets);
    }
  } catch (error) {
    throw error instanceof ExchangeFailure ? brokenOff(error, call) : error;
  }
  const body = isStream ? undefined : parseJson(beginning.text);
  if (refusalIn(body) !== undefined) throw refused(body, beginning.text, call, secrets);
  throw new errors.ConnectionError(call, { reason: "the stream ended before [DONE]" });
}

const longestRefusal = 10_000;

/** What a body begins with, kept while it is read: instead of a stream there may be a refusal. */
class Beginning {
  text = "";

  async *of(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void, undefined> {
    const decoder = new TextDecoder();
    for await (const chunk of chunks) {
      if (this.text.length < longestRefusal) this.text += decoder.decode(chunk, { stream: true });
      yield chunk;
    }
  }
}

function refused(
  value: unknown,
  text: string,
  call: errors.FailedCall,
  secrets: readonly string[],
): errors.ServiceError {
  const reason = cleanText(reasonIn(value) ?? text, { secrets });
  return new errors.ServerError(call, { reason: `the stream failed: ${reason || "no reason given"}` });
}

function readChunk(
  event: string | undefined,
  data: string,
  call: errors.FailedCall,
  secrets: readonly string[],
): ChatChunk {
  const value = parseJson(data);
  if (event === "error" || refusalIn(value) !== undefined) throw refused(value, data, call, secrets);
  const parsed = chatChunk.safeParse(value);
  if (parsed.success) return parsed.data;
  const reason = value === undefined ? "it is not JSON" : describeFirstProblem(parsed.error, value, secrets);
  throw new errors.UnreadableAnswerError(call, { reason: `a chunk of the stream could not be read: ${reason}` });
}

function brokenOff(failure: ExchangeFailure, call: errors.FailedCall): errors.ServiceError {
  const { message, cause } = failure;
  switch (failure.kind) {
    case "aborted":
      return new errors.AbortedError(call, { reason: message, cause });
    case "timeout":
      return new errors.TimeoutError(call, { reason: message, cause });
    case "size":
      return new errors.UnreadableAnswerError(call, { reason: message, cause });
    case "connection":
      return new errors.ConnectionError(call, { reason: `the stream was cut before [DONE]: ${message}`, cause });
  }
}

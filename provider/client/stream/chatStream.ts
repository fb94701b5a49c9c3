import { type ChatChunk, chatChunk, requestIdHeader } from "../../service";
import { cleanText } from "../../shared/cleanText";
import { parseJson } from "../../shared/json";
import { reasonIn } from "../../shared/reason";
import * as errors from "../errors";
import { type Exchange, ExchangeFailure } from "../http/exchange";
import { header } from "../http/transport";
import { describeFirstProblem } from "../text/problems";
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
  try {
    for await (const { event, data } of readEventLines(exchange.chunks())) {
      if (data.trim() === "[DONE]") return;
      yield readChunk(event, data, call, secrets);
    }
  } catch (error) {
    throw error instanceof ExchangeFailure ? brokenOff(error, call) : error;
  }
  throw new errors.ConnectionError(call, { reason: "the stream ended before [DONE]" });
}

function readChunk(
  event: string | undefined,
  data: string,
  call: errors.FailedCall,
  secrets: readonly string[],
): ChatChunk {
  const value = parseJson(data);
  if (event === "error" || isError(value)) {
    const reason = cleanText(reasonIn(value) ?? data, { secrets });
    throw new errors.ServerError(call, {
      reason: `the stream failed: ${reason || "no reason given"}`,
    });
  }
  const parsed = chatChunk.safeParse(value);
  if (parsed.success) return parsed.data;
  const reason = value === undefined ? "it is not JSON" : describeFirstProblem(parsed.error, value, secrets);
  throw new errors.UnreadableAnswerError(call, { reason: `a chunk of the stream could not be read: ${reason}` });
}

function isError(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  return Object.hasOwn(value, "error") || Object.getOwnPropertyDescriptor(value, "object")?.value === "error";
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

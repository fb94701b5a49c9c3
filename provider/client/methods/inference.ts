import { z } from "zod";
import {
  type ChatRequest,
  type ChatResponse,
  generateAudioResponse,
  generateImageResponse,
  operations,
  type RequestOf,
  readableChatResponse,
  requestIdHeader,
} from "../../service";
import * as errors from "../errors";
import type { Answer, CallOptions, Http } from "../http";
import { callTo, header } from "../http";
import { type PendingChatStream, pendingChatStream, readChatStream } from "../stream";

/** base64, also as a data URL, decoded. */
const bytes = z.string().transform((text, context) => {
  const encoded = text.replace(/^data:[^,]{0,200};base64,/, "").replace(/\s+/g, "");
  if (encoded !== "" && /^[A-Za-z0-9+/_-]*={0,2}$/.test(encoded)) return Buffer.from(encoded, "base64");
  context.addIssue({ code: "custom", message: "must be base64" });
  return z.NEVER;
});

const decodedImages = generateImageResponse.extend({
  images: z.array(generateImageResponse.shape.images.element.extend({ image: bytes })),
});
const decodedAudio = generateAudioResponse.extend({ audio: bytes });

/** The id under which `getRequestCost` tells what the request cost; undefined where the service sent none. */
export interface WithRequestId {
  requestId: string | undefined;
}

export type ChatResult = ChatResponse & WithRequestId;
export type ImageResult = z.output<typeof decodedImages> & WithRequestId;
export type AudioResult = z.output<typeof decodedAudio> & WithRequestId;

export interface InferenceMethods {
  chat(request: ChatRequest & { stream?: false | undefined }, options?: CallOptions): Promise<ChatResult>;
  chatStream(request: ChatRequest, options?: CallOptions): PendingChatStream;
  generateImage(request: RequestOf<"generateImage">, options?: CallOptions): Promise<ImageResult>;
  generateAudio(request: RequestOf<"generateAudio">, options?: CallOptions): Promise<AudioResult>;
}

export function inferenceMethods(http: Http): InferenceMethods {
  return {
    chat: async (request, options) => {
      const call = callTo(http, "chat", operations.chat, request);
      if (Object.getOwnPropertyDescriptor(request, "stream")?.value === true) {
        throw new errors.InvalidRequestError(call, [
          { property: "stream", value: "true", rule: "must not be true: use chatStream" },
        ]);
      }
      return withRequestId(await http.send({ ...call, response: readableChatResponse, inference: true }, options));
    },
    chatStream: (request, options) => pendingChatStream(openChat(http, request, options)),
    generateImage: async (request, options) => {
      const call = callTo(http, "generateImage", operations.generateImage, request);
      return withRequestId(await http.send({ ...call, response: decodedImages, inference: true }, options));
    },
    generateAudio: async (request, options) => {
      const call = callTo(http, "generateAudio", operations.generateAudio, request);
      return withRequestId(await http.send({ ...call, response: decodedAudio, inference: true }, options));
    },
  };
}

async function openChat(http: Http, request: ChatRequest, options: CallOptions | undefined) {
  const call = callTo(http, "chatStream", operations.chat, { ...request, stream: true });
  return readChatStream(await http.open({ ...call, inference: true }, options), call, http.secrets);
}

function withRequestId<Value extends object>({ value, headers }: Answer<Value>): Value & WithRequestId {
  return { ...value, requestId: header(headers, requestIdHeader) };
}

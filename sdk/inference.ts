import type { CallOptions } from "./connection";
import { type GetRequestCostResult, getRequestCost } from "./functions";
import { mockedAudio, mockedImages, mockedPieces } from "./mockedInference";
import { callService } from "./service";

/**
 * Serverless inference, in a Pulumi program or a plain script. Each call is billed, also in a preview: use
 * `pulumi.runtime.isDryRun()` to skip it there.
 */

export interface ChatMessage {
  role: "system" | "assistant" | "user";
  /** Text, or a list of parts for models that accept images. */
  content: string | { type: string; [field: string]: unknown }[];
}

export interface ChatArgs {
  model: string;
  messages: ChatMessage[];
  /** Maximum length of the answer, in tokens. */
  maxTokens?: number | undefined;
  /** From 0 to 2. */
  temperature?: number | undefined;
  /** From 0 to 1. */
  topP?: number | undefined;
  topK?: number | undefined;
  minP?: number | undefined;
  /** Number of answers. */
  n?: number | undefined;
  /** Texts that end the answer. */
  stop?: string[] | undefined;
  /** For reproducible answers. */
  seed?: number | undefined;
  frequencyPenalty?: number | undefined;
  presencePenalty?: number | undefined;
  repetitionPenalty?: number | undefined;
  /** Bias per token id, from -100 to 100. */
  logitBias?: Record<string, number> | undefined;
  logprobs?: number | boolean | undefined;
  topLogprobs?: number | undefined;
  /** Identifier of your end user. */
  user?: string | undefined;
}

/** Every answer has the id by which its cost can be queried. */
export interface Answered {
  /** Undefined if the service sent none. */
  requestId: string | undefined;
}

export interface ChatUsage {
  promptTokens: number;
  completionTokens: number;
  totalTokens: number;
}

export interface ChatAnswer extends Answered {
  /** Text of the first answer. */
  text: string;
  choices: { index: number; content: string; finishReason: string | undefined }[];
  model: string;
  /** Undefined if the service did not tell. */
  usage: ChatUsage | undefined;
}

/** Sends a chat to a model and returns the complete answer. */
export async function chat(args: ChatArgs, options: CallOptions = {}): Promise<ChatAnswer> {
  return callService("chat", args, options, async ({ client }) => {
    const answer = await client.chat(chatRequest(args), { signal: options.signal });
    const choices = answer.choices.map(({ index, message, finish_reason }, position) => ({
      index: index ?? position,
      content: message.content ?? "",
      finishReason: finish_reason ?? undefined,
    }));
    return {
      text: choices[0]?.content ?? "",
      choices,
      model: answer.model ?? args.model,
      usage: answer.usage ? usageOf(answer.usage) : undefined,
      requestId: answer.requestId,
    };
  });
}

/** Part of an answer. */
export interface ChatPiece {
  /** Index of the answer it belongs to. */
  index: number;
  content: string;
  /** Set on the last part of an answer. */
  finishReason: string | undefined;
}

/** The parts of an answer, as they arrive. Leaving the loop cancels the request. */
export interface ChatPieces extends Answered, AsyncIterable<ChatPiece> {}

/** Sends a chat to a model and streams the answer: `for await (const { content } of await chatStream(…))`. */
export async function chatStream(args: ChatArgs, options: CallOptions = {}): Promise<ChatPieces> {
  return callService(
    "chatStream",
    args,
    options,
    async ({ client }) => {
      const stream = await client.chatStream(chatRequest(args), { signal: options.signal });
      return {
        requestId: stream.requestId,
        async *[Symbol.asyncIterator]() {
          for await (const { choices } of stream) {
            for (const { index, delta, finish_reason } of choices) {
              yield { index: index ?? 0, content: delta?.content ?? "", finishReason: finish_reason ?? undefined };
            }
          }
        },
      };
    },
    mockedPieces,
  );
}

export interface GenerateImageArgs {
  /** Text that describes the image. */
  prompt: string;
  modelName?: string | undefined;
  /** In pixels. */
  width?: number | undefined;
  /** In pixels. */
  height?: number | undefined;
  /** Backend to run on; `auto` lets the service choose. */
  backend?: string | undefined;
}

export interface GeneratedImages extends Answered {
  images: { image: Buffer; randomSeed: number | undefined }[];
}

/** Generates images, and decodes them. */
export async function generateImage(args: GenerateImageArgs, options: CallOptions = {}): Promise<GeneratedImages> {
  return callService(
    "generateImage",
    args,
    options,
    async ({ client }) => {
      const { prompt, modelName, width, height, backend } = args;
      const request = { prompt, model_name: modelName, width, height, backend };
      const { images, requestId } = await client.generateImage(request, { signal: options.signal });
      return {
        images: images.map(({ image, random_seed }) => ({ image, randomSeed: random_seed ?? undefined })),
        requestId,
      };
    },
    mockedImages,
  );
}

export interface GenerateAudioArgs {
  /** Text to speak. */
  text: string;
}

export interface GeneratedAudio extends Answered {
  /** An MP3 file. */
  audio: Buffer;
  sampleRate: number | undefined;
}

/** Generates speech from text. */
export async function generateAudio({ text }: GenerateAudioArgs, options: CallOptions = {}): Promise<GeneratedAudio> {
  return callService(
    "generateAudio",
    { text },
    options,
    async ({ client }) => {
      const { audio, sample_rate, requestId } = await client.generateAudio({ text }, { signal: options.signal });
      return { audio, sampleRate: sample_rate, requestId };
    },
    mockedAudio,
  );
}

/** Returns the cost of one or more answers. The service may need a moment to bill them: see `missing`. */
export async function costOf(
  answers: Answered | readonly Answered[],
  options: CallOptions = {},
): Promise<GetRequestCostResult> {
  const requestIds = [answers].flat().flatMap(({ requestId }) => requestId ?? []);
  return getRequestCost({ requestIds }, options);
}

function chatRequest(args: ChatArgs) {
  return {
    model: args.model,
    messages: args.messages.map(({ role, content }) => ({ role, content })),
    max_tokens: args.maxTokens,
    temperature: args.temperature,
    top_p: args.topP,
    top_k: args.topK,
    min_p: args.minP,
    n: args.n,
    stop: args.stop,
    seed: args.seed,
    frequency_penalty: args.frequencyPenalty,
    presence_penalty: args.presencePenalty,
    repetition_penalty: args.repetitionPenalty,
    logit_bias: args.logitBias,
    logprobs: args.logprobs,
    top_logprobs: args.topLogprobs,
    user: args.user,
  };
}

function usageOf(usage: { prompt_tokens: number; completion_tokens: number; total_tokens: number }): ChatUsage {
  return {
    promptTokens: usage.prompt_tokens,
    completionTokens: usage.completion_tokens,
    totalTokens: usage.total_tokens,
  };
}

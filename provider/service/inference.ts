import { z } from "zod";
import { answer, ifReadable } from "./answer";

export const requestIdHeader = "x-inference-request-id";

const fraction = z.number().min(0).max(1);

const chatFields = z.looseObject({
  messages: z
    .array(
      z.looseObject({
        role: z.enum(["system", "assistant", "user"]),
        // The convention that the interface follows also has lists of parts (text, images).
        content: z.union([z.string(), z.array(z.looseObject({ type: z.string() }))]),
      }),
    )
    .describe("The conversation so far."),
  model: z.string().describe("Model identifier."),
  frequency_penalty: fraction.optional(),
  logit_bias: z.record(z.string(), z.number().min(-100).max(100)).optional(),
  // A number in the table of the interface, `true` where it speaks of top_logprobs.
  logprobs: z.union([z.int(), z.boolean()]).optional(),
  top_logprobs: z.int().min(0).max(20).optional(),
  max_tokens: z.int().optional(),
  n: z.int().optional(),
  presence_penalty: fraction.optional(),
  seed: z.int().optional(),
  stop: z.array(z.string()).optional(),
  stream: z.boolean().optional(),
  temperature: z.number().min(0).max(2).optional(),
  top_p: fraction.optional(),
  user: z.string().optional(),
  top_k: z.int().optional(),
  min_p: fraction.optional(),
  repetition_penalty: z.number().default(1).optional(),
});

export const chatRequest = chatFields
  .refine((request) => request.top_logprobs === undefined || (request.logprobs ?? false) !== false, {
    path: ["top_logprobs"],
    message: "needs logprobs to be set",
  })
  .meta({ dependentRequired: { top_logprobs: ["logprobs"] } });

export const chatUsage = answer({
  prompt_tokens: z.int(),
  total_tokens: z.int(),
  completion_tokens: z.int(),
});

export const chatResponse = answer({
  id: z.string(),
  object: z.literal("chat.completion"),
  created: z.int(),
  model: z.string(),
  choices: z.array(
    answer({
      index: z.int(),
      message: answer({ role: z.literal("assistant"), content: z.string() }),
      finish_reason: z.string(),
    }),
  ),
  usage: chatUsage,
});

/**
 * The answer as the client reads it: it is billed, so nothing of it is thrown away for a field that is null or missing. What it is for
 * is demanded: choices.
 */
export const readableChatResponse = answer({
  id: ifReadable(z.string()),
  model: ifReadable(z.string()),
  created: ifReadable(z.int()),
  choices: z.array(
    answer({
      index: ifReadable(z.int()),
      message: answer({ role: z.string().nullish(), content: z.string().nullish() }),
      finish_reason: ifReadable(z.string().nullable()),
    }),
  ),
  usage: ifReadable(chatUsage.nullable()),
});

/** One `data:` line of a stream. */
export const chatChunk = answer({
  id: ifReadable(z.string()),
  model: ifReadable(z.string()),
  object: ifReadable(z.string()),
  created: ifReadable(z.int()),
  choices: z.array(
    answer({
      index: ifReadable(z.int()),
      delta: answer({ content: z.string().nullish(), role: z.string().nullish() }).nullish(),
      finish_reason: ifReadable(z.string().nullable()),
    }),
  ),
  usage: ifReadable(chatUsage.nullable()),
});

export const generateImageRequest = z.looseObject({
  model_name: z.string().optional().describe("Image model."),
  prompt: z.string().describe("Text that describes the image."),
  height: z.int().optional().describe("Height in pixels."),
  width: z.int().optional().describe("Width in pixels."),
  backend: z.string().optional().describe("Backend to run on; `auto` lets the service choose."),
});

/** Billed as well: only what it is for is demanded. */
export const generateImageResponse = answer({
  images: z.array(
    answer({ index: ifReadable(z.int()), image: z.string(), random_seed: ifReadable(z.number().nullable()) }),
  ),
  inference_time: ifReadable(z.number()),
});

export const generateAudioRequest = z.looseObject({
  text: z.string().describe("Text to speak."),
});

export const generateAudioResponse = answer({
  audio: z.string(),
  inference_time: ifReadable(z.number()),
  sample_rate: ifReadable(z.number()),
});

export type ChatRequest = z.input<typeof chatRequest>;
export type ChatResponse = z.infer<typeof readableChatResponse>;
export type ChatChunk = z.infer<typeof chatChunk>;

import type { z } from "zod";
import {
  type chatChunk,
  type chatResponse,
  type generateAudioRequest,
  type generateImageRequest,
  type requestCostRequest,
  requestIdHeader,
} from "../../provider/service";
import { seededHex, seededNumber } from "../random";
import { Refusal } from "../refusal";
import type { Call, World } from "../state";
import { type ChatRequest, type Completion, complete } from "./chat";
import { frameSeconds, sampleRate, tonesMp3 } from "./mp3";
import { type Colour, gradientPng } from "./png";

/** What inference costs, in nano-USD. */
const rates = { promptToken: 300, completionToken: 900, pixel: 10, character: 5000 };

const mostPixels = 2048;
const defaultPixels = 512;
const framesPerWord = 5;
const framesBetweenWords = 2;
const mostFrames = 800;
const lowestLine = 12;
const lines = 24;

/** Stores the cost of the request; the id goes into a header of the answer. */
function charge(world: World, call: Call, costNanoUsd: number): string {
  const id = `request-${seededHex(16, world.settings.seed, "inference", world.store.inferences.size)}`;
  world.store.commit({ kind: "inference", record: { id, account: call.account, at: call.at, costNanoUsd } });
  return id;
}

function answered(id: string, body: unknown): Response {
  return Response.json(body, { headers: { [requestIdHeader]: id } });
}

export function chat(world: World, call: Call, request: ChatRequest): Response {
  const completion = complete(request, world.settings.seed);
  const { prompt_tokens, completion_tokens } = completion.usage;
  const id = charge(world, call, prompt_tokens * rates.promptToken + completion_tokens * rates.completionToken);
  const head = { id: `chat-${id}`, created: Math.floor(call.at / 1000), model: request.model };
  if (request.stream) return streamed(id, head, completion);
  const body: z.input<typeof chatResponse> = {
    ...head,
    object: "chat.completion",
    choices: completion.choices.map(({ tokens, finishReason }, index) => ({
      index,
      message: { role: "assistant", content: tokens.join("") },
      finish_reason: finishReason,
    })),
    usage: completion.usage,
  };
  return answered(id, body);
}

type Chunk = z.input<typeof chatChunk>;
type Head = Pick<Chunk, "id" | "created" | "model">;

function streamed(id: string, head: Head, completion: Completion): Response {
  const text = new TextEncoder();
  const parts = [...chunks(head, completion)].map((chunk) => JSON.stringify(chunk));
  const events = [...parts, "[DONE]"].map((part) => text.encode(`data: ${part}\n\n`));
  const headers = { "content-type": "text/event-stream", "cache-control": "no-store", [requestIdHeader]: id };
  return new Response(ReadableStream.from(events), { headers });
}

function* chunks(head: Head, { choices, usage }: Completion): Generator<Chunk> {
  const chunk = { ...head, object: "chat.completion.chunk" };
  for (const [index, { tokens }] of choices.entries()) {
    for (const content of tokens) yield { ...chunk, choices: [{ index, delta: { content }, finish_reason: null }] };
  }
  for (const [index, { finishReason }] of choices.entries()) {
    const last = index === choices.length - 1;
    const ended = { index, delta: {}, finish_reason: finishReason };
    yield { ...chunk, choices: [ended], ...(last ? { usage } : {}) };
  }
}

export async function generateImage(world: World, call: Call, request: z.output<typeof generateImageRequest>) {
  const { width = defaultPixels, height = defaultPixels, prompt } = request;
  for (const [name, size] of Object.entries({ width, height })) {
    if (size < 1 || size > mostPixels) throw new Refusal(400, `${name}: must be from 1 to ${mostPixels} pixels`);
  }
  const colour = (which: string): Colour => {
    const part = (channel: string) => seededNumber(256, world.settings.seed, prompt, which, channel);
    return [part("red"), part("green"), part("blue")];
  };
  const image = await gradientPng(width, height, colour("from"), colour("to"));
  const id = charge(world, call, width * height * rates.pixel);
  const random_seed = world.settings.seed;
  return answered(id, { images: [{ index: 0, image: image.toString("base64"), random_seed }], inference_time: 0.01 });
}

export function generateAudio(world: World, call: Call, request: z.output<typeof generateAudioRequest>): Response {
  const id = charge(world, call, request.text.length * rates.character);
  const audio = tonesMp3(melody(request.text)).toString("base64");
  return answered(id, { audio, inference_time: frameSeconds, sample_rate: sampleRate });
}

/** A tone per word, always the same one for the same word. */
function melody(text: string): (number | null)[] {
  const pause: null[] = Array.from({ length: framesBetweenWords }, () => null);
  const words = text.split(/\s+/, mostFrames).filter((word) => word !== "");
  const frames = words.flatMap((word) => {
    const line = lowestLine + seededNumber(lines, word);
    return [...Array.from({ length: framesPerWord }, () => line), ...pause];
  });
  return [...pause, ...frames].slice(0, mostFrames);
}

export function getRequestCost(world: World, { requestIds }: z.output<typeof requestCostRequest>) {
  const requests = requestIds.flatMap((requestId) => {
    const known = world.store.inferences.get(requestId);
    return known ? [{ requestId, costNanoUsd: known.costNanoUsd }] : [];
  });
  return { requests };
}

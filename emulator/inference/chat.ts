import type { z } from "zod";
import type { chatRequest } from "../../provider/service";
import { seededChoice } from "../random";
import { Refusal } from "../refusal";

export type ChatRequest = z.output<typeof chatRequest>;

const mostChoices = 16;
const quotedLength = 200;
const sentences = [
  "I am an emulator, so take this with a grain of salt.",
  "Every word here was chosen by a seed.",
  "Ask again with another seed and the answer may differ.",
  "No GPU was kept busy for this reply.",
  "The tokens are counted all the same.",
  "A real model would have had an opinion.",
] as const;

export interface Choice {
  /** The text, a token at a time. */
  tokens: string[];
  finishReason: "stop" | "length";
}

export interface Completion {
  choices: Choice[];
  usage: { prompt_tokens: number; completion_tokens: number; total_tokens: number };
}

/** The emulated model: the same request and seed give the same completion. */
export function complete(request: ChatRequest, seed: number): Completion {
  const { n = 1, max_tokens: limit = Number.POSITIVE_INFINITY } = request;
  if (n < 1 || n > mostChoices) throw new Refusal(400, `n: must be from 1 to ${mostChoices}`);
  if (limit < 1) throw new Refusal(400, "max_tokens: must be 1 or more");
  const choices = Array.from({ length: n }, (_, index) => choose(request, seed, index, limit));
  const prompt = request.messages.reduce((sum, { content }) => sum + tokensOf(textOf(content)).length, 0);
  const completion = choices.reduce((sum, { tokens }) => sum + tokens.length, 0);
  return {
    choices,
    usage: { prompt_tokens: prompt, completion_tokens: completion, total_tokens: prompt + completion },
  };
}

function choose(request: ChatRequest, seed: number, index: number, limit: number): Choice {
  const tokens = tokensOf(untilStop(reply(request, request.seed ?? seed, index), request.stop ?? []));
  if (tokens.length <= limit) return { tokens, finishReason: "stop" };
  return { tokens: tokens.slice(0, limit), finishReason: "length" };
}

function reply(request: ChatRequest, seed: number, index: number): string {
  const asked = textOf(request.messages.findLast(({ role }) => role === "user")?.content ?? "").trim();
  const quoted = Array.from(asked).slice(0, quotedLength).join("");
  const said = [0, 1, 2].map((part) => seededChoice(sentences, seed, request.model, asked, index, part));
  return [quoted === "" ? "You said nothing." : `You said: ${quoted}`, ...new Set(said)].join(" ");
}

function untilStop(text: string, stops: readonly string[]): string {
  const found = stops.filter((stop) => stop !== "").map((stop) => text.indexOf(stop));
  return text.slice(0, Math.min(text.length, ...found.filter((at) => at >= 0)));
}

/** A token is a word with the space before it. */
function tokensOf(text: string): string[] {
  return text.match(/\s*\S+|\s+$/g) ?? [];
}

/** The text of a message, which may come as a list of parts. */
function textOf(content: ChatRequest["messages"][number]["content"]): string {
  if (typeof content === "string") return content;
  return content.map((part) => (typeof part["text"] === "string" ? part["text"] : "")).join(" ");
}

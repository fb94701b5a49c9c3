import type { Emulator } from "../../emulator";
import { chat, chatStream, costOf, generateAudio, generateImage, getBalance, getRequestCost } from "../../sdk";
import { startService } from "./service";

let emulator: Emulator;
beforeAll(async () => {
  emulator = await startService();
});
afterAll(() => emulator.close());
beforeEach(() => emulator.reset());

const question = { model: "emulated", messages: [{ role: "user" as const, content: "Are you up?" }] };

describe("chat", () => {
  test("gives the text of the answer, and how it came about", async () => {
    const answer = await chat(question);
    expect(answer.text).toMatch(/^You said: Are you up\?/);
    expect(answer).toMatchObject({
      model: "emulated",
      choices: [{ index: 0, content: answer.text, finishReason: "stop" }],
      requestId: expect.stringMatching(/^request-/),
    });
    const { promptTokens = 0, completionTokens = 0, totalTokens } = answer.usage ?? {};
    expect(totalTokens).toBe(promptTokens + completionTokens);
  });

  test("gives what there is where the service leaves the rest null", async () => {
    const choice = { index: null, message: { role: "assistant", content: null }, finish_reason: null };
    const body = { id: "c", object: "chat.completion", created: 1, model: null, choices: [choice], usage: null };
    emulator.faults.add({ match: { method: "POST", path: "/v1/chat/completions" }, kind: "status", status: 200, body });
    expect(await chat(question)).toMatchObject({
      text: "",
      choices: [{ index: 0, content: "", finishReason: undefined }],
      model: "emulated",
      usage: undefined,
    });
  });

  test("hands its arguments on under the names of the service", async () => {
    const { choices } = await chat({ ...question, n: 2, maxTokens: 3, stop: ["nothing"], seed: 7, temperature: 1 });
    expect(choices.map(({ content, finishReason }) => [content, finishReason])).toEqual([
      ["You said: Are", "length"],
      ["You said: Are", "length"],
    ]);
    await expect(chat({ ...question, topLogprobs: 3 })).rejects.toThrow("top_logprobs");
    await expect(chat({ ...question, repetitionPenalty: 1.1, topP: 2 })).rejects.toThrow("top_p");
  });
});

describe("chatStream", () => {
  test("gives the same answer piece by piece", async () => {
    const whole = await chat(question);
    const stream = await chatStream(question);
    expect(stream.requestId).toMatch(/^request-/);
    const pieces = [];
    for await (const piece of stream) pieces.push(piece);
    expect(pieces.length).toBeGreaterThan(3);
    expect(pieces.map(({ content }) => content).join("")).toBe(whole.text);
    expect(pieces.at(-1)?.finishReason).toBe("stop");
    expect(pieces.slice(0, -1).every(({ finishReason }) => finishReason === undefined)).toBe(true);
  });

  test("fails where it is asked, not where it is read", async () => {
    await expect(chatStream({ ...question, maxTokens: 0 })).rejects.toThrow("max_tokens: must be 1 or more");
  });
});

describe("Images and audio", () => {
  test("an image comes decoded", async () => {
    const { images } = await generateImage({ prompt: "a data centre at night", width: 16, height: 8, backend: "auto" });
    expect(images).toHaveLength(1);
    expect(images[0]?.image.subarray(1, 4).toString()).toBe("PNG");
    expect(images[0]?.image.readUInt32BE(16)).toBe(16);
  });

  test("audio comes decoded, as an MP3", async () => {
    const { audio, sampleRate } = await generateAudio({ text: "the fleet is up" });
    expect(audio.readUInt16BE(0) & 0xffe0).toBe(0xffe0);
    expect(sampleRate).toBeGreaterThan(8000);
  });
});

describe("costOf", () => {
  test("tells what was just asked has cost", async () => {
    const answer = await chat(question);
    const { costUsd, requests, missing } = await costOf(answer);
    const { promptTokens = 0, completionTokens = 0 } = answer.usage ?? {};
    expect(costUsd).toBeCloseTo((promptTokens * 300 + completionTokens * 900) / 1e9, 12);
    expect(requests).toEqual([{ requestId: answer.requestId, costNanoUsd: costUsd * 1e9, costUsd }]);
    expect(missing).toEqual([]);
  });

  test("adds up several, whatever they were", async () => {
    const before = (await getBalance()).usd;
    const stream = await chatStream(question);
    for await (const _ of stream);
    const answers = [
      await chat(question),
      stream,
      await generateImage({ prompt: "x", width: 8, height: 8 }),
      await generateAudio({ text: "x" }),
    ];
    const { costUsd, requests } = await costOf(answers);
    expect(requests).toHaveLength(4);
    expect((await getBalance()).usd).toBeCloseTo(before - costUsd, 6);
  });

  test("names what the service does not know", async () => {
    expect(await getRequestCost({ requestIds: ["request-of-another"] })).toEqual({
      requests: [],
      costUsd: 0,
      missing: ["request-of-another"],
    });
    expect(await costOf({ requestId: undefined })).toEqual({ requests: [], costUsd: 0, missing: [] });
  });
});

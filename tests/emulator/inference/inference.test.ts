import { inflateSync } from "node:zlib";
import { z } from "zod";
import { chatChunk, operations } from "../../../provider/service";
import { createRig, refusal } from "../rig";

const chat = "/v1/chat/completions";
const ask = { model: "m", messages: [{ role: "user", content: "How are you?" }] };
const images = z.object({ images: z.array(z.object({ image: z.base64() })).length(1) });

function chunksOf(text: string) {
  const lines = text.split("\n").filter((line) => line !== "");
  expect(lines.every((line) => line.startsWith("data: "))).toBe(true);
  expect(lines.at(-1)).toBe("data: [DONE]");
  return lines.slice(0, -1).map((line) => chatChunk.parse(JSON.parse(line.slice("data: ".length))));
}

describe("chat", () => {
  const read = async (rig: ReturnType<typeof createRig>, fields: object = {}) =>
    operations.chat.response.parse(await rig.ok("POST", chat, { ...ask, ...fields }));
  const texts = ({ choices }: Awaited<ReturnType<typeof read>>) => choices.map(({ message }) => message.content);

  test("answers the last user message, the same for the same seed", async () => {
    const answer = await read(createRig());
    expect(texts(answer)[0]).toMatch(/^You said: How are you\? /);
    expect(texts(await read(createRig()))).toEqual(texts(answer));
    expect(texts(await read(createRig(), { seed: 7 }))).not.toEqual(texts(answer));
  });

  test("streams the same text, token by token, and ends with the reason", async () => {
    const whole = await read(createRig(), { n: 2 });
    const reply = await createRig().call("POST", chat, { ...ask, n: 2, stream: true });
    expect(reply.headers["content-type"]).toBe("text/event-stream");
    const chunks = chunksOf(reply.text);
    const streamed = [0, 1].map((wanted) =>
      chunks
        .flatMap(({ choices }) => choices.filter(({ index }) => index === wanted))
        .map(({ delta }) => delta?.content ?? ""),
    );
    expect(streamed.map((parts) => parts.join(""))).toEqual(texts(whole));
    expect(streamed[0]?.length).toBeGreaterThan(5);
    expect(chunks.at(-1)).toMatchObject({
      object: "chat.completion.chunk",
      choices: [{ delta: {}, finish_reason: "stop" }],
      usage: whole.usage,
    });
  });

  test("gives as many choices as asked for, and counts their tokens", async () => {
    const { choices, usage } = await read(createRig(), { n: 3 });
    expect(choices.map(({ index }) => index)).toEqual([0, 1, 2]);
    const words = choices.reduce((sum, { message }) => sum + message.content.split(" ").length, 0);
    expect(usage).toEqual({ prompt_tokens: 3, completion_tokens: words, total_tokens: words + 3 });
  });

  test("stops at max_tokens and says so", async () => {
    const { choices, usage } = await read(createRig(), { max_tokens: 3 });
    expect(choices[0]).toMatchObject({ message: { content: "You said: How" }, finish_reason: "length" });
    expect(usage.completion_tokens).toBe(3);
  });

  test("stops before the first of the stop sequences", async () => {
    const { choices } = await read(createRig(), { stop: ["", "never", " you", " are"] });
    expect(choices[0]).toMatchObject({ message: { content: "You said: How" }, finish_reason: "stop" });
  });

  test("reads messages that come in parts, and none at all", async () => {
    const parts = [{ type: "text", text: "Hello" }, { type: "image_url" }, { type: "text", text: "there" }];
    expect(texts(await read(createRig(), { messages: [{ role: "user", content: parts }] }))[0]).toMatch(
      /^You said: Hello {2}there/,
    );
    expect(texts(await read(createRig(), { messages: [] }))[0]).toMatch(/^You said nothing\. /);
  });

  test.each([
    [{ n: 0 }, "n: must be from 1 to 16"],
    [{ n: 17 }, "n: must be from 1 to 16"],
    [{ max_tokens: 0 }, "max_tokens: must be 1 or more"],
  ])("cannot do %j", async (fields, message) => {
    const reply = await createRig().call("POST", chat, { ...ask, ...fields });
    expect(reply).toMatchObject(refusal(400, "BAD_REQUEST", message));
  });
});

describe("an image", () => {
  test("is a PNG of the size asked for, whose pixels are all there", async () => {
    const body = await createRig().ok("POST", "/v1/image/generation", { prompt: "a cat", width: 30, height: 20 });
    const png = Buffer.from(images.parse(body).images[0]?.image ?? "", "base64");
    expect(png.subarray(1, 4).toString()).toBe("PNG");
    expect([png.readUInt32BE(16), png.readUInt32BE(20)]).toEqual([30, 20]);
    const start = png.indexOf("IDAT");
    const data = png.subarray(start + 4, start + 4 + png.readUInt32BE(start - 4));
    expect(inflateSync(data)).toHaveLength(20 * (1 + 30 * 3));
  });

  test.each([{ width: 0 }, { height: 4096 }])("cannot have %j", async (size) => {
    const reply = await createRig().call("POST", "/v1/image/generation", { prompt: "a cat", ...size });
    expect(reply).toMatchObject(refusal(400, "BAD_REQUEST", `${Object.keys(size)}: must be from 1 to 2048 pixels`));
  });
});

describe("speech", () => {
  const speak = async (text: string) => {
    const body = await createRig().ok("POST", "/v1/audio/generation", { text });
    return Buffer.from(operations.generateAudio.response.parse(body).audio, "base64");
  };

  test("is an MP3: whole frames of MPEG-1 layer III, longer for a longer text", async () => {
    const [short, long] = [await speak("one"), await speak("one two three")];
    for (const audio of [short, long]) {
      expect(audio.length % 144).toBe(0);
      for (let at = 0; at < audio.length; at += 144) expect(audio.readUInt32BE(at)).toBe(0xfffb18c4);
    }
    expect(short.length).toBe(144 * (2 + 7));
    expect(long.length).toBe(144 * (2 + 3 * 7));
  });

  test("of a very long text has an end", async () => {
    expect((await speak("word ".repeat(10_000))).length).toBe(144 * 800);
  });
});

describe("the cost of inference", () => {
  test("is told for the id in the header, and leaves the balance", async () => {
    const rig = createRig({ balance: 1 });
    const replies = [
      await rig.call("POST", chat, ask),
      await rig.call("POST", chat, { ...ask, stream: true }),
      await rig.call("POST", "/v1/image/generation", { prompt: "x", width: 100, height: 100 }),
      await rig.call("POST", "/v1/audio/generation", { text: "hello" }),
    ];
    const requestIds = replies.map(({ headers }) => z.string().parse(headers["x-inference-request-id"]));
    expect(new Set(requestIds).size).toBe(4);
    const body = await rig.ok("POST", "/v2/usage/request-cost", { requestIds: ["unknown", ...requestIds] });
    const { requests } = operations.getRequestCost.response.parse(body);
    expect(requests.map(({ requestId }) => requestId)).toEqual(requestIds);
    expect(requests.slice(2).map(({ costNanoUsd }) => costNanoUsd)).toEqual([100_000, 25_000]);
    expect(requests[0]?.costNanoUsd).toBe(requests[1]?.costNanoUsd);
    const spent = requests.reduce((sum, { costNanoUsd }) => sum + costNanoUsd, 0);
    const left = operations.getBalance.response.parse(await rig.ok("GET", "/billing/get_current_balance"));
    expect(left.usd).toBeCloseTo(1 - spent * 1e-9, 6);
  });
});

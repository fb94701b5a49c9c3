import { InvalidRequestError, OutcomeUnknownError } from "../../../provider/client";
import type { ChatRequest } from "../../../provider/service";
import { closeServices, failureOf, serve, status } from "../localService";

afterEach(closeServices);

const completion = {
  id: "c-1",
  object: "chat.completion",
  created: 1_757_000_000,
  model: "m",
  choices: [{ index: 0, message: { role: "assistant", content: "hello" }, finish_reason: "stop" }],
  usage: { prompt_tokens: 1, total_tokens: 3, completion_tokens: 2 },
};
const messages: ChatRequest["messages"] = [{ role: "user", content: "hi" }];
const request = { model: "m", messages };
const header = { "X-Inference-Request-Id": "req-9" };
const bytes = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0xff, 0x00]);

test("a chat comes back with its request id", async () => {
  const service = await serve(status(200, completion, header));
  await expect(service.client().chat(request)).resolves.toEqual({ ...completion, requestId: "req-9" });
});

test("the request id is undefined where the service sends none", async () => {
  const service = await serve(status(200, completion));
  await expect(service.client().chat(request)).resolves.toHaveProperty("requestId", undefined);
});

test("a chat that was billed is not thrown away for what is null in it", async () => {
  const [choice] = completion.choices;
  const answer = {
    ...{ ...completion, usage: null, model: null },
    choices: [{ ...choice, finish_reason: null, message: { role: "assistant", content: null } }],
  };
  const service = await serve(status(200, answer, header));
  await expect(service.client().chat(request)).resolves.toMatchObject({
    choices: [{ index: 0, message: { content: null }, finish_reason: null }],
    usage: null,
    requestId: "req-9",
  });
});

test("a chat that asks for a stream is told to use chatStream", async () => {
  const service = await serve(status(200, completion));
  const error = await failureOf(Reflect.apply(service.client().chat, undefined, [{ ...request, stream: true }]));
  expect(error).toBeInstanceOf(InvalidRequestError);
  expect(error.message).toContain("stream true: must not be true: use chatStream");
  expect(service.requests).toHaveLength(0);
});

test("images come back decoded, without their base64", async () => {
  const images = [
    { index: 0, image: bytes.toString("base64"), random_seed: 5 },
    { index: 1, image: `data:image/png;base64,${bytes.toString("base64")}` },
  ];
  const service = await serve(status(200, { images, inference_time: 1.5 }, header));
  await expect(service.client().generateImage({ prompt: "a cat" })).resolves.toEqual({
    images: [
      { index: 0, image: bytes, random_seed: 5 },
      { index: 1, image: bytes },
    ],
    inference_time: 1.5,
    requestId: "req-9",
  });
});

test("audio comes back decoded, without its base64", async () => {
  const service = await serve(status(200, { audio: bytes.toString("base64"), sample_rate: 44_100 }, header));
  await expect(service.client().generateAudio({ text: "hello" })).resolves.toEqual({
    audio: bytes,
    sample_rate: 44_100,
    requestId: "req-9",
  });
});

test("what was paid for is not thrown away for a field that is null or in another form", async () => {
  const image = { index: null, image: bytes.toString("base64"), random_seed: "5" };
  const images = await serve(status(200, { images: [image], inference_time: "1.2s" }));
  await expect(images.client().generateImage({ prompt: "a cat" })).resolves.toMatchObject({
    images: [{ image: bytes }],
  });
  const audio = await serve(status(200, { audio: bytes.toString("base64"), sample_rate: null, inference_time: null }));
  await expect(audio.client().generateAudio({ text: "hello" })).resolves.toMatchObject({ audio: bytes });
});

test.each(["", "not base64!", "AAA=A"])(
  "audio %j is no base64: it may have been billed, and cannot be read",
  async (audio) => {
    const service = await serve(status(200, { audio }));
    const error = await failureOf(service.client().generateAudio({ text: "hello" }));
    expect(error).toBeInstanceOf(OutcomeUnknownError);
    expect(error.message).toContain("the answer could not be read: audio");
    expect(error.message).toContain("must be base64");
  },
);

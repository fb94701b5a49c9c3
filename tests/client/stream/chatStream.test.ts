import fc from "fast-check";
import {
  AbortedError,
  type ChatStream,
  ConnectionError,
  createClient,
  InvalidRequestError,
  OutcomeUnknownError,
  ServerError,
  TimeoutError,
  UnauthorizedError,
  UnreadableAnswerError,
} from "../../../provider/client";
import type { ChatRequest } from "../../../provider/service";
import { closeServices, failureOf, type Handler, inTurn, serve, skippingClock, status } from "../localService";

afterEach(closeServices);

const request: ChatRequest = { model: "m", messages: [{ role: "user", content: "hi" }] };

function chunk(content: string) {
  return { id: "c-1", model: "m", choices: [{ index: 0, delta: { content }, finish_reason: null }] };
}
const last = {
  ...{ id: "c-1", model: "m", object: "chat.completion.chunk", created: 1 },
  choices: [{ index: 0, delta: {}, finish_reason: "stop" }],
};
const data = (value: unknown) => `data: ${JSON.stringify(value)}\n\n`;
const whole = `${data(chunk("日本"))}${data(chunk("語 👍"))}${data(last)}data: [DONE]\n\n`;

/** The content of a stream, from a transport that hands over these pieces. */
async function readPieces(pieces: readonly Uint8Array[]): Promise<string> {
  const transport = async () => ({ status: 200, headers: { "X-Inference-Request-Id": "r-1" }, body: from(pieces) });
  return contentOf(createClient({ baseUrl: "https://a.com", transport }).chatStream(request));
}

async function* from(pieces: readonly Uint8Array[]) {
  yield* pieces;
}

async function contentOf(stream: ChatStream): Promise<string> {
  let content = "";
  for await (const { choices } of stream) content += choices[0]?.delta?.content ?? "";
  return content;
}

const stream =
  (text: string): Handler =>
  (_, response) =>
    void response.writeHead(200, { "content-type": "text/event-stream", "X-Inference-Request-Id": "req-7" }).end(text);

describe("a stream", () => {
  test("gives the chunks in order, and ends at [DONE]", async () => {
    const service = await serve(stream(`${whole}data: this is never read\n\n`));
    const chunks = [];
    for await (const part of service.client().chatStream(request)) chunks.push(part);
    expect(chunks).toEqual([chunk("日本"), chunk("語 👍"), last]);
    expect(JSON.parse(service.requests[0]?.body ?? "")).toMatchObject({ ...request, stream: true });
  });

  test("carries the request id once it is awaited", async () => {
    const service = await serve(stream(whole));
    const opened = await service.client().chatStream(request);
    expect(opened.requestId).toBe("req-7");
    expect(await contentOf(opened)).toBe("日本語 👍");
  });

  test("carries the request id once it is read, without being awaited", async () => {
    const service = await serve(stream(whole));
    const pending = service.client().chatStream(request);
    expect(pending.requestId).toBeUndefined();
    await contentOf(pending);
    expect(pending.requestId).toBe("req-7");
  });

  test("has no request id where the service sends none", async () => {
    const service = await serve((_, response) => void response.end(whole));
    expect((await service.client().chatStream(request)).requestId).toBeUndefined();
  });

  test("survives being cut anywhere, within characters too", async () => {
    const bytes = Buffer.from(whole.replaceAll("\n", "\r\n"));
    for (let at = 0; at <= bytes.length; at++) {
      expect(await readPieces([bytes.subarray(0, at), bytes.subarray(at)])).toBe("日本語 👍");
    }
  });

  test("survives any cuts and any ends of lines", async () => {
    const separators = fc.constantFrom("\n", "\r\n", "\r", "\n\n", "\r\n\r\n", "\r\r");
    const cuts = fc.array(fc.integer({ min: 1, max: 20 }), { minLength: 1, maxLength: 400 });
    await fc.assert(
      fc.asyncProperty(separators, cuts, async (separator, sizes) => {
        const bytes = Buffer.from(whole.replaceAll("\n\n", separator));
        const pieces: Uint8Array[] = [];
        for (let at = 0, turn = 0; at < bytes.length; turn++) {
          const size = sizes[turn % sizes.length] ?? 1;
          pieces.push(bytes.subarray(at, at + size));
          at += size;
        }
        expect(await readPieces(pieces)).toBe("日本語 👍");
      }),
      { numRuns: 200, seed: 3 },
    );
  });

  test("passes over comments, other fields and events with a name", async () => {
    const text = `: keep-alive\n\nretry: 5\nid: 7\nevent: message\ndata:${JSON.stringify(chunk("a"))}\n\n:\n${data(last)}data:[DONE]\n\n`;
    expect(await readPieces([Buffer.from(text)])).toBe("a");
  });

  test("needs no line end behind [DONE]", async () => {
    expect(await readPieces([Buffer.from(`${data(chunk("a"))}${data(last)}data: [DONE]`)])).toBe("a");
  });

  test("passes over an error that is null", async () => {
    expect(await readPieces([Buffer.from(`${data({ ...chunk("a"), error: null })}data: [DONE]\n\n`)])).toBe("a");
  });

  test("keeps a line separator of Unicode inside a chunk", async () => {
    const text = `data: {"id":"c","model":"m","choices":[{"index":0,"delta":{"content":"a\u2028b"}}]}\n\ndata: [DONE]\n\n`;
    expect(await readPieces([Buffer.from(text)])).toBe("a\u2028b");
  });
});

describe("a stream that goes wrong is a typed error", () => {
  const broken: [string, string, new (...given: never[]) => Error, string][] = [
    ["ends before [DONE]", data(chunk("a")), ConnectionError, "the stream ended before [DONE]"],
    ["ends within a line", `${data(chunk("a"))}data: [DON`, ConnectionError, "the stream ended before [DONE]"],
    ["holds an error", data({ error: { message: "out of memory" } }), ServerError, "the stream failed: out of memory"],
    ["holds an error object", data({ object: "error", message: "no" }), ServerError, "the stream failed: no"],
    [
      "is a refusal instead",
      JSON.stringify({ error: { message: "model overloaded" } }),
      ServerError,
      "the stream failed: model overloaded",
    ],
    ["is another answer instead", JSON.stringify({ id: "a" }), ConnectionError, "the stream ended before [DONE]"],
    ["has an error event", "event: error\ndata: it broke\n\n", ServerError, "the stream failed: it broke"],
    [
      "holds no JSON",
      "data: {oops\n\n",
      UnreadableAnswerError,
      "a chunk of the stream could not be read: it is not JSON",
    ],
    [
      "holds a chunk of the wrong shape",
      data({ id: 1 }),
      UnreadableAnswerError,
      "a chunk of the stream could not be read: choices (missing) must be an array",
    ],
  ];

  test.each(broken)("when it %s", async (_, text, type, reason) => {
    const service = await serve(stream(text));
    const error = await failureOf(contentOf(service.client().chatStream(request)));
    expect(error).toBeInstanceOf(type);
    expect(error.message).toBe(`POST /v1/chat/completions: ${reason}`);
  });

  test("when its connection is cut", async () => {
    const service = await serve((_, response) => {
      response.write(data(chunk("a")), () => setImmediate(() => response.destroy()));
    });
    const error = await failureOf(contentOf(service.client().chatStream(request)));
    expect(error).toBeInstanceOf(ConnectionError);
    expect(error.message).toMatch(/^POST \/v1\/chat\/completions: the stream was cut before \[DONE\]: /);
  });

  test("when it hangs", async () => {
    const service = await serve((_, response) => void response.write(data(chunk("a"))));
    const client = service.client({ limits: { inferenceTotal: 100 } });
    expect(await failureOf(contentOf(client.chatStream(request)))).toBeInstanceOf(TimeoutError);
  });

  test("when it never stops", async () => {
    const service = await serve((_, response) => void response.write(`data: ${"x".repeat(200_000)}`));
    const client = service.client({ limits: { bytes: 100_000 } });
    expect(await failureOf(contentOf(client.chatStream(request)))).toBeInstanceOf(UnreadableAnswerError);
  });
});

describe("a stream that is refused", () => {
  test("fails where it is awaited, and where it is iterated", async () => {
    const service = await serve(status(401));
    expect(await failureOf(service.client().chatStream(request))).toBeInstanceOf(UnauthorizedError);
    expect(await failureOf(contentOf(service.client().chatStream(request)))).toBeInstanceOf(UnauthorizedError);
  });

  test("is begun again after 429, and not after 500", async () => {
    const limited = await serve(inTurn(status(429), stream(whole)));
    expect(await contentOf(limited.client().chatStream(request))).toBe("日本語 👍");
    const failing = await serve(status(500));
    expect(await failureOf(failing.client().chatStream(request))).toBeInstanceOf(OutcomeUnknownError);
    expect(failing.requests).toHaveLength(1);
  });

  test("because of its request, is not sent", async () => {
    const service = await serve(stream(whole));
    const error = await failureOf(service.client().chatStream({ ...request, temperature: 3 }));
    expect(error).toBeInstanceOf(InvalidRequestError);
    expect(service.requests).toHaveLength(0);
  });

  test("and that nobody looks at, troubles nobody", async () => {
    const service = await serve(status(400));
    service.client().chatStream(request);
    await failureOf(service.client().chatStream(request));
    expect(service.requests.length).toBeGreaterThan(0);
  });
});

describe("ending a stream early", () => {
  /** A service whose stream goes on for ever, and that tells when the client has gone. */
  async function endless() {
    let left = () => {};
    const gone = new Promise<void>((resolve) => {
      left = resolve;
    });
    const service = await serve((_, response) => {
      const timer = setInterval(() => response.write(data(chunk("a"))), 2);
      response.on("close", () => {
        clearInterval(timer);
        left();
      });
    });
    return { service, gone };
  }

  test("by leaving the loop gives up the connection", async () => {
    const { service, gone } = await endless();
    for await (const part of service.client().chatStream(request)) {
      expect(part).toEqual(chunk("a"));
      break;
    }
    await gone;
  });

  test("by a signal throws, and gives up the connection", async () => {
    const { service, gone } = await endless();
    const controller = new AbortController();
    const pending = service.client({ clock: skippingClock() }).chatStream(request, { signal: controller.signal });
    const read = async () => {
      for await (const _ of pending) controller.abort();
    };
    expect(await failureOf(read())).toBeInstanceOf(AbortedError);
    await gone;
  });
});

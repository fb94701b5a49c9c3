import { Webhook } from "../../../../cli/commands/watch/webhook";
import { Receiver } from "./receiver";

const pauses: number[] = [];
const clock = { now: () => 0, sleep: async (ms: number) => void pauses.push(ms) };
const limits = { timeoutMs: 10_000, attempts: 4, firstPauseMs: 1000 };

describe("A webhook", () => {
  let receiver: Receiver;

  beforeEach(async () => {
    receiver = new Receiver();
    await receiver.listen();
    pauses.length = 0;
  });

  afterEach(() => receiver.close());

  test("gets JSON", async () => {
    await new Webhook(receiver.url).post({ text: "two orphans" }, { limits, clock });
    expect(receiver.arrived).toEqual([
      {
        method: "POST",
        url: "/services/T000/s3cr3t-t0ken",
        type: "application/json",
        body: { text: "two orphans" },
      },
    ]);
  });

  test("gets it again after a 5xx or a 429, a little later each time", async () => {
    receiver.answers = [503, 429, 500];
    await new Webhook(receiver.url).post({}, { limits, clock });
    expect(receiver.arrived).toHaveLength(4);
    expect(pauses).toEqual([1000, 2000, 4000]);
  });

  test("that stays unwell is an error, which does not show its URL", async () => {
    receiver.answers = [500, 500, 500, 500];
    receiver.answerText = "no such token: s3cr3t-t0ken";
    const { port } = new URL(receiver.url);
    await expect(new Webhook(receiver.url).post({}, { limits, clock })).rejects.toThrow(
      new Error(
        `posting to the webhook http://127.0.0.1:${port}/… failed (4 attempts): it answered 500: no such token: [redacted]`,
      ),
    );
  });

  test.each([404, 302])("that answers %d is not asked again, nor followed elsewhere", async (status) => {
    receiver.answers = [status];
    await expect(new Webhook(receiver.url).post({}, { limits, clock })).rejects.toThrow(
      `failed: it answered ${status}: ok`,
    );
    expect(receiver.arrived).toHaveLength(1);
  });

  test("that does not answer, or is not there, is given up after its time", async () => {
    receiver.answers = ["silence", "silence"];
    const few = { ...limits, timeoutMs: 50, attempts: 2 };
    await expect(new Webhook(receiver.url).post({}, { limits: few, clock })).rejects.toThrow(
      "failed (2 attempts): no answer within 0.05 s",
    );
    receiver.close();
    await expect(new Webhook(receiver.url).post({}, { limits: few, clock })).rejects.toThrow("ECONNREFUSED");
  });

  test.each([
    [
      "http://hooks.example/secret-path",
      "the webhook http://hooks.example/… must use https; plain http is allowed on loopback addresses only",
    ],
    ["https://me:secret-word@hooks.example/", "the webhook must not contain a user or password"],
    ["secret-path", "the webhook is not a URL such as https://host/path"],
    [
      "file:///etc/secret-path",
      "the webhook file:///… must use https; plain http is allowed on loopback addresses only",
    ],
  ])("cannot be %s, and what is secret in it is not said", (url, message) => {
    expect(() => new Webhook(url)).toThrow(new Error(message));
  });

  test("behind a proxy that is no URL says so as the client does, and not with its password", async () => {
    const before = process.env["https_proxy"];
    process.env["https_proxy"] = "me:s3cr3t-w0rd";
    try {
      await expect(new Webhook("https://hooks.example/path").post({}, { limits, clock })).rejects.toMatchObject({
        message: "HTTPS_PROXY or HTTP_PROXY is not a URL such as http://proxy.example:3128",
      });
    } finally {
      if (before === undefined) delete process.env["https_proxy"];
      else process.env["https_proxy"] = before;
    }
  });
});

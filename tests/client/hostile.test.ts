import { inspect } from "node:util";
import fc from "fast-check";
import { createClient, ServiceError, type Transport } from "../../provider/client";
import { answers as contractAnswers, requests as contractRequests } from "../contract/cases";
import { methodOf, skippingClock, testKey } from "./localService";

/**
 * Answers that a broken or hostile service might give. Whatever comes, a call ends soon, with a value or with a ServiceError,
 * and the key is in neither text nor properties of the error.
 */
const runs = 5000;
const seed = 20_260_912;

const requests: Record<string, unknown> = {
  ...contractRequests,
  chatStream: contractRequests.chat,
  terminateRental: { rentalId: 1, rentalType: "bare-metal" },
  deleteStorageVolume: { storageVolumeId: 1 },
  detachStorageVolume: { storageVolumeId: 1, rentalIds: [1] },
};
const chunk = { id: "c", model: "m", choices: [{ index: 0, delta: { content: "a" }, finish_reason: null }] };

/** What the operations that the interface does not show ought to answer. */
const undocumented: Record<string, unknown> = {
  terminateRental: { message: "ended" },
  listVmRentals: [{ id: 1, status: "Running" }],
  deleteStorageVolume: { message: "deleted" },
  detachStorageVolume: { message: "detached" },
};

/** What each operation ought to answer. */
const sound: Record<string, unknown> = { ...contractAnswers, chatStream: chunk, ...undocumented };
const refusals: readonly unknown[] = [
  { error: { code: "BAD_REQUEST", message: "no" } },
  { detail: [{ loc: ["body", "label"], msg: "no", type: "missing" }] },
  { message: "rental not found", error_code: "E1" },
];

const odd = fc.oneof(
  fc.constantFrom<unknown>(null, true, -1, 0, 1e308, 2 ** 53, "", "\u0000", [], {}, [[]], [null], "9".repeat(400)),
  fc.constantFrom("\u001b[2J\u001b]0;x\u0007", "\u202eabc\u2028", "\ud800", "<script>", "../../etc"),
  fc.constant(testKey),
  fc.constant(`Bearer ${testKey}`),
  fc.constant(Buffer.from(`x:${testKey}`).toString("base64")),
  fc.constant(encodeURIComponent(testKey)),
  fc.constant(
    JSON.parse('{"then":1,"toString":1,"valueOf":null,"constructor":{"prototype":1},"toJSON":1,"length":-1}'),
  ),
  fc.nat({ max: 3 }).map((size) => "x".repeat(10 ** (size + 2))),
  fc.jsonValue({ maxDepth: 3 }),
);

/** Answers to an operation: mostly its own sound one, in which something was replaced, removed or added. */
function answersTo(name: string) {
  const altered = fc
    .tuple(
      fc.oneof(
        { weight: 4, arbitrary: fc.constant(sound[name]) },
        fc.constantFrom(...refusals, ...Object.values(sound)),
      ),
      fc.array(fc.nat({ max: 40 }), { maxLength: 6 }),
      odd,
      fc.constantFrom("replace", "remove", "add"),
      fc.string(),
    )
    .map(([value, path, replacement, how, key]) => JSON.stringify(alter(value, path, replacement, how, key)) ?? "null");
  const protoKeys = fc.constantFrom("__proto__", "\\u005f_proto__", "constructor", "prototype");
  const proto = fc
    .tuple(altered, protoKeys)
    .map(([text, key]) => text.replace("{", `{"${key}":{"isAdmin":true,"message":"${testKey}"},`));
  const truncated = fc
    .tuple(altered, fc.double({ min: 0, max: 1, noNaN: true }))
    .map(([text, at]) => text.slice(0, text.length * at));
  const eventLines = fc.oneof(
    altered.map((text) => `data: ${text}\n\n`),
    fc.constantFrom(`data: ${JSON.stringify(chunk)}\n\n`, ": ping\n", "event: error\n", "data: [DONE]\n\n", "\r\r\n"),
  );
  const events = fc.array(eventLines, { maxLength: 5 }).map((parts) => parts.join(""));
  const body = fc.oneof(
    { weight: 6, arbitrary: altered.map(toBytes) },
    { weight: 2, arbitrary: truncated.map(toBytes) },
    { weight: 1, arbitrary: proto.map(toBytes) },
    { weight: 1, arbitrary: fc.oneof(deep, balanced, page).map(toBytes) },
    { weight: name === "chatStream" ? 20 : 1, arbitrary: events.map(toBytes) },
    { weight: 1, arbitrary: noise },
  );
  return fc.array(fc.record({ status, headers, body, pieces, breaks }), { minLength: 1, maxLength: 3 });
}

const openings = fc.constantFrom("[", '{"error":', '{"detail":[', '[{"providerData":', '{"a":');
const deep = fc.tuple(openings, fc.integer({ min: 1, max: 20_000 })).map(([opening, times]) => opening.repeat(times));
const balanced = fc.integer({ min: 1, max: 20_000 }).map((times) => `${"[".repeat(times)}${"]".repeat(times)}`);
const page = fc.constantFrom(
  `<html><title>${testKey}</title>`,
  "<!doctype html><h1>\u001b[31mGone</h1>",
  "<html>".repeat(5000),
);
const noise = fc.uint8Array({ maxLength: 300 });
const status = fc.oneof(
  { weight: 8, arbitrary: fc.constant(200) },
  {
    weight: 4,
    arbitrary: fc.constantFrom(201, 204, 301, 307, 400, 401, 403, 404, 405, 408, 418, 422, 429, 500, 502, 503),
  },
  { weight: 1, arbitrary: fc.integer({ min: 0, max: 1000 }) },
);
const headers = fc.dictionary(
  fc.constantFrom("retry-after", "X-Inference-Request-Id", "content-type", "location", "content-length", "__proto__"),
  fc.oneof(fc.string(), fc.constantFrom("0", "-1", "1e9", "99999999999", "Thu, 01 Jan 1970 00:00:00 GMT", testKey)),
);
const pieces = fc.integer({ min: 1, max: 5 });
/** Whether the connection breaks after the body, with an error of the transport's own making. */
const breaks = fc.nat({ max: 7 }).map((choice) => choice === 0);

const calls = fc.oneof(...Object.keys(sound).map((name) => answersTo(name).map((answers) => ({ name, answers }))));

/** Answers that reach every kind of end, whatever the random ones reach. */
const certain: { name: string; answers: Answer[] }[] = [
  ...Object.entries(sound).map(([name, answer]) => ({
    name,
    // An undocumented operation asks for the service's description first.
    answers: [...(name in undocumented ? [answered(404, "{}")] : []), answered(200, soundText(name, answer))],
  })),
  ...[400, 401, 403, 404, 429, 500].map((status) => ({ name: "getBalance", answers: [answered(status, "{}")] })),
  { name: "getBalance", answers: [answered(200, "not JSON")] },
  { name: "getBalance", answers: [{ ...answered(200, ""), breaks: true }] },
  { name: "createVmRental", answers: [{ ...answered(200, ""), breaks: true }] },
  { name: "deleteStorageVolume", answers: [answered(404, "{}"), answered(405, "{}")] },
];

function answered(status: number, text: string): Answer {
  return { status, headers: {}, body: toBytes(text), pieces: 1, breaks: false };
}

function soundText(name: string, answer: unknown): string {
  const text = JSON.stringify(answer);
  return name === "chatStream" ? `data: ${text}\n\ndata: [DONE]\n\n` : text;
}

const forms = [testKey, encodeURIComponent(testKey), Buffer.from(testKey).toString("base64").slice(0, 20)];

test(`${runs} mutated answers: a value or a typed error, soon, and the key in none`, async () => {
  const seen = { values: new Set<string>(), errors: new Set<string>() };
  const property = fc.asyncProperty(calls, async ({ name, answers }) => {
    const client = createClient({
      ...{ baseUrl: "https://a.com", apiKey: testKey, transport: transportOf(answers), clock: skippingClock() },
      limits: { attempts: 3, total: 2000, deadlineFactor: 3, headers: 2000, inferenceTotal: 2000, bytes: 1_000_000 },
    });
    const outcome = await outcomeOf(
      methodOf(client, name)(...(requests[name] === undefined ? [] : [requests[name]])),
      name,
    );
    if (outcome.error === undefined) return void seen.values.add(name);
    if (!(outcome.error instanceof ServiceError)) throw new Error(`not typed: ${inspect(outcome.error)}`);
    seen.errors.add(outcome.error.name);
    const { message } = outcome.error;
    const shown = `${inspect(outcome.error, { depth: 20, showHidden: true })}${JSON.stringify(outcome.error)}`;
    expect({
      leaked: forms.filter((form) => shown.includes(form)),
      tooLong: message.length > 2500,
      unfit: /[^\n\P{C}]/u.test(message),
    }).toEqual({ leaked: [], tooLong: false, unfit: false });
  });
  await fc.assert(property, { numRuns: runs, seed, examples: certain.map((call) => [call]) });
  expect(Object.keys(Object.prototype)).toEqual([]);
  expect(Reflect.get({}, "isAdmin")).toBeUndefined();
  // What was tried reached every kind of end, so that the promise above is not an empty one.
  expect([...seen.values].sort()).toEqual(Object.keys(sound).sort());
  expect([...seen.errors].sort()).toEqual(
    [
      ...["BadRequestError", "ConnectionError", "ForbiddenError", "NotFoundError", "OperationUnavailableError"],
      ...["OutcomeUnknownError", "RateLimitedError", "ServerError", "UnauthorizedError", "UnreadableAnswerError"],
    ].sort(),
  );
}, 60_000);

/** Waits for the call, and for the whole of the stream if it is one. */
async function outcomeOf(call: Promise<unknown>, name: string): Promise<{ error?: unknown }> {
  try {
    const value = await call;
    if (name === "chatStream" && isIterable(value)) for await (const _ of value);
    return {};
  } catch (error) {
    return { error: error ?? "nothing was thrown" };
  }
}

function isIterable(value: unknown): value is AsyncIterable<unknown> {
  return typeof value === "object" && value !== null && Symbol.asyncIterator in value;
}

interface Answer {
  status: number;
  headers: Record<string, string>;
  body: Uint8Array;
  pieces: number;
  breaks: boolean;
}

function transportOf(answers: readonly Answer[]): Transport {
  let turn = 0;
  return async (request) => {
    const answer = answers[turn++ % answers.length];
    if (answer === undefined) throw new Error("there is always one");
    const { body: bytes, pieces, breaks } = answer;
    async function* inPieces() {
      const size = Math.max(1, Math.ceil(bytes.length / pieces));
      for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
      if (breaks) throw Object.assign(new Error(`socket closed ${testKey}`), { request });
    }
    return { status: answer.status, headers: answer.headers, body: inPieces() };
  };
}

function alter(
  value: unknown,
  [step = 0, ...path]: readonly number[],
  replacement: unknown,
  how: string,
  key: string,
): unknown {
  if (typeof value !== "object" || value === null) return replacement;
  const entries = Object.entries(value);
  const [at] = entries[step % Math.max(1, entries.length)] ?? [];
  const isLast = path.length === 0 || at === undefined;
  const changed = entries.flatMap(([name, item]): [string, unknown][] => {
    if (name !== at) return [[name, item]];
    if (!isLast) return [[name, alter(item, path, replacement, how, key)]];
    return how === "remove" ? [] : [[name, how === "replace" ? replacement : item]];
  });
  if (isLast && how === "add") changed.push([key, replacement]);
  return Array.isArray(value) ? changed.map(([, item]) => item) : Object.fromEntries(changed);
}

function toBytes(text: string): Uint8Array {
  return Buffer.from(text);
}

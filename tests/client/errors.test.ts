import { inspect } from "node:util";
import {
  BadRequestError,
  ForbiddenError,
  InvalidRequestError,
  NotFoundError,
  OutcomeUnknownError,
  ServiceError,
  UnauthorizedError,
  UnreadableAnswerError,
} from "../../provider/client";
import { closeServices, failureOf, serve, status, testKey } from "./localService";

afterEach(closeServices);

const volume = { region: "us-central-1", label: "data", sizeInGb: 256 } as const;

describe("each meaning has its class, and the message says what was attempted and what came back", () => {
  test("400", async () => {
    const service = await serve(
      status(400, { error: { code: "BAD_REQUEST", message: "region us-central-1 is disabled" } }),
    );
    const error = await failureOf(service.client().createStorageVolume(volume));
    expect(error).toBeInstanceOf(BadRequestError);
    expect(error).toBeInstanceOf(ServiceError);
    expect(error.message).toBe(
      "POST /v2/alpha/on-demand/storage-volumes answered 400: region us-central-1 is disabled",
    );
    expect(error).toMatchObject({
      name: "BadRequestError",
      operation: "createStorageVolume",
      method: "POST",
      path: "/v2/alpha/on-demand/storage-volumes",
      status: 400,
      reason: "region us-central-1 is disabled",
    });
  });

  test("401 says where the key is looked for, and whether there was one", async () => {
    const service = await serve(status(401, { message: "who are you?" }));
    const lastRun =
      "Refresh and destroy use the configuration of the last up: after changing the key, set GPUFLEET_API_KEY or add --run-program.";
    const advice = `The key is read from GPUFLEET_API_KEY, then from gpufleet:apiKey. ${lastRun}`;
    const adviceWithoutKey = `Set GPUFLEET_API_KEY, or run \`pulumi config set --secret gpufleet:apiKey\`. ${lastRun}`;
    const refused = await failureOf(service.client().getBalance());
    expect(refused).toBeInstanceOf(UnauthorizedError);
    expect(refused.message).toBe(
      `GET /billing/get_current_balance answered 401: the API key was rejected (who are you?). ${advice}`,
    );
    const none = await failureOf(service.client({ apiKey: undefined }).getBalance());
    expect(none.message).toBe(
      `GET /billing/get_current_balance answered 401: no API key was sent (who are you?). ${adviceWithoutKey}`,
    );
    const ofProvider = service.client({ names: { apiKey: 'apiKey of Provider "other"' } });
    expect((await failureOf(ofProvider.getBalance())).message).toBe(
      "GET /billing/get_current_balance answered 401: the API key was rejected (who are you?). " +
        'The key is apiKey of Provider "other". Refresh and destroy use the configuration of the last up: after changing the key, add --run-program.',
    );
  });

  test.each([
    [402, BadRequestError],
    [403, ForbiddenError],
    [404, NotFoundError],
    [409, BadRequestError],
    [422, BadRequestError],
  ])("%d", async (code, type) => {
    const service = await serve(status(code, { msg: "no" }));
    const error = await failureOf(service.client().listStorageVolumes());
    expect(error.constructor).toBe(type);
    const about = `. Check that ${service.url} is the right base URL. If it is, the service does not have this list.`;
    const advice = code === 404 ? about : "";
    expect(error.message).toBe(`GET /v2/alpha/on-demand/storage-volumes answered ${code}: no${advice}`);
    expect(service.requests).toHaveLength(1);
  });

  test.each([301, 302, 303, 307, 308, 304])("%d on a list is not followed", async (code) => {
    const other = await serve(status(200, []));
    const service = await serve(status(code, {}, { location: other.url }));
    const error = await failureOf(service.client().listStorageVolumes());
    expect(error).toBeInstanceOf(UnreadableAnswerError);
    expect(error.message).toBe(
      `GET /v2/alpha/on-demand/storage-volumes answered ${code}: redirects are not followed. ` +
        `Check that ${service.url} is the right base URL.`,
    );
    expect(other.requests).toHaveLength(0);
  });

  test("an answer of the wrong shape names the first place that is wrong", async () => {
    const service = await serve(
      status(200, { requests: [{ requestId: "a", costNanoUsd: 1 }, { requestId: true }, {}] }),
    );
    const error = await failureOf(service.client().getRequestCost({ requestIds: ["a"] }));
    expect(error).toBeInstanceOf(UnreadableAnswerError);
    expect(error.message).toBe(
      "POST /v2/usage/request-cost answered 200: the answer could not be read: " +
        "requests[1].requestId true must be a string",
    );
  });

  test.each([
    ["[", "it is not JSON"],
    ["<html>hello</html>", "it is not JSON"],
    ["", "it is empty"],
    ["{}", "it is not a list"],
    ['{"a":1', "it is not JSON"],
    ["null", "it is not a list"],
  ])("a list that answers %j is unreadable, and never empty", async (body, problem) => {
    const service = await serve((_, response) => void response.end(body));
    const error = await failureOf(service.client().listBareMetalRentals());
    expect(error).toBeInstanceOf(UnreadableAnswerError);
    expect(error.message).toBe(
      `GET /v2/alpha/on-demand/bare-metal-rentals answered 200: the answer could not be read: ${problem}`,
    );
  });
});

describe("a request that is not valid", () => {
  test("is refused with a line per problem: property, value, what is allowed", async () => {
    const service = await serve(status(200, {}));
    const error = await failureOf(
      service.client().createStorageVolume({ region: "us-central-1", label: "a b", sizeInGb: 300, rentalIds: [1, -2] }),
    );
    expect(error).toBeInstanceOf(InvalidRequestError);
    expect(error.message).toBe(
      [
        "POST /v2/alpha/on-demand/storage-volumes: not sent, the request is invalid:",
        '  label "a b": must have at least 4 characters',
        '  label "a b": must have only letters, digits, underscores and hyphens',
        "  sizeInGb 300: must be a multiple of 256",
        "  rentalIds[1] -2: must be more than 0",
      ].join("\n"),
    );
    expect(service.requests).toHaveLength(0);
  });

  test("names nested fields, unknown fields and the values of an enumeration", async () => {
    const service = await serve(status(200, {}));
    const request = { networkType: "wifi", gpuCount: 12, storageVolume: { isNew: true, label: "data" }, gpucount: 8 };
    const error = await failureOf(Reflect.apply(service.client().createBareMetalRental, undefined, [request]));
    expect(error.message).toBe(
      [
        "POST /v2/alpha/on-demand/bare-metal-rentals: not sent, the request is invalid:",
        '  networkType "wifi": must be one of infiniband, ethernet',
        "  gpuCount 12: must be a multiple of 8",
        "  storageVolume.sizeInGb (missing): must be a number",
        "  gpucount 8: is not a field of this operation",
      ].join("\n"),
    );
  });

  test("that JSON cannot hold is refused too", async () => {
    const service = await serve(status(200, {}));
    const error = await failureOf(service.client().generateAudio({ text: "hi", speed: 1n }));
    expect(error).toBeInstanceOf(InvalidRequestError);
    expect(service.requests).toHaveLength(0);
  });
});

describe("the key is in no error", () => {
  const forms = [testKey, encodeURIComponent(testKey), Buffer.from(testKey).toString("base64")];
  const echoes: [string, string][] = [
    ["a message", JSON.stringify({ message: `bad key ${testKey}` })],
    ["its encoded forms", JSON.stringify({ error: forms.join(" ") })],
    ["a title", `<html><title>${testKey}</title></html>`],
    ["plain text", `Authorization: Bearer ${testKey}`],
    ["a field name", JSON.stringify({ detail: [{ loc: [testKey], msg: testKey }] })],
  ];

  test.each(echoes)("where the service echoes it in %s", async (_, body) => {
    for (const code of [400, 401, 403, 404, 429, 500, 200]) {
      const service = await serve((__, response) => void response.writeHead(code).end(body));
      for (const call of [service.client().listStorageVolumes(), service.client().createStorageVolume(volume)]) {
        const error = await failureOf(call);
        const shown = inspect(error, { depth: 20, showHidden: true }) + JSON.stringify(error);
        for (const form of forms) expect(shown).not.toContain(form);
      }
    }
  });

  test("where the service echoes it as a value of the wrong type", async () => {
    const service = await serve(status(200, { requests: testKey }));
    const error = await failureOf(service.client().getRequestCost({ requestIds: ["a"] }));
    expect(error.message).toContain('requests "[redacted]" must be an array');
  });

  test("where the transport's own error holds the request", async () => {
    const service = await serve(status(200, {}));
    const transport = async (request: object) => {
      throw Object.assign(new Error(`failed with ${testKey}`), { request });
    };
    const error = await failureOf(service.client({ transport }).createStorageVolume(volume));
    expect(error).toBeInstanceOf(OutcomeUnknownError);
    expect(inspect(error, { depth: 20, showHidden: true })).not.toContain(testKey);
  });

  test("where the request itself holds it and is not valid", async () => {
    const service = await serve(status(200, {}));
    const error = await failureOf(service.client().createStorageVolume({ ...volume, label: testKey }));
    expect(error.message).toContain('label "[redacted]": must have only letters');
  });
});

test("escape sequences and long texts of the service do not reach the terminal", async () => {
  const service = await serve(status(400, { message: `\u001b]0;title\u0007\u001b[2Jno\u202e ${"x".repeat(100_000)}` }));
  const error = await failureOf(service.client().listStorageVolumes());
  expect(error.message).toMatch(/^GET \S+ answered 400: no x{496}…$/);
});

test("__proto__ in an answer has no effect, however it is written", async () => {
  const body = '{"credits":100,"__proto__":{"a":1},"\\u005f_proto__":{"b":1},"deep":{"__proto__":{"c":1},"kept":1}}';
  const service = await serve((_, response) => void response.end(body));
  const balance = await service.client().getBalance();
  expect(balance).toEqual({ credits: 100, usd: 1, deep: { kept: 1 } });
  expect(Object.getPrototypeOf(balance)).toBe(Object.prototype);
  expect(JSON.stringify(balance)).not.toContain("__proto__");
});

import { OutcomeUnknownError } from "../../../provider/client";
import { collections } from "../../../provider/service";
import { closeServices, failureOf, type Handler, json, serve } from "../localService";

afterEach(closeServices);

const text =
  (body: string): Handler =>
  (_, response) =>
    void response.end(body);
const answers: [string, Handler, { message: string | undefined; body: unknown }][] = [
  ["nothing", text(""), { message: undefined, body: undefined }],
  ["204", (_, response) => void response.writeHead(204).end(), { message: undefined, body: undefined }],
  ["true", text("true"), { message: undefined, body: true }],
  ["null", text("null"), { message: undefined, body: null }],
  ["text", text("terminating"), { message: undefined, body: "terminating" }],
  ["text in JSON", text('"ok"'), { message: undefined, body: "ok" }],
  ["a list", text("[]"), { message: undefined, body: [] }],
  [
    "202 and a message",
    (_, response) => json(response, 202, { message: "bye" }),
    { message: "bye", body: { message: "bye" } },
  ],
  [
    "a refusal, which the caller is to see",
    (_, response) => json(response, 200, { status: 5, message: ["no"], ok: false }),
    { message: undefined, body: { status: 5, message: ["no"], ok: false } },
  ],
];

describe("any 2xx accepts an end or an attach, whatever it answers", () => {
  test.each(answers)("an instance: %s", async (_, answer, result) => {
    const service = await serve(answer);
    await expect(service.client().terminateMarketplaceInstance({ id: "i-1" })).resolves.toEqual(result);
    expect(service.requests.map(({ body }) => body)).toEqual(['{"id":"i-1"}']);
  });

  test.each(answers)("a rental: %s", async (_, answer, result) => {
    const service = await serve((request, response, index) =>
      request.path === "/v2/openapi.json" ? json(response, 404, {}) : answer(request, response, index),
    );
    const ended = service.client().terminateRental({ rentalId: 12, rentalType: "bare-metal" });
    await expect(ended).resolves.toEqual(result);
    expect(service.lines().at(-1)).toBe(`POST ${collections.bareMetal}/terminate`);
  });

  test.each(answers)("an attach: %s", async (_, answer, result) => {
    const service = await serve(answer);
    const attached = service.client().attachStorageVolume({ storageVolumeId: 1, rentalIds: [2] });
    await expect(attached).resolves.toMatchObject(result);
    expect(service.requests).toHaveLength(1);
  });

  test("but not a web page, which is a proxy's", async () => {
    const service = await serve(text("<!doctype html><title>Sign in</title>"));
    const error = await failureOf(service.client().terminateMarketplaceInstance({ id: "i-1" }));
    expect(error).toBeInstanceOf(OutcomeUnknownError);
  });
});

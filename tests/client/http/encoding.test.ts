import { gzipSync } from "node:zlib";
import { NotFoundError, OutcomeUnknownError, UnreadableAnswerError } from "../../../provider/client";
import { closeServices, failureOf, type Handler, json, serve } from "../localService";

afterEach(closeServices);

const packed =
  (status: number, body: object): Handler =>
  (_, response) => {
    response.writeHead(status, { "content-type": "application/json", "content-encoding": "gzip" });
    response.end(gzipSync(JSON.stringify(body)));
  };

test("answers are asked for as they are, and streams, too", async () => {
  const service = await serve((_, response) => json(response, 200, { credits: 1 }));
  const client = service.client();
  await client.getBalance();
  await client.chatStream({ model: "m", messages: [] }).catch(() => {});
  expect(service.requests.map(({ headers }) => headers["accept-encoding"])).toEqual(["identity", "identity"]);
});

test("an answer that is encoded all the same says so", async () => {
  const service = await serve(packed(200, { credits: 1 }));
  const error = await failureOf(service.client().getBalance());
  expect(error).toBeInstanceOf(UnreadableAnswerError);
  expect(error.message).toBe(
    "GET /billing/get_current_balance answered 200: the answer could not be read: it is encoded as gzip",
  );
});

test.each(["none", "utf-8", "identity", "binary"])("what is called %s is not encoded", async (coding) => {
  const service = await serve((_, response) => {
    response.writeHead(200, { "content-type": "application/json", "content-encoding": coding });
    response.end(JSON.stringify({ credits: 1 }));
  });
  await expect(service.client().getBalance()).resolves.toBeDefined();
});

test("so does a stream, when it is opened", async () => {
  const service = await serve(packed(200, {}));
  const error = await failureOf(
    service.client().chatStream({ model: "m", messages: [{ role: "user", content: "a" }] }),
  );
  expect(error.message).toContain(
    "POST /v1/chat/completions answered 200: the answer could not be read: it is encoded as gzip",
  );
});

test("what became of a create that is answered so is unknown", async () => {
  const service = await serve(packed(200, { id: 1 }));
  const error = await failureOf(service.client().createVmRental({ gpuCount: 1 }));
  expect(error).toBeInstanceOf(OutcomeUnknownError);
  expect(error.message).toContain("it is encoded as gzip");
  expect(service.requests).toHaveLength(1);
});

test("an error that is encoded is told by its status", async () => {
  const service = await serve(packed(404, { error: "x" }));
  const error = await failureOf(service.client().listBareMetalRentals());
  expect(error).toBeInstanceOf(NotFoundError);
  expect(error.message).toMatch(/ answered 404: Not Found\. /);
});

test.each(["identity", ""])("an encoding that is none is none: %j", async (coding) => {
  const service = await serve((_, response) => json(response, 200, { credits: 1 }, { "content-encoding": coding }));
  await expect(service.client().getBalance()).resolves.toBeDefined();
});

test("nothing is encoded as nothing", async () => {
  const service = await serve((_, response) => void response.writeHead(204, { "content-encoding": "gzip" }).end());
  await expect(service.client().terminateMarketplaceInstance({ id: "a" })).resolves.toBeDefined();
});

import {
  BadRequestError,
  NotFoundError,
  OperationUnavailableError,
  OutcomeUnknownError,
} from "../../../provider/client";
import { closeServices, failureOf, type Handler, json, serve } from "../localService";
import { bareMetal, bodyOf, done, rental, routes, storageVolume } from "./discovered";

afterEach(closeServices);

const advice =
  "If the service wants this request in another form, configure that in gpufleet:operations, for example " +
  `{"terminateBareMetalRental":{"method":"POST","path":"${bareMetal}/terminate","idField":"id","fields":{"reason":"unused"}}}; ` +
  "{id} in the path stands for the id, and fields are constants that are sent along. Destroy uses new configuration only with --run-program.";

/** Takes the id as `id`, and refuses everything else. */
const takingId =
  (refusal: string, status = 400): Handler =>
  (request, ...rest) =>
    bodyOf(request).id === undefined ? json(rest[0], status, { message: refusal }) : done(request, ...rest);

describe("what nobody describes, and the service wants in another form,", () => {
  test.each([
    [400, "id is required"],
    [400, "Invalid input data"],
    [400, "Bad Request"],
    [400, "body.id: Required"],
    [422, "Unprocessable Entity"],
    [422, "Field required"],
    [400, "id must be a number"],
    [400, "Unrecognized key(s) in object: 'rentalId'"],
    [400, "property rentalId should not exist"],
  ])("is sent with {id} after %i %s, and at once from then on", async (status, refusal) => {
    const service = await serve(routes({ [`POST ${bareMetal}/terminate`]: takingId(refusal, status) }, { paths: {} }));
    const client = service.client();
    await client.terminateRental(rental);
    await client.terminateRental({ ...rental, rentalId: 13 });
    expect(service.requests.slice(1).map(bodyOf)).toEqual([{ rentalId: 12 }, { id: 12 }, { id: 13 }]);
  });

  test("is refused for what it asks for, and not for the form that nobody takes", async () => {
    const handler: Handler = (request, response) =>
      bodyOf(request).id === undefined
        ? json(response, 400, { message: "id is required" })
        : json(response, 409, { message: "the rental is locked" });
    const service = await serve(routes({ [`POST ${bareMetal}/terminate`]: handler }, { paths: {} }));
    const error = await failureOf(service.client().terminateRental(rental));
    expect(error.message).toBe(`POST ${bareMetal}/terminate answered 409: the rental is locked`);
  });

  test("is refused in every form: the error is that of the usual one, with a way out", async () => {
    const handler: Handler = (_, response) => json(response, 400, { message: "reason is required" });
    const service = await serve(routes({ [`POST ${bareMetal}/terminate`]: handler }, { paths: {} }));
    const error = await failureOf(service.client().terminateRental(rental));
    expect(error).toBeInstanceOf(BadRequestError);
    expect(error.message).toBe(`POST ${bareMetal}/terminate answered 400: reason is required. ${advice}`);
    expect(service.requests.slice(1).map(bodyOf)).toEqual([{ rentalId: 12 }, { id: 12 }]);
  });

  test.each([
    [400, "billing account not found for this rental"],
    [400, "Rental must be running"],
    [409, "id is required"],
  ])("is sent once where the refusal is another: %i %s", async (status, message) => {
    const handler: Handler = (_, response) => json(response, status, { message });
    const service = await serve(routes({ [`POST ${bareMetal}/terminate`]: handler }, { paths: {} }));
    const error = await failureOf(service.client().terminateRental(rental));
    expect(error.message).toBe(`POST ${bareMetal}/terminate answered ${status}: ${message}`);
    expect(service.requests).toHaveLength(2);
  });

  test("is sent as a DELETE where there is no such operation, and at once from then on", async () => {
    const service = await serve(
      routes({ [`DELETE ${bareMetal}/12`]: done, [`DELETE ${bareMetal}/13`]: done }, { paths: {} }),
    );
    const client = service.client();
    await client.terminateRental(rental);
    await client.terminateRental({ ...rental, rentalId: 13 });
    const usual = `POST ${bareMetal}/terminate`;
    expect(service.lines().slice(1)).toEqual([usual, usual, usual, `DELETE ${bareMetal}/12`, `DELETE ${bareMetal}/13`]);
  });

  test.each([
    [405, "rental not found", OperationUnavailableError],
    [404, "Not Found", OperationUnavailableError],
    // What speaks of the rental knows the form.
    [404, "rental not found", NotFoundError],
    [400, "rental not found", BadRequestError],
    // And what became of this one is not known.
    [503, "busy", OutcomeUnknownError],
  ])("where the DELETE is answered %i with %j, fails in the way of that answer", async (status, message, expected) => {
    const handler: Handler = (_, response) => json(response, status, { message });
    const service = await serve(routes({ [`DELETE ${bareMetal}/12`]: handler }, { paths: {} }));
    const error = await failureOf(service.client().terminateRental(rental));
    expect(error).toBeInstanceOf(expected);
  });

  test("is used by all that end at once, and what it says of one that has ended is no word of the others", async () => {
    const ended = new Set<string>();
    const handler =
      (id: number): Handler =>
      (_, response) => {
        const isFirst = !ended.has(String(id));
        ended.add(String(id));
        json(response, isFirst ? 200 : 404, isFirst ? {} : { error: "NOT_FOUND" });
      };
    const ids = [12, 13, 14, 15, 16, 17];
    const handlers = Object.fromEntries(ids.map((id) => [`DELETE ${bareMetal}/${id}`, handler(id)]));
    const service = await serve(routes(handlers, { paths: {} }));
    const client = service.client();
    const end = (rentalId: number) => client.terminateRental({ ...rental, rentalId });
    await Promise.all(ids.slice(0, 5).map(end));
    expect(await failureOf(end(12))).toBeInstanceOf(NotFoundError);
    await end(17);
    expect(ended.size).toBe(ids.length);
  });
});

describe("a volume, whose record may have an id of its own,", () => {
  const listed =
    (...records: object[]): Handler =>
    (_, response) =>
      json(response, 200, records);
  const volume = (id: number, storageVolumeId: number) => ({ ...anyVolume, id, storageVolumeId });
  const anyVolume = { label: "data", region: "us-central-1", status: "active", sizeInGb: 256, attachedRentals: [] };

  test.each([
    ["is deleted by {id} where that is its only one", [volume(7, 7), volume(8, 8)], true],
    ["is not where its record has another", [volume(3, 7)], false],
    ["is not where it is the id of another record", [volume(3, 7), volume(7, 9)], false],
    ["is not where no list shows it", [volume(8, 8)], false],
    ["is not beside a record that cannot be read", [volume(7, 7), { label: "data" }], false],
  ])("%s", async (_, records, isDeleted) => {
    const service = await serve(
      routes(
        { [`POST ${storageVolume}/delete`]: takingId("id is required"), [`GET ${storageVolume}`]: listed(...records) },
        { paths: {} },
      ),
    );
    const deleted = service.client().deleteStorageVolume({ storageVolumeId: 7 });
    if (isDeleted) await deleted;
    else expect((await failureOf(deleted)).message).toMatch(/answered 400: id is required\. If the service wants/);
    const sent = service.requests.filter(({ method }) => method === "POST").map(bodyOf);
    expect(sent).toEqual(isDeleted ? [{ storageVolumeId: 7 }, { id: 7 }] : [{ storageVolumeId: 7 }]);
  });

  test("is not deleted by the number of another one's record, also where {id} was accepted before", async () => {
    const service = await serve(
      routes(
        {
          [`POST ${storageVolume}/delete`]: takingId("id is required"),
          [`GET ${storageVolume}`]: listed(volume(5, 5), volume(7, 9), volume(9, 12)),
        },
        { paths: {} },
      ),
    );
    const client = service.client();
    await client.deleteStorageVolume({ storageVolumeId: 5 });
    expect((await failureOf(client.deleteStorageVolume({ storageVolumeId: 9 }))).message).toMatch(/id is required/);
    const sent = service.requests.filter(({ method }) => method === "POST").map(bodyOf);
    expect(sent).toEqual([{ storageVolumeId: 5 }, { id: 5 }, { storageVolumeId: 9 }]);
  });
});

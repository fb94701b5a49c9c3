import { NotFoundError, UnreadableAnswerError } from "../../../provider/client";
import { closeServices, failureOf, type Handler, json, serve, skippingClock } from "../localService";
import { bareMetal, rental, routes, storageVolume } from "./discovered";

afterEach(closeServices);

test("What the usual form, once it was accepted, says of one that has ended is no word of the others", async () => {
  const ended = new Set<unknown>();
  const end: Handler = (request, response) => {
    const { rentalId } = JSON.parse(String(request.body));
    const isFirst = !ended.has(rentalId) && rentalId !== 13;
    ended.add(rentalId);
    json(response, isFirst ? 200 : 404, isFirst ? {} : { error: "NOT_FOUND" });
  };
  const service = await serve(routes({ [`POST ${bareMetal}/terminate`]: end }, { paths: {} }));
  const client = service.client({ clock: skippingClock() });
  await client.terminateRental(rental); // 12 is accepted
  expect(await failureOf(client.terminateRental({ ...rental, rentalId: 13 }))).toBeInstanceOf(NotFoundError);
  await client.terminateRental({ ...rental, rentalId: 14 });
});

const volume = { label: "data", region: "us-central-1", status: "active", sizeInGb: 256, attachedRentals: [] };
test.each([
  [{ [`${storageVolume}/{id}`]: { delete: {} } }],
  [
    {
      [`${storageVolume}/delete`]: {
        post: {
          requestBody: { content: { "application/json": { schema: { properties: { id: { type: "integer" } } } } } },
        },
      },
    },
  ],
])(
  "A volume is not deleted by the number of another one's record, where the description says id: %j",
  async (described) => {
    const service = await serve((request, response) => {
      if (request.path === "/v2/openapi.json") return json(response, 200, { paths: described });
      if (request.method === "GET")
        return json(response, 200, [
          { ...volume, id: 3, storageVolumeId: 7 },
          { ...volume, id: 7, storageVolumeId: 9 },
        ]);
      json(response, 200, {});
    });
    await service
      .client()
      .deleteStorageVolume({ storageVolumeId: 7 })
      .catch(() => undefined);
    expect(
      service.requests
        .filter(({ method }) => method !== "GET")
        .map(({ method, path, body }) => `${method} ${path} ${body}`),
    ).toEqual([]);
  },
);

test("A description that is an error is asked for again", async () => {
  let first = true;
  const end = `${bareMetal}/{id}/end`;
  const service = await serve((request, response) => {
    if (request.path === "/v2/openapi.json") {
      const body = first ? { error: { message: "upstream timed out" } } : { paths: { [end]: { post: {} } } };
      first = false;
      return json(response, 200, body);
    }
    if (request.path === end.replace("{id}", "12")) return json(response, 200, {});
    json(response, 404, { message: `Cannot ${request.method} ${request.path}` });
  });
  const client = service.client({ clock: skippingClock() });
  expect(
    await client.terminateRental(rental).then(
      () => undefined,
      (error) => error,
    ),
  ).toBeInstanceOf(UnreadableAnswerError);
  await client.terminateRental(rental);
});

test("One look tells of all volumes that are deleted at once, which number is that of another one's record", async () => {
  const service = await serve((request, response) => {
    if (request.path === "/v2/openapi.json") {
      return json(response, 200, { paths: { [`${storageVolume}/{id}`]: { delete: {} } } });
    }
    if (request.method === "GET") {
      return json(
        response,
        200,
        [7, 8, 9].map((id) => ({ ...volume, id, storageVolumeId: id })),
      );
    }
    json(response, 200, {});
  });
  const client = service.client();
  await Promise.all([7, 8, 9].map((storageVolumeId) => client.deleteStorageVolume({ storageVolumeId })));
  const sent = service.requests.map(({ method, path }) => `${method} ${path}`);
  expect(sent.filter((one) => one === `GET ${storageVolume}`)).toHaveLength(1);
  expect(sent.filter((one) => one.startsWith("DELETE"))).toHaveLength(3);
});

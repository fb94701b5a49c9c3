import { NotFoundError } from "../../../provider/client";
import { closeServices, failureOf, type Handler, json, serve } from "../localService";

afterEach(closeServices);

const notFound =
  (body: unknown): Handler =>
  (_, response) =>
    json(response, 404, body);

describe("A 404 that says that there is nothing to list", () => {
  test.each([
    "No rentals found",
    "No rentals found.",
    "There are no active rentals",
    "There are currently no bare-metal rentals for this account",
    "No instances exist",
    "no active GPU rentals yet",
  ])("is an empty list: %s", async (message) => {
    const service = await serve(notFound({ error: { code: "NOT_FOUND", message } }));
    await expect(service.client().listBareMetalRentals()).resolves.toEqual([]);
    await expect(service.client().listVmRentals()).resolves.toEqual([]);
    expect(service.lines().filter((line) => line.includes("bare-metal"))).toHaveLength(1);
  });

  test.each(["no storage volumes", "No volumes found"])("is an empty list of volumes: %s", async (message) => {
    const service = await serve(notFound({ message, error_code: "NOT_FOUND" }));
    await expect(service.client().listStorageVolumes()).resolves.toEqual([]);
    expect(await failureOf(service.client().listBareMetalRentals())).toBeInstanceOf(NotFoundError);
  });

  test.each([
    "Not Found",
    "no Route matched with those values",
    "rental list not found",
    "Cannot GET /v2/alpha/on-demand/bare-metal-rentals",
    "No rentals found at this path",
    "No rentals API found",
    "no such rental",
    "No volumes found",
    "no organization found for these rentals",
  ])("is not meant by %s: the error names what may be wrong", async (message) => {
    const service = await serve(notFound({ message }));
    const error = await failureOf(service.client().listBareMetalRentals());
    expect(error).toBeInstanceOf(NotFoundError);
    expect(error.message).toBe(
      `GET /v2/alpha/on-demand/bare-metal-rentals answered 404: ${message}. ` +
        `Check that ${service.url} is the right base URL. If it is, the service does not have this list.`,
    );
  });

  test("is believed in JSON only, and of a first page only", async () => {
    const plain = await serve((_, response) => void response.writeHead(404).end("No rentals found"));
    expect(await failureOf(plain.client().listBareMetalRentals())).toBeInstanceOf(NotFoundError);
    const paged = await serve((request, ...rest) =>
      request.path.includes("page=2")
        ? notFound({ message: "No rentals found" })(request, ...rest)
        : json(rest[0], 200, [{ id: 1 }], { link: '<?page=2>; rel="next"' }),
    );
    expect(await failureOf(paged.client().listBareMetalRentals())).toBeInstanceOf(NotFoundError);
  });
});

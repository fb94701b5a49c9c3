import { findDescribed } from "../../../provider/client/discovery/openApi";
import { collections } from "../../../provider/service";

const { bareMetal, virtualMachine, storageVolume } = collections;

const body = (schema: unknown) => ({ requestBody: { content: { "application/json": { schema } } } });
const properties = (...names: string[]) => ({
  type: "object",
  properties: Object.fromEntries(names.map((name) => [name, {}])),
});
const described = (paths: object, more: object = {}) => ({ openapi: "3.1.0", paths, ...more });

describe("an operation is found by its path and the field that carries the id", () => {
  test.each([
    ["rentalId", ["rentalId", "reason"]],
    ["rentalId", ["id", "rentalId"]],
    ["id", ["id"]],
    ["rental_id", ["rental_id"]],
    ["machineId", ["force", "machineId"]],
  ])("POST <collection>/terminate with %s, of %j", (idField, names) => {
    const document = described({ [`${bareMetal}/terminate`]: { post: body(properties(...names)) } });
    expect(findDescribed(document, "terminateBareMetalRental")).toEqual({
      method: "POST",
      path: `${bareMetal}/terminate`,
      idField,
      ...(idField === "id" && { idForm: { isPlain: true } }),
    });
    expect(findDescribed(document, "terminateVmRental")).toBeUndefined();
  });

  test.each(["end", "cancel", "delete", "destroy", "remove", "release"])("POST <collection>/%s", (verb) => {
    const document = described({ [`${virtualMachine}/${verb}`]: { post: body(properties("id")) } });
    expect(findDescribed(document, "terminateVmRental")).toMatchObject({
      path: `${virtualMachine}/${verb}`,
      idField: "id",
    });
  });

  test("POST <collection>/{id}/terminate", () => {
    const document = described({ [`${bareMetal}/{rental}/terminate`]: { post: {} } });
    expect(findDescribed(document, "terminateBareMetalRental")).toEqual({
      method: "POST",
      path: `${bareMetal}/{id}/terminate`,
      idField: undefined,
    });
  });

  test("DELETE <collection>/{anything}", () => {
    const document = described({ [`${storageVolume}/{volumeId}`]: { get: {}, delete: {} } });
    expect(findDescribed(document, "deleteStorageVolume")).toEqual({
      method: "DELETE",
      path: `${storageVolume}/{id}`,
      idField: undefined,
    });
  });

  test("GET <collection>", () => {
    expect(findDescribed(described({ [virtualMachine]: { get: {}, post: {} } }), "listVmRentals")).toEqual({
      method: "GET",
      path: virtualMachine,
      idField: undefined,
    });
    expect(findDescribed(described({ [virtualMachine]: { post: {} } }), "listVmRentals")).toBeUndefined();
  });

  test("POST <collection>/detach is not taken to carry its volume among the rentals", () => {
    const document = described({
      [`${storageVolume}/detach`]: { post: body(properties("rentalIds", "storageVolumeIds")) },
    });
    expect(findDescribed(document, "detachStorageVolume")).toMatchObject({
      idField: "storageVolumeIds",
      idForm: { isList: true },
    });
  });

  test("POST <collection>/detach", () => {
    const document = described({ [`${storageVolume}/detach`]: { post: body(properties("volumeId", "rentalIds")) } });
    expect(findDescribed(document, "detachStorageVolume")).toMatchObject({ method: "POST", idField: "volumeId" });
  });

  test("where the version stands in the server's URL and not in the paths", () => {
    const document = described({ "/alpha/on-demand/bare-metal-rentals/terminate": { post: body(properties("id")) } });
    expect(findDescribed(document, "terminateBareMetalRental")).toMatchObject({ path: `${bareMetal}/terminate` });
  });

  test("through references, within the document and only there", () => {
    const components = {
      requestBodies: { End: body({ $ref: "#/components/schemas/End~1It" }).requestBody },
      schemas: {
        "End/It": { allOf: [{ $ref: "#/components/schemas/Base" }, properties("reason")] },
        Base: properties("id"),
      },
    };
    const path = `${bareMetal}/terminate`;
    const inside = described(
      { [path]: { post: { requestBody: { $ref: "#/components/requestBodies/End" } } } },
      { components },
    );
    expect(findDescribed(inside, "terminateBareMetalRental")).toMatchObject({ idField: "id" });
    const outside = described({ [path]: { post: body({ $ref: "https://evil.example/schema.json" }) } });
    expect(findDescribed(outside, "terminateBareMetalRental")).toMatchObject({ idField: "rentalId" });
    const circle = described({ [path]: { post: body({ $ref: "#/x" }) } }, { x: { $ref: "#/x" } });
    expect(findDescribed(circle, "terminateBareMetalRental")).toMatchObject({ idField: "rentalId" });
  });
});

describe("what the service requires beside the id is sent along, where it is known:", () => {
  const withReason = (reason: object, required = ["rentalId", "reason"]) =>
    described({
      [`${bareMetal}/terminate`]: {
        post: body({ type: "object", required, properties: { rentalId: { type: "integer" }, reason } }),
      },
    });
  const fieldsOf = (document: object) => findDescribed(document, "terminateBareMetalRental")?.fields;

  test.each([
    ["a sentence", { type: "string" }, "requested by pulumi-gpufleet"],
    ["as much of it as there is room for", { type: "string", maxLength: 9 }, "requested"],
    ["of several values one that fits", { enum: ["FRAUD", "OTHER", "USER_REQUEST"] }, "USER_REQUEST"],
    ["or at least one that says nothing", { enum: ["fraud", "other"] }, "other"],
    ["the only value", { const: "end" }, "end"],
    ["the only value of a list", { type: "boolean", enum: [true] }, true],
  ])("%s", (_, schema, expected) => {
    expect(fieldsOf(withReason(schema))).toEqual({ reason: expected });
  });

  test("nothing that only a person knows, or that is not required", () => {
    expect(fieldsOf(withReason({ enum: ["fraud", "abuse"] }))).toBeUndefined();
    expect(fieldsOf(withReason({ type: "integer" }))).toBeUndefined();
    expect(fieldsOf(withReason({ type: "string" }, ["rentalId"]))).toBeUndefined();
    expect(fieldsOf(withReason({ type: "string" }, ["rentalId", "ticket"]))).toBeUndefined();
  });

  test("also where the id is in the path", () => {
    const schema = { type: "object", required: ["reason"], properties: { reason: { type: "string" } } };
    const document = described({ [`${storageVolume}/{id}`]: { delete: body(schema) } });
    expect(findDescribed(document, "deleteStorageVolume")).toEqual({
      method: "DELETE",
      path: `${storageVolume}/{id}`,
      idField: undefined,
      idForm: { isPlain: true },
      fields: { reason: "requested by pulumi-gpufleet" },
    });
  });
});

describe("nothing is taken for what it is not", () => {
  test.each([
    ["stopping is not ending", { [`${bareMetal}/stop`]: { post: {} } }],
    ["a GET ends nothing", { [`${bareMetal}/terminate`]: { get: {} } }],
    ["deleting the whole collection is not deleting one", { [bareMetal]: { delete: {} } }],
    ["nor where the id may be left out", { [bareMetal]: { delete: body(properties("rentalId")) } }],
    ["nor with a parameter that may be", { [bareMetal]: { delete: { parameters: [{ name: "id", in: "query" }] } } }],
    ["an id of something else", { [`${bareMetal}/terminate`]: { post: body(properties("requestId", "orgId")) } }],
    ["a PATCH changes something that stays", { [`${bareMetal}/terminate`]: { patch: body(properties("id")) } }],
    ["another collection", { "/v2/alpha/on-demand/bare-metal-rentals-archive/terminate": { post: {} } }],
    ["something deeper", { [`${bareMetal}/{id}/volumes/{volume}`]: { delete: {} } }],
    ["ending all", { [`${bareMetal}/terminate-all`]: { post: {} } }],
  ])("%s", (_, paths) => {
    expect(findDescribed(described(paths), "terminateBareMetalRental")).toBeUndefined();
  });

  test("deleting a volume is not detaching it", () => {
    const document = described({ [`${storageVolume}/{id}`]: { delete: {} } });
    expect(findDescribed(document, "detachStorageVolume")).toBeUndefined();
  });

  test.each([undefined, null, 1, "x", [], {}, { paths: 1 }, { paths: [] }, { paths: { [bareMetal]: null } }])(
    "a document %j describes nothing",
    (document) => {
      expect(findDescribed(document, "terminateBareMetalRental")).toBeUndefined();
    },
  );
});

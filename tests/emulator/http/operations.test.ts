import { type OperationName, operations } from "../../../provider/service";
import { contract, requests } from "../../contract/cases";
import { conformanceOf } from "../description";
import { createRig, paths, type Rig } from "../rig";
import { typed } from "../typed";

/** Requests that ask for more than those of the contract do. */
const richer: Partial<Record<OperationName, unknown>> = {
  createBareMetalRental: {
    networkType: "ethernet",
    gpuCount: 16,
    label: "train",
    termType: "reserved",
    termPeriodDays: 30,
    discountPercentage: 25,
    storageVolume: { isNew: true, label: "scratch", sizeInGb: 300 },
  },
  createStorageVolume: { region: "us-central-1", label: "data", sizeInGb: 512, rentalIds: [1001] },
  createVmRental: { gpuCount: 2, label: "dev", customPorts: [8080] },
};

/** A rental, a volume, a running and an ended instance, so that no list is empty. */
async function prepare(rig: Rig) {
  const { createBareMetal, createVm, createVolume, listMachines, createInstance } = typed(rig);
  await createBareMetal({ networkType: "ethernet", label: "first" });
  await createVm({ label: "dev" });
  await createVolume({ rentalIds: [1001] });
  const machine = (await listMachines()).find(({ gpus_total, gpus_reserved }) => gpus_total - gpus_reserved > 2);
  const wanted = { cluster_name: machine?.cluster_name, node_name: machine?.id, gpu_count: 1 };
  const image = { name: "nginx", tag: "1", port: 80 };
  const running = await createInstance({ ...wanted, image });
  const ended = await createInstance(wanted);
  await rig.ok("POST", `${paths.instances}/terminate`, { id: ended.instanceId });
  rig.emulator.clock.advance(60);
  return { wanted, running };
}

describe("every answer is what the description and the table say", () => {
  test.each(Object.entries(operations))("%s", async (name, operation) => {
    const rig = createRig();
    const { wanted, running } = await prepare(rig);
    for (const earlier of new Map(Object.entries(contract)).get(name)?.after ?? []) {
      await rig.ok(operations[earlier].method, operations[earlier].path, requests[earlier]);
    }
    const conformance = await conformanceOf(rig);
    const prepared = { createMarketplaceInstance: wanted, terminateMarketplaceInstance: { id: running.instanceId } };
    const bodies: Record<string, unknown> = { ...requests, ...richer, ...prepared };
    const reply = await rig.call(operation.method, operation.path, bodies[name]);
    expect(reply).toMatchObject({ status: 200 });
    expect(conformance.problemOf(operation.method, operation.path, reply)).toBeUndefined();
    expect(operation.response.safeParse(reply.body).error).toBeUndefined();
  });

  test("the check itself notices a field that is not documented", async () => {
    const rig = createRig();
    await prepare(rig);
    const conformance = await conformanceOf(rig);
    const { body } = await rig.call("GET", paths.bareMetal);
    const spoilt = Array.isArray(body) ? body.map((record) => ({ ...record, surprise: 1 })) : [];
    expect(conformance.problemOf("GET", paths.bareMetal, { status: 200, body: spoilt })).toContain(
      "must NOT have additional properties",
    );
    expect(conformance.problemOf("GET", paths.bareMetal, { status: 418, body })).toContain("may not answer 418");
  });
});

describe("the key", () => {
  const withKey = Object.entries(operations).filter(([, { key }]) => key);

  test.each(withKey)("%s answers 401 without it", async (_, { method, path }) => {
    const { call } = createRig();
    const body = method === "POST" ? {} : undefined;
    expect(await call(method, path, body, { authorization: "" })).toMatchObject({
      status: 401,
      headers: { "www-authenticate": "Bearer" },
      body: { error: { code: "UNAUTHORIZED", message: "the API key was rejected" } },
    });
  });

  test("must be the right one", async () => {
    const { call } = createRig();
    expect((await call("GET", paths.volumes, undefined, { authorization: "Bearer other" })).status).toBe(401);
  });

  test("is not needed to see the machines of the marketplace", async () => {
    const { call } = createRig();
    expect((await call("POST", paths.market, { filters: {} }, { authorization: "" })).status).toBe(200);
  });
});

describe("what is not understood", () => {
  test("an unknown path is 404", async () => {
    const { call } = createRig();
    expect(await call("GET", "/v2/nowhere")).toMatchObject({
      status: 404,
      body: { error: { code: "NOT_FOUND", message: "not found" } },
    });
  });

  test("a method that a path does not have is 405, with those that it has", async () => {
    const { call } = createRig();
    expect(await call("PUT", paths.bareMetal, {})).toMatchObject({ status: 405, headers: { allow: "POST, GET" } });
  });

  test.each([
    ["", "body: required"],
    ["{", "body: not valid JSON"],
    ["[]", "body: Invalid input: expected object, received array"],
    ["null", "body: Invalid input: expected object, received null"],
    ['{"gpuCount":8}', 'networkType: Invalid option: expected one of "infiniband"|"ethernet"'],
    ['{"gpuCount":12,"networkType":"ethernet"}', "gpuCount: Invalid number: must be a multiple of 8"],
    ['{"gpuCount":8,"networkType":"ethernet","x":1,"y":2}', "x: unknown field; y: unknown field"],
  ])("the body %j is 400: %s", async (body, message) => {
    const { call, emulator } = createRig();
    expect(await call("POST", paths.bareMetal, body)).toMatchObject({
      status: 400,
      body: { error: { code: "BAD_REQUEST", message: `invalid request: ${message}` } },
    });
    expect(emulator.state()).toEqual([]);
  });

  test("a body of more than a megabyte is 400", async () => {
    const { call } = createRig();
    const label = "x".repeat(1024 * 1024);
    expect(await call("POST", paths.vm, { gpuCount: 1, label })).toMatchObject({
      status: 400,
      body: { error: { message: "invalid request: body: must be 1 MB or less" } },
    });
  });
});

import { type DialectName, dialectNames } from "../../emulator";
import { operations } from "../../provider/service";
import { conformanceOf, readDescription } from "./description";
import { createRig, key, paths, type Rig } from "./rig";
import { typed } from "./typed";

const described = dialectNames.filter((name) => !["undescribed", "id-undescribed", "bare"].includes(name));

async function fill(rig: Rig) {
  const { createBareMetal, createVm, createVolume } = typed(rig);
  const { id } = await createBareMetal({ label: "train" });
  return { rental: id, vm: (await createVm()).id, volume: (await createVolume({ rentalIds: [id] })).storageVolumeId };
}

/** How a dialect ends a thing of a collection: the request to send. */
const ends: Record<string, (collection: string, verb: string, field: string, id: number) => [string, string, object?]> =
  {
    default: (collection, verb, field, id) => ["POST", `${collection}/${verb}`, { [field]: id }],
    "id-body": (collection, verb, _, id) => ["POST", `${collection}/${verb}`, { id }],
    delete: (collection, _verb, _field, id) => ["DELETE", `${collection}/${id}`],
  };

describe.each(["default", "id-body", "delete"] as const)("dialect %s", (dialect) => {
  test("ends rentals and deletes volumes in its own way, and describes it", async () => {
    const rig = createRig({ dialect });
    const { rental, vm, volume } = await fill(rig);
    const request = ends[dialect] ?? (() => ["", ""]);
    const conformance = await conformanceOf(rig);
    const detach = { [dialect === "id-body" ? "id" : "storageVolumeId"]: volume, rentalIds: [rental] };
    const requests: [string, string, object?][] = [
      ["POST", `${paths.volumes}/detach`, detach],
      request(paths.volumes, "delete", "storageVolumeId", volume),
      request(paths.bareMetal, "terminate", "rentalId", rental),
      request(paths.vm, "terminate", "rentalId", vm),
    ];
    for (const [method, path, body] of requests) {
      const reply = await rig.call(method, path, body);
      expect([path, reply]).toMatchObject([path, { status: 200, body: { message: expect.any(String) } }]);
      expect(conformance.problemOf(method, path, reply)).toBeUndefined();
    }
    rig.emulator.clock.advance(60);
    expect(typed(rig).billing()).toEqual([]);
  });

  test("does not know the ways of the others", async () => {
    const rig = createRig({ dialect });
    const { rental } = await fill(rig);
    for (const [other, request] of Object.entries(ends)) {
      if (other === dialect) continue;
      const [method, path, body] = request(paths.bareMetal, "terminate", "rentalId", rental);
      expect((await rig.call(method, path, body)).status).toBeGreaterThanOrEqual(400);
    }
    rig.emulator.clock.advance(60);
    expect(typed(rig).billing()).toHaveLength(3);
  });

  test("refuses an id that is none, and one that nobody has", async () => {
    const rig = createRig({ dialect });
    const request = ends[dialect] ?? (() => ["", ""]);
    const [method, path, body] = request(paths.bareMetal, "terminate", "rentalId", 99);
    expect((await rig.call(method, path, body)).status).toBe(404);
    const [, oddPath, odd] = request(paths.bareMetal, "terminate", "rentalId", Number.NaN);
    expect([400, 404]).toContain((await rig.call(method, oddPath, odd)).status);
  });
});

test("dialect none has the documented operations and no others", async () => {
  const rig = createRig({ dialect: "none" });
  const { rental, vm, volume } = await fill(rig);
  const { paths: described } = await readDescription(rig);
  const documented = Object.values(operations).map(({ path }) => path);
  expect(new Set(Object.keys(described))).toEqual(new Set(documented));
  expect(Object.keys(described[paths.vm] ?? {})).toEqual(["post"]);
  expect((await rig.call("GET", paths.vm)).status).toBe(405);
  const attempts: [string, object][] = [
    [`${paths.bareMetal}/terminate`, { rentalId: rental }],
    [`${paths.vm}/terminate`, { rentalId: vm }],
    [`${paths.volumes}/delete`, { storageVolumeId: volume }],
    [`${paths.volumes}/detach`, { storageVolumeId: volume, rentalIds: [rental] }],
  ];
  for (const [path, body] of attempts) expect((await rig.call("POST", path, body)).status).toBe(404);
});

describe("dialect rich", () => {
  test("tells status and price of a VM, in cents, and times as a database does", async () => {
    const rig = createRig({ dialect: "rich" });
    const { createVm, listVms } = typed(rig);
    await createVm({ gpuCount: 2 });
    rig.emulator.clock.advance(3);
    expect(await listVms()).toMatchObject([
      { status: "Running", costPerHourCents: 498, createdAt: "2026-09-12 13:59:00.123+00" },
    ]);
  });

  test("goes on showing what has ended", async () => {
    const rig = createRig({ dialect: "rich" });
    const { rental, vm, volume } = await fill(rig);
    const { endBareMetal, endVm, listBareMetal, listVms, listVolumes } = typed(rig);
    await endBareMetal(rental);
    await endVm(vm);
    rig.emulator.clock.advance(1);
    await rig.ok("POST", `${paths.volumes}/delete`, { storageVolumeId: volume });
    rig.emulator.clock.advance(1);
    const endedAt = "2026-09-12 13:59:01.123+00";
    expect(await listBareMetal()).toMatchObject([{ status: "Terminated", terminatedAt: endedAt }]);
    expect(await listVms()).toMatchObject([{ status: "Terminated", terminatedAt: endedAt }]);
    expect(await listVolumes()).toMatchObject([{ status: "inactive", deletedAt: "2026-09-12 13:59:02.123+00" }]);
  });

  test("names things otherwise: balance, errors, the marketplace", async () => {
    const rig = createRig({ dialect: "rich", balance: 12.5 });
    expect(await rig.ok("GET", paths.balance)).toEqual({ credits: 1250 });
    expect((await rig.call("GET", "/nowhere")).body).toEqual({ message: "not found", error_code: "NOT_FOUND" });
    const { listMachines, createInstance, listInstances } = typed(rig);
    const [machine] = await listMachines();
    const wanted = { cluster_name: machine?.cluster_name, node_name: machine?.id, gpu_count: 1 };
    expect(await createInstance(wanted)).toMatchObject({ status: "success", instanceName: expect.any(String) });
    rig.emulator.clock.advance(60);
    expect(await listInstances()).toMatchObject([{ status: "node_ready" }]);
  });

  test("a VM that failed says so", async () => {
    const rig = createRig({ dialect: "rich" });
    rig.emulator.faults.add({ match: { method: "POST", path: paths.vm }, kind: "fail-provisioning" });
    await typed(rig).createVm();
    rig.emulator.clock.advance(60);
    expect(await typed(rig).listVms()).toMatchObject([{ status: "Failed", terminatedAt: expect.any(String) }]);
  });
});

describe("dialect bare", () => {
  test("lists instances without a wrapper, and calls the history by another name", async () => {
    const rig = createRig({ dialect: "bare" });
    const { listMachines } = typed(rig);
    const [machine] = await listMachines();
    const wanted = { cluster_name: machine?.cluster_name, node_name: machine?.id, gpu_count: 1 };
    const id = expect.stringMatching(/^instance-/);
    expect(await rig.ok("POST", `${paths.instances}/create`, wanted)).toEqual({ id: 1, instance_name: id });
    rig.emulator.clock.advance(2);
    expect(await rig.ok("POST", paths.instances)).toMatchObject([{ id, instance: { status: "allocating_node" } }]);
    expect(await rig.ok("GET", `${paths.instances}/history`)).toEqual({ history: [] });
    expect(await rig.ok("GET", paths.balance)).toEqual({ balance: expect.stringMatching(/^\d+\.\d\d$/) });
  });

  test("ends things without a word", async () => {
    const rig = createRig({ dialect: "bare" });
    const { rental } = await fill(rig);
    const reply = await rig.call("POST", `${paths.bareMetal}/terminate`, { rentalId: rental });
    expect(reply).toMatchObject({ status: 204, text: "" });
    expect(typed(rig).statusOf(rental)).toBe("Terminating");
  });
});

test("dialect undescribed does by convention what it does not describe", async () => {
  const rig = createRig({ dialect: "undescribed" });
  expect((await rig.call("GET", "/v2/openapi.json")).status).toBe(404);
  const { rental, vm } = await fill(rig);
  const { endBareMetal, endVm, listVms } = typed(rig);
  expect(await listVms()).toHaveLength(1);
  await endBareMetal(rental);
  await endVm(vm);
});

test.each<[DialectName, number, number]>([
  ["default", 200, 200],
  ["rich", 200, 405],
  ["post-list", 405, 200],
])("dialect %s answers the instance list with %d to GET and %d to POST", async (dialect, toGet, toPost) => {
  const { call } = createRig({ dialect });
  expect((await call("GET", paths.instances)).status).toBe(toGet);
  expect((await call("POST", paths.instances)).status).toBe(toPost);
});

test.each(described)("dialect %s answers as it describes, errors included", async (dialect) => {
  const rig = createRig({ dialect });
  await fill(rig);
  rig.emulator.clock.advance(60);
  const description = await readDescription(rig);
  const conformance = await conformanceOf(rig);
  for (const [path, methods] of Object.entries(description.paths)) {
    for (const method of Object.keys(methods)) {
      const concrete = path.replace("{id}", "99");
      const answers = [
        await rig.call(method.toUpperCase(), concrete, method === "get" ? undefined : { nonsense: true }),
        await rig.call(method.toUpperCase(), concrete, method === "get" ? undefined : "{", { authorization: "none" }),
      ];
      for (const answer of answers) expect(conformance.problemOf(method, concrete, answer)).toBeUndefined();
    }
  }
});

describe("over a socket", () => {
  test("dialect delete ends a rental by a DELETE without a body", async () => {
    const rig = createRig({ dialect: "delete", ssh: false });
    const { vm } = await fill(rig);
    const { url } = await rig.emulator.listen();
    try {
      const headers = { authorization: `Bearer ${key}` };
      const answer = await fetch(`${url}${paths.vm}/${vm}`, { method: "DELETE", headers });
      expect([answer.status, await answer.json()]).toEqual([200, { message: `rental ${vm} is being terminated` }]);
    } finally {
      await rig.emulator.close();
    }
  });
});

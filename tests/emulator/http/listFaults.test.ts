import { createRig, key, paths, type Rig, readAll } from "../rig";
import { typed } from "../typed";

const get = { method: "GET", path: paths.bareMetal };
const post = { method: "POST", path: paths.bareMetal };
const wanted = { networkType: "infiniband", gpuCount: 8 };

async function withRentals(count: number): Promise<Rig> {
  const rig = createRig();
  for (let made = 0; made < count; made += 1) await typed(rig).createBareMetal();
  return rig;
}
const ids = async (rig: Rig) => (await typed(rig).listBareMetal()).map(({ id }) => id);

describe("omit", () => {
  test.each([
    ["the ids that are named", { ids: [1001, "1003"] }, [1002, 1004]],
    ["so many of the newest", { count: 3 }, [1001]],
    ["a share of them", { fraction: 0.5 }, [1001, 1002]],
    ["all where nothing is said", {}, []],
  ])("leaves out %s, once", async (_, fields, left) => {
    const rig = await withRentals(4);
    rig.emulator.faults.add({ match: get, kind: "omit", ...fields });
    expect(await ids(rig)).toEqual(left);
    expect(await ids(rig)).toEqual([1001, 1002, 1003, 1004]);
  });

  test("holds for instances, too", async () => {
    const rig = createRig();
    const { listMachines, createInstance } = typed(rig);
    const [machine] = await listMachines();
    await createInstance({ cluster_name: machine?.cluster_name, node_name: machine?.id, gpu_count: 1 });
    rig.emulator.faults.add({ match: { method: "GET", path: paths.instances }, kind: "omit" });
    expect(await rig.ok("GET", paths.instances)).toEqual({ instances: [] });
  });
});

describe("pages", () => {
  test("give a link to the next one, which is served without a further fault", async () => {
    const rig = await withRentals(3);
    rig.emulator.faults.add({ match: get, kind: "pages", size: 2 });
    const first = await rig.call("GET", paths.bareMetal);
    expect(first.body).toHaveLength(2);
    expect(first.headers["link"]).toBe(`<${paths.bareMetal}?page=2&size=2>; rel="next"`);
    const second = await rig.call("GET", `${paths.bareMetal}?page=2&size=2`);
    expect(second.body).toMatchObject([{ id: 1003 }]);
    expect(second.headers["link"]).toBeUndefined();
  });

  test("may tell only how many there are", async () => {
    const rig = await withRentals(3);
    rig.emulator.faults.add({ match: get, kind: "pages", size: 2, sign: "total" });
    const { headers, body } = await rig.call("GET", paths.bareMetal);
    expect(body).toHaveLength(2);
    expect(headers).toMatchObject({ "x-total-count": "3" });
    expect(headers["link"]).toBeUndefined();
  });
});

test("reverse-list turns the list round", async () => {
  const rig = await withRentals(3);
  rig.emulator.faults.add({ match: get, kind: "reverse-list" });
  expect(await ids(rig)).toEqual([1003, 1002, 1001]);
});

test("unreadable-item spoils one item, with its id or without", async () => {
  const rig = await withRentals(2);
  const status = { broken: true };
  rig.emulator.faults.add({ match: get, kind: "unreadable-item", id: 1002 });
  expect(await rig.ok("GET", paths.bareMetal)).toEqual([expect.objectContaining({ id: 1001 }), { id: 1002, status }]);
  rig.emulator.faults.add({ match: get, kind: "unreadable-item", keepId: false });
  expect(await rig.ok("GET", paths.bareMetal)).toEqual([{ status }, expect.objectContaining({ id: 1002 })]);
});

test("drop-fields takes fields out of records, listed or created", async () => {
  const rig = await withRentals(1);
  const fields = ["meta", "currentTerm.costPerHour"];
  rig.emulator.faults.add({ match: get, kind: "drop-fields", fields }, { match: post, kind: "drop-fields", fields });
  const [listed] = (await rig.call("GET", paths.bareMetal)).body as [Record<string, object>];
  expect(listed).not.toHaveProperty("meta");
  expect(listed["currentTerm"]).not.toHaveProperty("costPerHour");
  expect(listed["currentTerm"]).toHaveProperty("termType");
  expect(await rig.ok("POST", paths.bareMetal, wanted)).not.toHaveProperty("meta");
});

test("several faults change one list", async () => {
  const rig = await withRentals(4);
  rig.emulator.faults.add(
    { match: get, kind: "omit", ids: [1001] },
    { match: get, kind: "reverse-list" },
    { match: get, kind: "pages", size: 2 },
  );
  expect(await ids(rig)).toEqual([1004, 1003]);
});

test("twice carries a request out twice and answers once", async () => {
  const rig = createRig();
  rig.emulator.faults.add({ match: post, kind: "twice" }, { match: post, nth: 2, kind: "twice", answer: "first" });
  const { createBareMetal, billing } = typed(rig);
  expect((await createBareMetal({ label: "twin" })).id).toBe(1002);
  expect((await createBareMetal()).id).toBe(1003);
  expect(billing().map(({ id, label }) => [id, label])).toEqual([
    [1001, "twin"],
    [1002, "twin"],
    [1003, null],
    [1004, null],
  ]);
});

test("twice works over a socket", async () => {
  const rig = createRig({ ssh: false });
  const { url } = await rig.emulator.listen();
  try {
    rig.emulator.faults.add({ match: post, kind: "twice" });
    const headers = { authorization: `Bearer ${key}` };
    const answer = await fetch(url + paths.bareMetal, { method: "POST", headers, body: JSON.stringify(wanted) });
    expect(await answer.json()).toMatchObject({ id: 1002 });
  } finally {
    await rig.emulator.close();
  }
});

test("status can come after the effect", async () => {
  const rig = createRig();
  rig.emulator.faults.add({ match: post, kind: "status", status: 409, when: "after", body: { error: "conflict" } });
  expect(await rig.call("POST", paths.bareMetal, wanted)).toMatchObject({ status: 409, body: { error: "conflict" } });
  expect(rig.emulator.state()).toHaveLength(1);
});

test("a fault can hit any path, and any below another", async () => {
  const rig = createRig();
  const gateway = { kind: "status", status: 404, body: { detail: "Not Found" } } as const;
  rig.emulator.faults.add({ match: { method: "*", path: "*" }, ...gateway });
  expect(await rig.call("GET", paths.balance)).toMatchObject({ status: 404, body: { detail: "Not Found" } });
  rig.emulator.faults.add({ match: { method: "POST", path: `${paths.bareMetal}/*` }, ...gateway });
  expect((await rig.call("GET", paths.bareMetal)).status).toBe(200);
  expect((await rig.call("POST", paths.bareMetal, wanted)).status).toBe(200);
  expect((await rig.call("POST", `${paths.bareMetal}/terminate`, { rentalId: 1001 })).status).toBe(404);
  expect((await rig.call("POST", `${paths.bareMetal}/terminate`, { rentalId: 1001 })).status).toBe(200);
});

describe("the clock of the service", () => {
  test.each([-120, 28_800])("may be %d s off, in timestamps and in the Date header, and nowhere else", async (skew) => {
    const rig = createRig({ clockSkewSeconds: skew });
    const { id, createdAt } = await typed(rig).createBareMetal();
    const now = rig.emulator.clock.now();
    expect(Date.parse(createdAt)).toBe(now + skew * 1000);
    const { headers } = await rig.call("GET", paths.bareMetal);
    expect(headers["date"]).toBe(new Date(now + skew * 1000).toUTCString());
    expect(rig.emulator.state()).toMatchObject([{ id, createdAt: new Date(now).toISOString() }]);
    rig.emulator.clock.advance(3);
    expect(typed(rig).statusOf(id)).toBe("Running");
  });
});

describe("several accounts", () => {
  const rigFor = () => createRig({ apiKeys: { "other-key": "other", "second-key": "emulator" } });
  const as = (rig: Rig, apiKey: string) => (method: string, path: string, body?: unknown) =>
    rig.call(method, path, body, { authorization: `Bearer ${apiKey}` });

  test("have their own objects, and ids that are counted together", async () => {
    const rig = rigFor();
    const other = as(rig, "other-key");
    const { id } = await typed(rig).createBareMetal({ label: "mine" });
    expect((await other("POST", paths.bareMetal, { ...wanted, label: "theirs" })).body).toMatchObject({ id: id + 1 });
    expect(await ids(rig)).toEqual([id]);
    expect((await other("GET", paths.bareMetal)).body).toMatchObject([
      { id: id + 1, userId: "user-other", createdBy: { id: "user-other" } },
    ]);
    expect(rig.emulator.state()).toMatchObject([{ account: "emulator" }, { account: "other" }]);
  });

  test("cannot end, attach or see what is not theirs", async () => {
    const rig = rigFor();
    const other = as(rig, "other-key");
    const { createBareMetal, createVolume, listMachines, createInstance } = typed(rig);
    const { id } = await createBareMetal();
    const { storageVolumeId } = await createVolume();
    const [machine] = await listMachines();
    const place = { cluster_name: machine?.cluster_name, node_name: machine?.id, gpu_count: 1 };
    const { instanceId } = await createInstance(place);
    const refused: [string, object][] = [
      [`${paths.bareMetal}/terminate`, { rentalId: id }],
      [`${paths.volumes}/delete`, { storageVolumeId }],
      [`${paths.volumes}/attach`, { storageVolumeId, rentalIds: [id] }],
      [`${paths.instances}/terminate`, { id: instanceId }],
    ];
    for (const [path, body] of refused) expect([400, 404]).toContain((await other("POST", path, body)).status);
    expect((await other("GET", paths.volumes)).body).toEqual([]);
    expect((await other("GET", paths.instances)).body).toEqual({ instances: [] });
    rig.emulator.clock.advance(3600);
    expect((await other("GET", paths.balance)).body).toEqual({ balance: 1_000_000 });
    expect(typed(rig).billing()).toHaveLength(3);
  });

  test("may have several keys", async () => {
    const rig = rigFor();
    const { id } = await typed(rig).createBareMetal();
    expect((await as(rig, "second-key")("GET", paths.bareMetal)).body).toMatchObject([{ id }]);
    expect((await as(rig, "third-key")("GET", paths.bareMetal)).status).toBe(401);
  });
});

describe("volumes with separate ids", () => {
  test("are listed under another id than the one that every operation takes", async () => {
    const rig = createRig({ volumeIds: "separate" });
    const { createVolume, listVolumes } = typed(rig);
    const { storageVolumeId } = await createVolume();
    const [listed] = await listVolumes();
    expect(listed).toMatchObject({ storageVolumeId });
    expect(listed?.id).not.toBe(storageVolumeId);
    expect((await rig.call("POST", `${paths.volumes}/delete`, { storageVolumeId: listed?.id })).status).toBe(404);
    await rig.ok("POST", `${paths.volumes}/delete`, { storageVolumeId });
  });

  test("that are crossed have each other's number", async () => {
    const rig = createRig({ volumeIds: "crossed" });
    const { createVolume, listVolumes } = typed(rig);
    const made = [await createVolume(), await createVolume()].map(({ storageVolumeId }) => storageVolumeId);
    const listed = await listVolumes();
    expect(listed.map(({ storageVolumeId }) => storageVolumeId)).toEqual(made);
    expect(listed.map(({ id }) => id)).toEqual([...made].reverse());
  });
});

test("every answer has a body that can be read to its end", async () => {
  const rig = await withRentals(1);
  rig.emulator.faults.add({ match: get, kind: "drop-fields", fields: ["label"] });
  const headers = { authorization: `Bearer ${key}` };
  const answer = await rig.emulator.inject({ method: "GET", url: paths.bareMetal, headers });
  expect(JSON.parse(await readAll(answer.body))).toHaveLength(1);
});

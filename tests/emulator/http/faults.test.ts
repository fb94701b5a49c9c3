import { z } from "zod";
import { ConnectionCut, type FaultSpec } from "../../../emulator";
import { createRig, key, paths, type Rig } from "../rig";
import { typed } from "../typed";

const post = { method: "POST", path: paths.vm };
const get = { method: "GET", path: paths.vm };
const wanted = { gpuCount: 1 };

/** The same faults without sockets and over a real connection. */
interface Line {
  rig: Rig;
  create(): Promise<{ status: number; headers: Record<string, unknown>; text: string }>;
  close(): Promise<void>;
}

async function injected(): Promise<Line> {
  const rig = createRig();
  return { rig, create: () => rig.call("POST", paths.vm, wanted), close: () => rig.emulator.close() };
}

async function overHttp(): Promise<Line> {
  const rig = createRig({ ssh: false });
  const { url } = await rig.emulator.listen();
  const create = async () => {
    const headers = { authorization: `Bearer ${key}` };
    const answer = await fetch(url + paths.vm, {
      method: "POST",
      headers,
      body: JSON.stringify(wanted),
      redirect: "manual",
    });
    return { status: answer.status, headers: Object.fromEntries(answer.headers), text: await answer.text() };
  };
  return { rig, create, close: () => rig.emulator.close() };
}

describe.each([
  ["without sockets", injected],
  ["over HTTP", overHttp],
])("%s", (_, open) => {
  let line: Line;
  const made = () => line.rig.emulator.state().length;
  const add = (fault: FaultSpec) => line.rig.emulator.faults.add(fault);
  beforeEach(async () => {
    line = await open();
  });
  afterEach(() => line.close());

  test("status answers as told, and nothing is done", async () => {
    const headers = { "retry-after": "7" };
    add({ match: post, kind: "status", status: 429, headers, body: { detail: [{ msg: "slow down" }] } });
    expect(await line.create()).toMatchObject({ status: 429, headers, text: '{"detail":[{"msg":"slow down"}]}' });
    expect(made()).toBe(0);
  });

  test("status without a body answers in the service's own shape", async () => {
    add({ match: post, kind: "status", status: 500 });
    expect(await line.create()).toMatchObject({
      status: 500,
      text: '{"error":{"code":"INTERNAL_SERVER_ERROR","message":"fault"}}',
    });
  });

  test("status can be plain text, a redirect, or nothing at all", async () => {
    add({ match: post, kind: "status", status: 502, headers: { "content-type": "text/plain" }, body: "bad gateway" });
    add({ match: post, nth: 2, kind: "status", status: 307, headers: { location: "http://127.0.0.1:1/" } });
    add({ match: post, nth: 3, kind: "status", status: 204 });
    expect(await line.create()).toMatchObject({
      status: 502,
      headers: { "content-type": "text/plain" },
      text: "bad gateway",
    });
    expect(await line.create()).toMatchObject({ status: 307, headers: { location: "http://127.0.0.1:1/" } });
    expect(await line.create()).toMatchObject({ status: 204, text: "" });
  });

  test("reset-before cuts the connection, and nothing is done", async () => {
    add({ match: post, kind: "reset-before" });
    await expect(line.create()).rejects.toThrow();
    expect(made()).toBe(0);
    expect((await line.create()).status).toBe(200);
  });

  test("reset-after cuts the connection when it is done", async () => {
    add({ match: post, kind: "reset-after" });
    await expect(line.create()).rejects.toThrow();
    expect(made()).toBe(1);
  });

  test("truncate does it and breaks off in the middle of the answer", async () => {
    add({ match: post, kind: "truncate" });
    await expect(line.create()).rejects.toThrow();
    expect(made()).toBe(1);
  });

  test("garbage does it and answers with HTML", async () => {
    add({ match: post, kind: "garbage" });
    expect(await line.create()).toMatchObject({
      status: 200,
      headers: { "content-type": "text/html" },
      text: expect.stringMatching(/^<!doctype html>/),
    });
    expect(made()).toBe(1);
  });
});

test("a truncated answer promises its whole length and gives half", async () => {
  const rig = createRig();
  rig.emulator.faults.add({ match: post, kind: "truncate" });
  const headers = { authorization: `Bearer ${key}` };
  const answer = await rig.emulator.inject({ method: "POST", url: paths.vm, headers, body: JSON.stringify(wanted) });
  let received = 0;
  const read = async () => {
    for await (const part of answer.body) received += part.length;
  };
  await expect(read()).rejects.toMatchObject({ sent: "maybe" });
  expect(received).toBe(Math.floor(Number(answer.headers["content-length"]) / 2));
  expect(received).toBeGreaterThan(100);
});

test("a cut connection does not tell whether the request arrived; a closed emulator does", async () => {
  const rig = createRig();
  rig.emulator.faults.add({ match: post, kind: "reset-before", times: 2 });
  await expect(rig.call("POST", paths.vm, wanted)).rejects.toBeInstanceOf(ConnectionCut);
  await expect(rig.call("POST", paths.vm, wanted)).rejects.toMatchObject({ sent: "maybe" });
  await rig.emulator.close();
  await expect(rig.call("POST", paths.vm, wanted)).rejects.toMatchObject({ sent: "no" });
});

describe("delay", () => {
  function delayed(when?: "before" | "after") {
    const waits: { ms: number; release: () => void }[] = [];
    const rig = createRig({ sleep: (ms) => new Promise((release) => waits.push({ ms, release })) });
    rig.emulator.faults.add({ match: post, kind: "delay", ms: 5000, ...(when ? { when } : {}) });
    return { rig, waits };
  }
  const turn = () => new Promise((resolve) => setImmediate(resolve));

  test("holds back the answer to what is done", async () => {
    const { rig, waits } = delayed();
    const answer = rig.call("POST", paths.vm, wanted);
    while (waits.length === 0) await turn();
    expect(waits[0]?.ms).toBe(5000);
    expect(rig.emulator.state()).toHaveLength(1);
    waits[0]?.release();
    expect(await answer).toMatchObject({ status: 200 });
  });

  test("can hold back the deed as well", async () => {
    const { rig, waits } = delayed("before");
    const answer = rig.call("POST", paths.vm, wanted);
    while (waits.length === 0) await turn();
    expect(rig.emulator.state()).toHaveLength(0);
    waits[0]?.release();
    expect(await answer).toMatchObject({ status: 200 });
    expect(rig.emulator.state()).toHaveLength(1);
  });

  test("outlasts a caller who gives up: it is done all the same", async () => {
    const { rig, waits } = delayed("before");
    const giveUp = new AbortController();
    const headers = { authorization: `Bearer ${key}` };
    const request = { method: "POST", url: paths.vm, headers, body: JSON.stringify(wanted), signal: giveUp.signal };
    const answer = rig.emulator.inject(request);
    while (waits.length === 0) await turn();
    giveUp.abort();
    await expect(answer).rejects.toMatchObject({ sent: "maybe" });
    waits[0]?.release();
    while (rig.emulator.state().length === 0) await turn();
  });
});

describe("stale-list", () => {
  test("shows what was there that long ago: things not yet made, and things since ended", async () => {
    const rig = createRig({ provisionSeconds: 5, endSeconds: 5 });
    const { createVm, endVm, listVms } = typed(rig);
    const first = await createVm();
    rig.emulator.clock.advance(100);
    await endVm(first.id);
    await createVm();
    rig.emulator.clock.advance(50);
    const stale = (seconds: number) => rig.emulator.faults.add({ match: get, kind: "stale-list", seconds });
    const ids = async () => (await listVms()).map(({ id }) => id);
    expect(await ids()).toEqual([1002]);
    stale(60);
    expect(await ids()).toEqual([1001]);
    stale(50);
    expect(await ids()).toEqual([1001, 1002]);
    stale(150);
    expect(await listVms()).toMatchObject([{ id: 1001, startedAt: null }]);
    stale(151);
    expect(await ids()).toEqual([]);
  });

  test("holds for volumes with their attachments, bare metal and instances too", async () => {
    const rig = createRig();
    const { createBareMetal, createVolume, listMachines, createInstance, listVolumes } = typed(rig);
    const { id } = await createBareMetal();
    const { storageVolumeId } = await createVolume();
    rig.emulator.clock.advance(60);
    await rig.ok("POST", `${paths.volumes}/attach`, { storageVolumeId, rentalIds: [id] });
    const [machine] = await listMachines();
    await createInstance({ cluster_name: machine?.cluster_name, node_name: machine?.id, gpu_count: 1 });
    rig.emulator.clock.advance(60);
    for (const path of [paths.volumes, paths.bareMetal, paths.instances]) {
      rig.emulator.faults.add({ match: { method: "GET", path }, kind: "stale-list", seconds: 90 });
    }
    expect(await listVolumes()).toMatchObject([{ attachedRentals: [] }]);
    expect(await rig.ok("GET", paths.bareMetal)).toMatchObject([{ attachedStorage: [] }]);
    expect(await rig.ok("GET", paths.instances)).toEqual({ instances: [] });
    expect(await listVolumes()).toMatchObject([{ attachedRentals: [id] }]);
  });
});

test("fail-provisioning makes what that request makes, and nothing else, go to Failed", async () => {
  const rig = createRig();
  const { createBareMetal, statusOf, billing, endBareMetal } = typed(rig);
  rig.emulator.faults.add({ match: { method: "POST", path: paths.bareMetal }, nth: 2, kind: "fail-provisioning" });
  const [good, failed] = [await createBareMetal(), await createBareMetal()];
  rig.emulator.clock.advance(60);
  expect([statusOf(good.id), statusOf(failed.id)]).toEqual(["Running", "Failed"]);
  expect(billing()).toHaveLength(2);
  await endBareMetal(failed.id);
  rig.emulator.clock.advance(60);
  expect(statusOf(failed.id)).toBe("Terminated");
});

describe("which requests are hit", () => {
  const statuses = async (rig: Rig, count: number) => {
    const seen: number[] = [];
    for (let sent = 0; sent < count; sent++) seen.push((await rig.call("GET", paths.vm)).status);
    return seen;
  };

  test("the first, once, if nothing else is said", async () => {
    const rig = createRig();
    rig.emulator.faults.add({ match: get, kind: "status", status: 503 });
    expect(await statuses(rig, 3)).toEqual([503, 200, 200]);
  });

  test("from the nth on, as many times as said, counted from when the fault was added", async () => {
    const rig = createRig();
    await statuses(rig, 4);
    rig.emulator.faults.add({ match: get, nth: 2, times: 2, kind: "status", status: 503 });
    expect(await statuses(rig, 5)).toEqual([200, 503, 503, 200, 200]);
  });

  test("only those of that very method and path; the query does not count", async () => {
    const rig = createRig();
    rig.emulator.faults.add({ match: { method: "GET", path: paths.bareMetal }, kind: "status", status: 503 });
    expect(await statuses(rig, 1)).toEqual([200]);
    expect((await rig.call("POST", paths.bareMetal, {})).status).toBe(400);
    expect((await rig.call("GET", `${paths.bareMetal}/`)).status).toBe(404);
    expect((await rig.call("GET", `${paths.bareMetal}?page=1`)).status).toBe(503);
  });

  test("several faults can hit one request", async () => {
    const waits: number[] = [];
    const rig = createRig({ sleep: async (ms) => void waits.push(ms) });
    rig.emulator.faults.add({ match: get, kind: "delay", ms: 7 }, { match: get, kind: "garbage" });
    expect((await rig.call("GET", paths.vm)).text).toContain("<html>");
    expect(waits).toEqual([7]);
  });

  test("none after they were cleared", async () => {
    const rig = createRig();
    rig.emulator.faults.add({ match: get, times: 9, kind: "status", status: 503 });
    await rig.ok("DELETE", "/_emulator/faults");
    expect(await statuses(rig, 2)).toEqual([200, 200]);
  });
});

describe("POST /_emulator/faults", () => {
  test("adds faults, without a key", async () => {
    const rig = createRig();
    const faults = [{ match: get, kind: "status", status: 503 }];
    const reply = await rig.call("POST", "/_emulator/faults", faults, { authorization: "" });
    expect(reply).toMatchObject({ status: 200, body: { added: 1 } });
    expect((await rig.call("GET", paths.vm)).status).toBe(503);
  });

  test.each([
    ["not JSON", "{", "body: not valid JSON"],
    ["no list", { kind: "garbage" }, "body: Invalid input: expected array, received object"],
    ["a kind nobody knows", [{ match: get, kind: "gremlins" }], "[0].kind"],
    ["a status without its number", [{ match: get, kind: "status" }], "[0].status"],
    ["a status that cannot be sent", [{ match: get, kind: "status", status: 99 }], "[0].status"],
    [
      "a header that cannot be sent",
      [{ match: get, kind: "status", status: 200, headers: { "a b": "c" } }],
      "[0].headers",
    ],
    ["a path that is none", [{ match: { method: "GET", path: "v2" }, kind: "garbage" }], "[0].match.path"],
    ["a zeroth request", [{ match: get, nth: 0, kind: "garbage" }], "[0].nth"],
    ["a field nobody knows", [{ match: get, kind: "garbage", often: true }], "[0].often: unknown field"],
    ["one good and one bad", [{ match: get, kind: "garbage" }, {}], "[1]"],
  ])("refuses %s", async (_, body, message) => {
    const rig = createRig();
    const reply = await rig.call("POST", "/_emulator/faults", body);
    expect(reply.status).toBe(400);
    const { error } = z.object({ error: z.object({ message: z.string() }) }).parse(reply.body);
    expect(error.message).toContain(message);
    expect((await rig.call("GET", paths.vm)).status).toBe(200);
  });
});

import { z } from "zod";
import { createRig, paths, refusal } from "../rig";
import { typed } from "../typed";

const noKey = { authorization: "" };

test("state shows every object ever made, billing from the create until it has ended", async () => {
  const rig = createRig({ endSeconds: 10 });
  const { createBareMetal, createVm, createVolume, listMachines, createInstance, endVm } = typed(rig);
  await createBareMetal({ label: "train" });
  const { id } = await createVm();
  await createVolume();
  const [machine] = await listMachines();
  const wanted = { cluster_name: machine?.cluster_name, node_name: machine?.id, gpu_count: 1 };
  const { instanceId } = await createInstance(wanted);
  await endVm(id);
  const createdAt = "2026-09-12T13:59:00.123Z";
  const others = [
    { kind: "storage-volume", id: 1, label: "data", status: "inactive", billing: true, costPerHour: 0.0256, createdAt },
    {
      kind: "marketplace-instance",
      id: instanceId,
      label: null,
      status: "creating",
      billing: true,
      costPerHour: 0.4,
      createdAt,
    },
  ];
  const expected = [
    { kind: "bare-metal", id: 1001, label: "train", status: "Pending", billing: true, costPerHour: 19.92, createdAt },
    {
      kind: "virtual-machine",
      id: 1002,
      label: null,
      status: "Terminating",
      billing: true,
      costPerHour: null,
      createdAt,
    },
    ...others,
  ];
  expect((await rig.call("GET", "/_emulator/state", undefined, noKey)).body).toEqual(expected);
  expect(rig.emulator.state()).toEqual(expected);
  rig.emulator.clock.advance(10);
  expect(rig.emulator.state()).toMatchObject([
    { status: "Running", billing: true },
    { status: "Terminated", billing: false },
    { status: "active", billing: true },
    { status: "running", billing: true },
  ]);
});

test("requests are counted by method and path, those to the emulator itself left out", async () => {
  const rig = createRig();
  await rig.call("GET", paths.vm);
  await rig.call("GET", `${paths.vm}?x=1`);
  await rig.call("POST", paths.vm, "nonsense");
  await rig.call("GET", "/nowhere", undefined, noKey);
  await rig.call("GET", "/_emulator/state");
  await rig.call("GET", "/");
  const counts = { [`GET ${paths.vm}`]: 2, [`POST ${paths.vm}`]: 1, "GET /nowhere": 1 };
  expect((await rig.call("GET", "/_emulator/requests", undefined, noKey)).body).toEqual({ counts, total: 4 });
  expect(rig.emulator.requests()).toEqual({ counts, total: 4 });
});

describe("the clock", () => {
  test("goes forward when told to", async () => {
    const rig = createRig({ provisionSeconds: 60 });
    const { id } = await typed(rig).createVm();
    const reply = await rig.call("POST", "/_emulator/clock", { advanceSeconds: 60 }, noKey);
    expect(reply).toMatchObject({ status: 200, body: { now: "2026-09-12T14:00:00.123Z" } });
    expect(typed(rig).statusOf(id)).toBe("Running");
  });

  test.each([{ advanceSeconds: -1 }, { advanceSeconds: 1e300 }, { advanceSeconds: "1" }, {}])(
    "does not take %j",
    async (body) => {
      const rig = createRig();
      const reply = await rig.call("POST", "/_emulator/clock", body);
      expect(reply.status).toBe(400);
      expect(reply.text).toContain("advanceSeconds");
      expect(rig.emulator.clock.now()).toBe(createRig().emulator.clock.now());
    },
  );
});

test("reset forgets objects, faults, counts and the time", async () => {
  const rig = createRig();
  await typed(rig).createVm();
  await rig.ok("POST", "/v1/audio/generation", { text: "hello" });
  rig.emulator.clock.advance(60);
  rig.emulator.faults.add({ match: { method: "GET", path: paths.vm }, kind: "garbage" });
  expect((await rig.call("POST", "/_emulator/reset", undefined, noKey)).status).toBe(200);
  expect(rig.emulator.state()).toEqual([]);
  expect(rig.emulator.requests()).toEqual({ counts: {}, total: 0 });
  expect(await typed(rig).listVms()).toEqual([]);
  expect(await rig.ok("GET", paths.balance)).toEqual({ balance: 1_000_000 });
  expect((await typed(rig).createVm()).createdAt).toBe("2026-09-12T13:59:00.123Z");
});

test("overview adds up what is billed now", async () => {
  const rig = createRig({ balance: 1000 });
  const { createBareMetal, createVm, endVm } = typed(rig);
  await endVm((await createVm()).id);
  rig.emulator.clock.advance(3600);
  await createVm({ label: "dev" });
  await createBareMetal({ label: "train" });
  rig.emulator.clock.advance(1800);
  expect(await rig.ok("GET", "/_emulator/overview")).toEqual({
    now: "2026-09-12T15:29:00.123Z",
    balances: [{ account: "emulator", usd: 988.794308 }],
    spent: 11.205692,
    costPerHour: 22.41,
    total: 2,
    rows: [
      {
        kind: "bare-metal",
        id: 1003,
        account: "emulator",
        label: "train",
        status: "Running",
        phase: "ready",
        region: "us-central-1",
        what: "8×h100",
        billing: true,
        costPerHour: 19.92,
        costSoFar: 9.96,
        showsPrice: true,
        createdAt: "2026-09-12T14:59:00.123Z",
        endedAt: null,
        ssh: "ssh -p 22 ubuntu@machine-1003.invalid",
      },
      expect.objectContaining({ label: "dev", what: "1×h100", costPerHour: 2.49, costSoFar: 1.245, showsPrice: false }),
    ],
    requests: { total: 4, latest: expect.arrayContaining([]) },
    faults: [],
  });
});

test("overview has the latest requests first, with how each went and the faults that hit it", async () => {
  const rig = createRig();
  rig.emulator.faults.add({ match: { method: "GET", path: paths.vm }, kind: "reset-before" });
  rig.emulator.faults.add({ match: { method: "GET", path: paths.bareMetal }, kind: "truncate" });
  await expect(rig.call("GET", paths.vm)).rejects.toThrow("the connection was reset");
  await expect(rig.call("GET", paths.bareMetal)).rejects.toThrow();
  await rig.call("GET", "/nowhere");
  const milliseconds = expect.any(Number);
  const at = "2026-09-12T13:59:00.123Z";
  expect(await rig.ok("GET", "/_emulator/overview")).toMatchObject({
    requests: {
      total: 3,
      latest: [
        { number: 3, at, path: "/nowhere", outcome: { kind: "answered", status: 404, faults: [], milliseconds } },
        { number: 2, path: paths.bareMetal, outcome: { kind: "truncated", status: 200, faults: ["truncate"] } },
        { number: 1, method: "GET", path: paths.vm, outcome: { kind: "cut", status: null, faults: ["reset-before"] } },
      ],
    },
  });
});

test("overview keeps the latest hundred requests, and counts all", async () => {
  const rig = createRig();
  for (let index = 0; index < 450; index += 1) await rig.call("GET", paths.balance);
  const { requests } = z
    .object({ requests: z.object({ total: z.number(), latest: z.array(z.object({ number: z.number() })) }) })
    .parse(await rig.ok("GET", "/_emulator/overview"));
  expect(requests.total).toBe(450);
  expect(requests.latest.map(({ number }) => number)).toEqual(Array.from({ length: 100 }, (_, index) => 450 - index));
});

test("an object can be looked at by its kind and id, ended or not", async () => {
  const rig = createRig({ endSeconds: 10 });
  const { createVm, endVm } = typed(rig);
  const { id } = await createVm({ label: "dev" });
  await endVm(id);
  rig.emulator.clock.advance(3600);
  expect(await rig.ok("GET", `/_emulator/state/virtual-machine/${id}`)).toMatchObject({
    label: "dev",
    status: "Terminated",
    phase: "ended",
    billing: false,
    endedAt: "2026-09-12T13:59:10.123Z",
  });
  expect(await rig.call("GET", "/_emulator/state/bare-metal/1", undefined, noKey)).toMatchObject(
    refusal(404, "NOT_FOUND", "there is no bare-metal 1"),
  );
});

test("faults that wait are listed with what they wait for, beside all that can be set", async () => {
  const rig = createRig({ dialect: "delete" });
  rig.emulator.faults.add({ match: { method: "GET", path: paths.vm }, kind: "garbage", nth: 2, times: 3 });
  const waiting = () => rig.ok("GET", "/_emulator/faults");
  const fault = { kind: "garbage", match: { method: "GET", path: paths.vm } };
  expect(await waiting()).toMatchObject({
    kinds: expect.arrayContaining(["status", "reset-after", "no-ssh"]),
    operations: expect.arrayContaining([
      { name: "createVmRental", method: "POST", path: paths.vm },
      { name: "terminateVmRental", method: "DELETE", path: `${paths.vm}/*` },
    ]),
    waiting: [{ fault, passing: 1, hits: 3 }],
  });
  await rig.call("GET", paths.vm);
  expect(await waiting()).toMatchObject({ waiting: [{ passing: 0, hits: 3 }] });
  await rig.call("GET", paths.vm);
  expect(await waiting()).toMatchObject({ waiting: [{ passing: 0, hits: 2 }] });
});

test("a page of another site can change nothing; the emulator's own page and plain clients can", async () => {
  const rig = createRig();
  await typed(rig).createVm();
  const from = (origin: string) => rig.call("POST", "/_emulator/reset", undefined, { origin });
  for (const origin of ["https://example.com", "null", "http://127.0.0.1:9999"]) {
    expect(await from(origin)).toMatchObject(
      refusal(403, "FORBIDDEN", `requests of ${origin} are refused: only the emulator's own page may change it`),
    );
  }
  expect(rig.emulator.state()).toHaveLength(1);
  expect((await from("http://127.0.0.1")).status).toBe(200);
  expect(rig.emulator.state()).toEqual([]);
});

test("the process says which one it is", async () => {
  const { body } = await createRig().call("GET", "/_emulator/process", undefined, noKey);
  expect(body).toEqual({ pid: process.pid, startedAt: expect.stringMatching(/^\d{4}-.*Z$/) });
});

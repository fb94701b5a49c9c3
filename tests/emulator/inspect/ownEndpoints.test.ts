import { createRig, paths } from "../rig";
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
    { kind: "storage-volume", id: 1, label: "data", status: "inactive", billing: true, createdAt },
    { kind: "marketplace-instance", id: instanceId, label: null, status: "creating", billing: true, createdAt },
  ];
  const expected = [
    { kind: "bare-metal", id: 1001, label: "train", status: "Pending", billing: true, createdAt },
    { kind: "virtual-machine", id: 1002, label: null, status: "Terminating", billing: true, createdAt },
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
    balance: 988.794308,
    spent: 11.205692,
    costPerHour: 22.41,
    total: 2,
    rows: [
      {
        kind: "bare-metal",
        id: 1003,
        label: "train",
        status: "Running",
        region: "us-central-1",
        what: "8×h100",
        costPerHour: 19.92,
        costSoFar: 9.96,
        createdAt: "2026-09-12T14:59:00.123Z",
      },
      expect.objectContaining({ label: "dev", what: "1×h100", costPerHour: 2.49, costSoFar: 1.245 }),
    ],
  });
});

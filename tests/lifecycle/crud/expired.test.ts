import { expiryTime } from "../../../provider/lifecycle/model";
import { FakeEngine, type Outcome, type Program } from "../fakeEngine";
import { createRig, paths, type Rig } from "../rig";
import { answering, changingList, intercepting, leavingOut, live } from "../wire";

const hour = 3_600_000;

const rental = (more: object = {}) => ({
  type: "BareMetalRental",
  inputs: { networkType: "infiniband", gpuCount: 8, expiresAt: "8h", ...more },
});

function begin() {
  const rig = createRig();
  return { rig, stack: new FakeEngine(rig) };
}

async function pass(rig: Rig, hours: number): Promise<void> {
  await rig.run(rig.clock.sleep(hours * hour));
}

/** What `gpufleet expired --destroy` has the engine do. */
function endExpired(rig: Rig, stack: FakeEngine): Promise<Outcome> {
  return stack.refresh(rig.startProvider({ endExpired: true }));
}

function told({ provider }: Outcome): string[] {
  return provider.shown.filter(({ kind }) => kind !== "status").map(({ text }) => text);
}

const requestsOf = (rig: Rig) => Object.values(rig.emulator.requests().counts).reduce((sum, count) => sum + count, 0);

describe("What has expired", () => {
  const note = "expired at 2026-09-12 20:00 UTC and has ended. It is not rented again until its expiresAt changes";

  test("is ended by a refresh that is told to, stays in the state, and is not rented again", async () => {
    const { rig, stack } = begin();
    const program: Program = { job: rental(), other: rental({ expiresAt: undefined }) };
    await stack.up(program);
    await pass(rig, 9);
    const ended = await endExpired(rig, stack);
    expect(ended.errors).toEqual({});
    expect(told(ended)).toEqual(["bare-metal rental 1001 had expired at 2026-09-12 20:00 UTC and was terminated"]);
    expect(rig.billing()).toEqual([1002]);
    expect(stack.get("job")).toMatchObject({ id: "1001", outputs: { status: "Expired" } });
    for (const gone of ["costPerHour", "ssh", "sshCommand"]) expect(stack.get("job").outputs).not.toHaveProperty(gone);
    for (const refresh of [false, true, true]) {
      const outcome = await stack.up(program, { refresh });
      expect(outcome).toMatchObject({ steps: ["same job", "same other"], errors: {} });
      expect(told(outcome)).toEqual([note]);
    }
    expect(rig.billing()).toEqual([1002]);
  });

  test("and was replaced is left to the next run: it shares its URN with what has replaced it", async () => {
    const { rig, stack } = begin();
    await stack.up({ job: rental() });
    rig.fault({ match: { method: "POST", path: paths.endBareMetal }, kind: "status", status: 403, times: 9 });
    await stack.up({ job: rental({ gpuCount: 16 }) });
    rig.emulator.faults.clear();
    expect(stack.condemned.map(({ id }) => id)).toEqual(["1001"]);
    await pass(rig, 9);
    expect((await endExpired(rig, stack)).errors).toEqual({});
    expect(rig.billing()).toEqual([1001]);
    await stack.up({ job: rental({ gpuCount: 16 }) });
    expect(rig.billing()).toEqual([]);
  });

  test("is not ended by an ordinary refresh, nor before its time", async () => {
    const { rig, stack } = begin();
    await stack.up({ job: rental() });
    await endExpired(rig, stack);
    await pass(rig, 9);
    await stack.refresh();
    expect(rig.billing()).toEqual([1001]);
    expect((await stack.up({ job: rental() })).steps).toEqual(["same job"]);
  });

  test("stays ended where somebody else has ended it after its time, and is rented again where that was before", async () => {
    const { rig, stack } = begin();
    const others = { x: rental({ expiresAt: "1d" }), y: rental({ expiresAt: "1d" }), z: rental({ expiresAt: "1d" }) };
    const program = { late: rental(), early: rental({ expiresAt: "20h" }), ...others };
    await stack.up(program);
    await pass(rig, 9);
    for (const { id } of [stack.get("late"), stack.get("early")]) {
      await rig.run(rig.client.terminateRental({ rentalType: "bare-metal", rentalId: Number(id) }));
    }
    await pass(rig, 1);
    const outcome = await stack.up(program, { refresh: true });
    expect(outcome).toMatchObject({
      steps: ["gone early", "same late", "same x", "same y", "same z", "create early"],
      errors: {},
    });
    expect(told(outcome)).toContain(`bare-metal rental 1001 has ended, after it expired at 2026-09-12 20:00 UTC`);
    expect(rig.billing()).toEqual([1003, 1004, 1005, 1006]);
  });

  test.each(["9h", undefined])("is rented again when its expiresAt changes to %s", async (expiresAt) => {
    const { rig, stack } = begin();
    await stack.up({ job: rental() });
    await pass(rig, 9);
    await endExpired(rig, stack);
    const outcome = await stack.up({ job: rental({ expiresAt }) }, { refresh: true });
    expect(outcome).toMatchObject({ steps: ["replace job", "delete job"], errors: {} });
    expect(rig.billing()).toEqual([1002]);
    expect(stack.get("job").outputs).not.toHaveProperty("__expired");
  });

  test("stays ended whatever else changes, and goes without being ended once more when the program drops it", async () => {
    const { rig, stack } = begin();
    await stack.up({ job: rental() });
    await pass(rig, 9);
    await endExpired(rig, stack);
    expect((await stack.up({ job: rental({ gpuCount: 16 }) })).steps).toEqual(["same job"]);
    const before = rig.count("POST", "/v2/alpha/on-demand/bare-metal-rentals/terminate");
    expect((await stack.destroy()).steps).toEqual(["delete job"]);
    expect(rig.count("POST", "/v2/alpha/on-demand/bare-metal-rentals/terminate")).toBe(before);
    expect(stack.state.size).toBe(0);
  });

  test("goes with a destroy although the configuration names no service any more", async () => {
    const { rig, stack } = begin();
    await stack.up({ job: rental() });
    await pass(rig, 9);
    await endExpired(rig, stack);
    const provider = rig.startProvider(
      {},
      { service: { addresses: { v2: "https://other.example", v1: "https://other.example" } } },
    );
    const before = requestsOf(rig);
    expect(await stack.destroy({ provider })).toMatchObject({ steps: ["delete job"], errors: {} });
    expect(requestsOf(rig)).toBe(before);
  });

  test("is found again where it runs after all, and ended by a destroy", async () => {
    const { rig, stack } = begin();
    await stack.up({ job: rental() });
    await pass(rig, 9);
    // As after lists that lacked it for too long.
    const kept = stack.get("job");
    stack.state.set("job", { ...kept, outputs: { ...kept.outputs, status: "Expired", __expired: true } });
    const outcome = await stack.refresh();
    expect(told(outcome)).toEqual(["bare-metal rental 1001 counted as expired and ended, but is Running"]);
    expect(stack.get("job").outputs).toMatchObject({ status: "Running", costPerHour: 19.92 });
    stack.state.set("job", { ...kept, outputs: { ...kept.outputs, status: "Expired", __expired: true } });
    await stack.destroy();
    expect(rig.billing()).toEqual([]);
  });

  /** It runs, and the state has it as ended. */
  async function expiredInVain(): Promise<{ rig: Rig; stack: FakeEngine }> {
    const { rig, stack } = begin();
    await stack.up({ job: rental() });
    await pass(rig, 9);
    const missing = leavingOut(paths.bareMetal, () => true);
    await stack.refresh(rig.startProvider({}, { wire: missing }));
    expect(stack.get("job").outputs["status"]).toBe("Expired");
    return { rig, stack };
  }

  test.each([0, 1, 5])("and runs after all is ended by a destroy, though %d lists leave it out", async (lists) => {
    const { rig, stack } = await expiredInVain();
    const wire = leavingOut(paths.bareMetal, () => true, lists);
    expect((await stack.destroy({ provider: rig.startProvider({}, { wire }) })).errors).toEqual({});
    expect(live(rig)).toEqual([]);
  });

  test.each([
    ["fails", () => answering(500, {}), "answered 500"],
    ["shows a record that cannot be read", () => answering(200, [{ id: 1001, label: ["odd"] }]), "cannot be read"],
  ])("stays in the state where a destroy cannot tell: the list %s", async (_, answer, reason) => {
    const { rig, stack } = await expiredInVain();
    const wire = intercepting(({ method, path }) =>
      method === "GET" && path === paths.bareMetal ? answer() : undefined,
    );
    const { errors } = await stack.destroy({ provider: rig.startProvider({}, { wire }) });
    expect(errors["job"]).toContain(reason);
    expect(stack.get("job").id).toBe("1001");
    expect((await stack.destroy()).errors).toEqual({});
    expect(live(rig)).toEqual([]);
  });

  test("goes within seconds, with six lists for all of it together", async () => {
    const { rig, stack } = begin();
    const program = Object.fromEntries(["a", "b", "c", "d"].map((name) => [name, rental()]));
    await stack.up(program);
    await pass(rig, 9);
    await endExpired(rig, stack);
    await pass(rig, 9);
    const [start, lists] = [rig.clock.now(), rig.count("GET", paths.bareMetal)];
    expect((await stack.destroy()).errors).toEqual({});
    expect(rig.clock.now() - start).toBeLessThan(5000);
    expect(rig.count("GET", paths.bareMetal) - lists).toBe(6);
  });

  test("is not replaced because it has failed, and what is left of it can be ended", async () => {
    const { rig, stack } = begin();
    rig.fault({ match: { method: "POST", path: "/v2/alpha/on-demand/bare-metal-rentals" }, kind: "fail-provisioning" });
    await stack.up({ job: rental() });
    await pass(rig, 9);
    const outcome = await stack.up({ job: rental() }, { refresh: true });
    expect(outcome.steps).toEqual(["same job"]);
    expect(told(outcome)).toEqual([
      "expired at 2026-09-12 20:00 UTC, and its status is Failed. It is not replaced; `gpufleet expired --destroy` terminates what is left of it",
    ]);
    await endExpired(rig, stack);
    expect(live(rig)).toEqual([]);
    expect(stack.get("job").outputs["status"]).toBe("Expired");
  });

  test("takes along the volume that was created with it", async () => {
    const { rig, stack } = begin();
    await stack.up({ job: rental({ storageVolume: { isNew: true, label: "scratch", sizeInGb: 256 } }) });
    expect(rig.billing()).toHaveLength(2);
    await pass(rig, 9);
    expect((await endExpired(rig, stack)).errors).toEqual({});
    expect(rig.billing()).toEqual([]);
  });

  test("is no obstacle to a volume that was attached to it", async () => {
    const { rig, stack } = begin();
    const program: Program = {
      job: rental(),
      stays: rental({ expiresAt: undefined }),
      data: { type: "StorageVolume", inputs: { region: "us-central-1", sizeInGb: 256 } },
      on: {
        type: "VolumeAttachment",
        inputs: (ids) => ({
          storageVolumeId: Number(ids["data"]),
          rentalIds: [Number(ids["job"]), Number(ids["stays"])],
        }),
      },
    };
    await stack.up(program);
    await pass(rig, 9);
    const attachment = stack.get("on");
    await endExpired(rig, stack);
    // The command refreshes nothing else.
    stack.state.set("on", attachment);
    for (const refresh of [false, true, true]) {
      const outcome = await stack.up(program, { refresh });
      expect(outcome).toMatchObject({ steps: expect.arrayContaining(["same job", "same on"]), errors: {} });
      expect(told(outcome)).toEqual([note]);
    }
    expect(rig.billing()).toHaveLength(2);
    expect((await stack.destroy()).errors).toEqual({});
    expect(rig.billing()).toEqual([]);
  });

  test("does not keep a volume from the rental that has its id by now", async () => {
    const { rig, stack } = begin();
    await stack.up({ job: rental() });
    await pass(rig, 9);
    await endExpired(rig, stack);
    rig.emulator.reuseId("bare-metal", 1001, "next-own");
    const next = rental({ expiresAt: undefined, label: "next-own", adoptId: 1001 });
    const job = rental();
    const others: Program = {
      data: { type: "StorageVolume", inputs: { region: "us-central-1", sizeInGb: 256 } },
      on: {
        type: "VolumeAttachment",
        inputs: (ids) => ({ storageVolumeId: Number(ids["data"]), rentalIds: [Number(ids["next"])] }),
      },
    };
    const attached = async () => (await rig.run(rig.client.listStorageVolumes()))[0]?.attachedRentals;
    expect((await stack.up({ next, job, ...others })).errors).toEqual({});
    expect(await attached()).toEqual([1001]);
    // Also in a process that has not adopted it itself, whichever of the two comes by first.
    for (const program of [
      { next, job, ...others },
      { job, next, ...others },
    ]) {
      await rig.run(rig.client.detachStorageVolume({ storageVolumeId: 1, rentalIds: [1001] }));
      const { errors, steps } = await stack.up(program, { refresh: true });
      expect(errors).toEqual({});
      expect(steps).toContain("update on");
      expect(await attached()).toEqual([1001]);
    }
  });

  test("does not count as vanished, so that others can be proven gone", async () => {
    const { rig, stack } = begin();
    const program: Program = { a: rental(), b: rental(), c: rental(), d: rental({ expiresAt: undefined }) };
    await stack.up(program);
    await pass(rig, 9);
    await endExpired(rig, stack);
    await rig.run(rig.client.terminateRental({ rentalType: "bare-metal", rentalId: Number(stack.get("d").id) }));
    await pass(rig, 1);
    expect(await stack.up(program, { refresh: true })).toMatchObject({ errors: {} });
    expect(rig.billing()).toEqual([1005]);
  });
});

describe("A duration after which something expires", () => {
  const shown = (change: (createdAt: string) => unknown) =>
    changingList(paths.bareMetal, (items) =>
      items.map((item) => ({ ...item, createdAt: change(String(item["createdAt"])) })),
    );
  const times = (stack: FakeEngine) => {
    const { createdAt, expiresAtTime } = stack.get("job").outputs;
    return [createdAt, expiresAtTime];
  };

  test("is counted from the time of the record, also in the form of a database", async () => {
    const { rig, stack } = begin();
    const wire = shown((time) => time.replace("T", " ").replace(/(\.\d+)?Z$/, " UTC"));
    await stack.up({ job: rental() }, { provider: rig.startProvider({}, { wire }) });
    expect(times(stack)).toEqual(["2026-09-12 12:00:00 UTC", "2026-09-12T20:00:00.000Z"]);
  });

  test("does not begin anew with each look where nobody can read when it was created", async () => {
    const { rig, stack } = begin();
    const wire = shown(() => "yesterday");
    await stack.up({ job: rental() }, { provider: rig.startProvider({}, { wire }) });
    const [createdAt, expiresAtTime] = times(stack);
    await pass(rig, 7);
    await stack.refresh(rig.startProvider({}, { wire }));
    expect(times(stack)).toEqual([createdAt, expiresAtTime]);
    await pass(rig, 2);
    await stack.refresh(rig.startProvider({ endExpired: true }, { wire }));
    expect(rig.billing()).toEqual([]);
  });

  test("is not ended by looking: the row says which command does that", async () => {
    const { rig, stack } = begin();
    await stack.up({ job: rental() });
    await pass(rig, 9);
    const provider = rig.startProvider({ endExpired: true });
    provider.engine.refreshesAtOnce = async () => false;
    const outcome = await stack.refresh(provider);
    expect(rig.billing()).toHaveLength(1);
    expect(told(outcome)).toContainEqual(
      expect.stringMatching(/^bare-metal rental 1001 expired at .* and is not terminated: .*--skip-preview/),
    );
  });

  test("is as a state has it that an older version wrote with such a time", async () => {
    const { rig, stack } = begin();
    await stack.up({ job: rental() });
    const job = stack.get("job");
    stack.state.set("job", { ...job, outputs: { ...job.outputs, createdAt: "yesterday" } });
    await pass(rig, 7);
    await stack.refresh(rig.startProvider({}, { wire: shown(() => "yesterday") }));
    expect(times(stack)[1]).toBe(job.outputs["expiresAtTime"]);
  });
});

describe("A time that has passed", () => {
  const expiresAt = "2026-09-12T11:00:00Z";

  test("is refused where something would be rented", async () => {
    const { rig, stack } = begin();
    const { errors } = await stack.up({ job: rental({ expiresAt }) });
    expect(errors).toEqual({
      job: 'expiresAt has passed (2026-09-12T11:00:00Z), so nothing is rented: set a later time, or a duration such as "8h", or leave it out',
    });
    expect(rig.billing()).toEqual([]);
  });

  test("may be given to what runs, which has then expired", async () => {
    const { rig, stack } = begin();
    await stack.up({ job: rental() });
    expect((await stack.up({ job: rental({ expiresAt }) })).errors).toEqual({});
    await endExpired(rig, stack);
    expect(rig.billing()).toEqual([]);
    expect((await stack.up({ job: rental({ expiresAt }) }, { refresh: true })).steps).toEqual(["same job"]);
  });
});

describe("An expiry that was not meant as it would be read", () => {
  const zone =
    'expiresAt must be a time with its time zone, such as "2026-12-24T18:00:00Z" (UTC) or "2026-12-24T18:00:00+01:00"';

  test.each([
    [
      "9999999999h",
      'expiresAt must be at most 100 years as a duration, not "9999999999h". Leave it out if it never expires',
    ],
    ["2030-01-01T09:00:00", `${zone}, not "2030-01-01T09:00:00"`],
    ["2020-01-01 09:00", `${zone}, not "2020-01-01 09:00"`],
  ])("is refused before anything is rented: %s", async (expiresAt, reason) => {
    const { rig, stack } = begin();
    expect((await stack.up({ job: rental({ expiresAt }) })).errors).toEqual({ job: reason });
    expect(rig.billing()).toEqual([]);
  });

  test.each(["36525d", "2030-01-01T09:00:00+05:30", "2030-01-01 09:00:00 UTC"])("is not %s", async (expiresAt) => {
    const { stack } = begin();
    expect((await stack.up({ job: rental({ expiresAt }) })).errors).toEqual({});
  });

  test("stays as the state has it, so that what has expired is not rented again for a correction", async () => {
    const { rig, stack } = begin();
    const expiresAt = "2026-09-12T20:00:00Z";
    await stack.up({ job: rental({ expiresAt }) });
    const { inputs, outputs, ...job } = stack.get("job");
    const former = { expiresAt: expiresAt.replace("Z", "") };
    stack.state.set("job", { ...job, inputs: { ...inputs, ...former }, outputs: { ...outputs, ...former } });
    await pass(rig, 9);
    await endExpired(rig, stack);
    expect(await stack.up({ job: rental(former) })).toMatchObject({ steps: ["same job"], errors: {} });
  });

  test("never loses a machine that was made", () => {
    expect(expiryTime("9999999999h", Date.parse("2026-09-12T12:00:00Z"))).toBeUndefined();
  });
});

describe("A fleet with members that have expired", () => {
  const fleet = (count: number, more: object = {}): Program => ({
    ...Object.fromEntries(
      Array.from({ length: count }, (_, index) => [
        `train-${index}`,
        rental({ waitForReady: false, __fleet: { count, regions: ["us-central-1"] }, ...more }),
      ]),
    ),
    "train-ready": {
      type: "FleetReady",
      inputs: (ids) => ({
        kind: "bare-metal",
        rentals: Array.from({ length: count }, (_, index) => `train-${index}`).map((name) => ({ name, id: ids[name] })),
      }),
    },
  });

  test("is up without them, costs nothing for them, and says so once", async () => {
    const { rig, stack } = begin();
    await stack.up(fleet(2));
    await pass(rig, 9);
    await endExpired(rig, stack);
    const grown = await stack.up(fleet(3), { refresh: true });
    expect(grown.errors).toEqual({});
    expect(grown.steps).toEqual(["same train-0", "same train-1", "create train-2", "update train-ready"]);
    expect(told(grown)).toEqual([
      "2 members have ended, expired at 2026-09-12 20:00 UTC. They are not rented again until expiresAt changes",
    ]);
    expect(stack.get("train-ready").outputs).toMatchObject({
      costPerHour: 19.92,
      members: [{ status: "Expired" }, { status: "Expired" }, { status: "Running" }],
    });
    await stack.refresh();
    expect(stack.get("train-ready").outputs).toMatchObject({ costPerHour: 19.92 });
    expect(await stack.destroy()).toMatchObject({ errors: {} });
    expect(rig.billing()).toEqual([]);
  });

  test("says so by the next up without a refresh, and then nothing changes", async () => {
    const { rig, stack } = begin();
    await stack.up(fleet(2));
    await pass(rig, 9);
    const gate = stack.get("train-ready");
    await endExpired(rig, stack);
    // The command refreshes nothing but the members.
    stack.state.set("train-ready", gate);
    expect(await stack.up(fleet(2))).toMatchObject({
      steps: ["same train-0", "same train-1", "update train-ready"],
      errors: {},
    });
    expect(stack.get("train-ready").outputs).toMatchObject({
      costPerHour: 0,
      members: [{ status: "Expired" }, { status: "Expired" }],
    });
    expect(await stack.up(fleet(2))).toMatchObject({ steps: ["same train-0", "same train-1", "same train-ready"] });
  });

  test("is rented again when its expiresAt changes", async () => {
    const { rig, stack } = begin();
    await stack.up(fleet(2));
    await pass(rig, 9);
    await endExpired(rig, stack);
    expect((await stack.up(fleet(2, { expiresAt: "9h" }), { refresh: true })).errors).toEqual({});
    expect(rig.billing()).toEqual([1003, 1004]);
    expect(stack.get("train-ready").outputs["costPerHour"]).toBe(39.84);
  });
});

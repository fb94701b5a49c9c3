import { FakeEngine } from "../fakeEngine";
import { createRig, paths } from "../rig";
import { changingEverything, live } from "../wire";

const train = { type: "BareMetalRental", inputs: { networkType: "infiniband", gpuCount: 8 } };
const times = /^(createdAt|updatedAt|startedAt|terminatedAt|deletedAt|effectiveAt|created|start|end)$/;

/** A service whose clock is ahead of ours by so many seconds, or behind where that is negative. */
function skewed(seconds: number) {
  const shift = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(shift);
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, member]) => [
        key,
        typeof member === "string" && times.test(key)
          ? new Date(Date.parse(member) + seconds * 1000).toISOString()
          : shift(member),
      ]),
    );
  };
  return { wire: changingEverything(shift) };
}

const skews = [0, 130, 600, 8 * 3600, -130, -3600, -8 * 3600];

describe("A service whose clock differs from ours", () => {
  test.each(skews)("by %i s: what is gone is found to be gone, in time", async (ahead) => {
    const rig = createRig();
    const stack = new FakeEngine(rig);
    const provider = () => rig.startProvider({}, skewed(ahead));
    await stack.up({ train }, { provider: provider() });
    await rig.run(rig.client.terminateRental({ rentalType: "bare-metal", rentalId: 1001 }));
    rig.clock.advance(60);
    const start = rig.clock.now();
    expect(await stack.refresh(provider())).toMatchObject({ steps: ["gone train"], errors: {} });
    expect(rig.clock.now() - start).toBeLessThan(150_000);
  });

  test.each(skews)("by %i s: a fresh machine that lists lack is neither dropped nor rented twice", async (ahead) => {
    const rig = createRig();
    const stack = new FakeEngine(rig);
    const provider = () => rig.startProvider({}, skewed(ahead));
    const hasty = { train: { ...train, inputs: { ...train.inputs, waitForReady: false } } };
    await stack.up(hasty, { provider: provider() });
    rig.fault({ match: { method: "GET", path: paths.bareMetal }, times: 4, kind: "stale-list", seconds: 60 });
    const { steps, errors } = await stack.up(hasty, { refresh: true, provider: provider() });
    expect({ steps, errors }).toEqual({ steps: ["same train"], errors: {} });
    expect(live(rig)).toEqual([1001]);
  });

  test.each(skews)("by %i s: a create whose reply is lost is found, or settled by the next up", async (ahead) => {
    const rig = createRig();
    const stack = new FakeEngine(rig);
    const post = { method: "POST", path: paths.bareMetal };
    const list = { method: "GET", path: paths.bareMetal };
    rig.fault(
      { match: post, kind: "reset-after" },
      { match: list, nth: 2, times: 70, kind: "stale-list", seconds: 600 },
    );
    await stack.up({ train }, { provider: rig.startProvider({}, skewed(ahead)) });
    rig.emulator.faults.clear();
    expect((await stack.up({ train }, { provider: rig.startProvider({}, skewed(ahead)) })).errors).toEqual({});
    expect(live(rig)).toEqual([1001]);
  });

  test.each(skews)("by %i s: expiresAt counts from the service's time of creation", async (clockSkewSeconds) => {
    const rig = createRig({ emulator: { clockSkewSeconds } });
    const stack = new FakeEngine(rig);
    const expiring = { ...train, inputs: { ...train.inputs, expiresAt: "8h" } };
    await stack.up({ train: expiring });
    const { createdAt, expiresAtTime } = stack.get("train").outputs;
    expect(Date.parse(String(expiresAtTime)) - Date.parse(String(createdAt))).toBe(8 * 3_600_000);
  });
});

describe.each([-28_800, -3600, 3600, 28_800])("Records that are %i s ahead of the service's own clock", (ahead) => {
  const expiring = (expiresAt: string, waitForReady = true) => ({
    train: { ...train, inputs: { ...train.inputs, expiresAt, waitForReady } },
  });

  async function stackWith(program: ReturnType<typeof expiring>) {
    const rig = createRig();
    const stack = new FakeEngine(rig);
    const begun = rig.clock.now();
    const provider = (settings: object = {}) => rig.startProvider(settings, skewed(ahead));
    await stack.up(program, { provider: provider() });
    const hours = () => (Date.parse(String(stack.get("train").outputs["expiresAtTime"])) - begun) / 3_600_000;
    return { rig, stack, provider, hours };
  }

  test.each([true, false])("do not change when a machine expires (waitForReady: %p)", async (waitForReady) => {
    const program = expiring("8h", waitForReady);
    const { rig, stack, provider, hours } = await stackWith(program);
    expect(hours()).toBeCloseTo(8, 1);
    rig.clock.advance(7 * 3600);
    expect((await stack.refresh(provider({ endExpired: true }))).errors).toEqual({});
    expect(live(rig)).toEqual([1001]);
    expect(hours()).toBeCloseTo(8, 1);
    rig.clock.advance(2 * 3600);
    expect((await stack.refresh(provider({ endExpired: true }))).errors).toEqual({});
    expect(live(rig)).toEqual([]);
  });

  test("do not either where the program says another duration", async () => {
    const { stack, provider, hours } = await stackWith(expiring("8h"));
    await stack.up(expiring("24h"), { refresh: true, provider: provider() });
    expect(hours()).toBeCloseTo(24, 1);
  });

  test("do not either where the reply to the create was lost", async () => {
    const rig = createRig();
    const stack = new FakeEngine(rig);
    const begun = rig.clock.now();
    rig.fault({ match: { method: "POST", path: paths.bareMetal }, kind: "reset-after" });
    await stack.up(expiring("8h"), { provider: rig.startProvider({}, skewed(ahead)) });
    const expires = Date.parse(String(stack.get("train").outputs["expiresAtTime"]));
    expect((expires - begun) / 3_600_000).toBeCloseTo(8, 1);
  });

  test("do not either where the next up takes over what a lost create has made", async () => {
    const rig = createRig();
    const stack = new FakeEngine(rig);
    const begun = rig.clock.now();
    const provider = () => rig.startProvider({}, skewed(ahead));
    rig.fault(
      { match: { method: "POST", path: paths.bareMetal }, kind: "reset-after" },
      { match: { method: "GET", path: paths.bareMetal }, nth: 2, times: 200, kind: "stale-list", seconds: 600 },
    );
    const program = expiring("8h");
    expect((await stack.up(program, { provider: provider() })).errors["train"]).toMatch(/unknown whether/);
    rig.emulator.faults.clear();
    rig.clock.advance(3600);
    expect((await stack.up(program, { provider: provider() })).errors).toEqual({});
    expect(live(rig)).toEqual([1001]);
    const expires = Date.parse(String(stack.get("train").outputs["expiresAtTime"]));
    expect((expires - begun) / 3_600_000).toBeCloseTo(8, 1);
  });

  test.each([true, false])(
    "do not either where the answer to the create says nothing of the time (waitForReady: %p)",
    async (waitForReady) => {
      const rig = createRig();
      const stack = new FakeEngine(rig);
      const begun = rig.clock.now();
      const box = { type: "MarketplaceInstance", inputs: { gpuCount: 1, select: {}, expiresAt: "8h", waitForReady } };
      await stack.up({ box }, { provider: rig.startProvider({}, skewed(ahead)) });
      rig.clock.advance(600);
      await stack.refresh(rig.startProvider({ endExpired: true }, skewed(ahead)));
      expect(live(rig)).toHaveLength(1);
      const expires = Date.parse(String(stack.get("box").outputs["expiresAtTime"]));
      expect((expires - begun) / 3_600_000).toBeCloseTo(8, 1);
    },
  );
});

test.each([-28_800, -130, 130, 28_800])(
  "The age of a machine goes by the service's clock, which is %i s ahead",
  async (clockSkewSeconds) => {
    const rig = createRig({ emulator: { clockSkewSeconds } });
    const stack = new FakeEngine(rig);
    await stack.up({ train });
    stack.state.clear();
    rig.clock.advance(600);
    const { errors } = await stack.up({ train });
    expect(errors["train"]).toMatch(/, for 10m\d*s?\) was created for this resource, but is missing from the state/);
  },
);

describe.each([-28_800, 28_800])("What expires at a service whose clock is %i s ahead", (clockSkewSeconds) => {
  const expiring = { ...train, inputs: { ...train.inputs, expiresAt: "4h" } };

  /** What `gpufleet expired --destroy` has the engine do, in a process that has not heard of the service before. */
  async function endAfter(hours: number) {
    const rig = createRig({ emulator: { clockSkewSeconds } });
    const stack = new FakeEngine(rig);
    await stack.up({ train: expiring });
    rig.clock.advance(hours * 3600);
    expect((await stack.refresh(rig.startProvider({ endExpired: true }))).errors).toEqual({});
    return live(rig);
  }

  test("is not ended before its time", async () => {
    expect(await endAfter(3)).toEqual([1001]);
  });

  test("is ended after it", async () => {
    expect(await endAfter(5)).toEqual([]);
  });

  test.each([
    { hours: 3, steps: ["replace train", "delete train"] },
    { hours: 5, steps: ["same train"] },
  ])("and has failed is replaced only before its time: $steps after $hours of 4 hours", async ({ hours, steps }) => {
    const rig = createRig({ emulator: { clockSkewSeconds } });
    const stack = new FakeEngine(rig);
    rig.fault({ match: { method: "POST", path: paths.bareMetal }, kind: "fail-provisioning" });
    await stack.up({ train: expiring });
    rig.clock.advance(hours * 3600);
    expect((await stack.up({ train: expiring }, { refresh: true })).steps).toEqual(steps);
  });
});

test("Nothing is ended by our own clock: where the service does not tell its time, a read fails", async () => {
  const rig = createRig();
  const stack = new FakeEngine(rig);
  await stack.up({ train: { ...train, inputs: { ...train.inputs, expiresAt: "4h" } } });
  rig.clock.advance(5 * 3600);
  rig.fault({ match: { method: "GET", path: "/billing/get_current_balance" }, times: 100, kind: "reset-before" });
  const { errors } = await stack.refresh(rig.startProvider({ endExpired: true }));
  expect(errors["train"]).toMatch(/^reading BareMetalRental "train": GET \/billing\/get_current_balance/);
  expect(live(rig)).toEqual([1001]);
});

test("A wait for what is missing ends with its operation, however long lists may lag", async () => {
  const rig = createRig({ settings: { listLagMs: 3_600_000 } });
  const stack = new FakeEngine(rig);
  await stack.up({ train: { ...train, inputs: { ...train.inputs, timeouts: { delete: "5m" } } } });
  await rig.run(rig.client.terminateRental({ rentalType: "bare-metal", rentalId: 1001 }));
  rig.clock.advance(60);
  const start = rig.clock.now();
  expect((await stack.refresh()).errors["train"]).toBe('reading BareMetalRental "train": still not listed after 5m00s');
  expect(rig.clock.now() - start).toBeLessThan(310_000);
  expect(stack.get("train").id).toBe("1001");
});

test.each([
  { ahead: 28_800, untilBoth: 6 },
  { ahead: -28_800, untilBoth: 14 },
])("A time that a person has named has come when it has by both clocks: %j", async ({ ahead, untilBoth }) => {
  const rig = createRig({ emulator: { clockSkewSeconds: ahead } });
  const stack = new FakeEngine(rig);
  const expiresAt = new Date(rig.clock.now() + 6 * 3_600_000).toISOString();
  await stack.up({ train: { ...train, inputs: { ...train.inputs, expiresAt } } });
  const end = () => stack.refresh(rig.startProvider({ endExpired: true }));
  rig.clock.advance(untilBoth * 3600 - 60);
  expect((await end()).errors).toEqual({});
  expect(live(rig)).toEqual([1001]);
  rig.clock.advance(120);
  expect((await end()).errors).toEqual({});
  expect(live(rig)).toEqual([]);
});

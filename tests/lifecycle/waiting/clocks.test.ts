import { FakeEngine } from "../fakeEngine";
import { createRig, paths } from "../rig";
import { changingEverything, live } from "../wire";

const train = { type: "BareMetalRental", inputs: { networkType: "infiniband", gpuCount: 8 } };
const times = /^(createdAt|updatedAt|startedAt|terminatedAt|deletedAt|effectiveAt|created)$/;

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

  test.each(skews)("by %i s: expiresAt counts from the service's time of creation", async (ahead) => {
    const rig = createRig();
    const stack = new FakeEngine(rig);
    const expiring = { ...train, inputs: { ...train.inputs, expiresAt: "8h" } };
    await stack.up({ train: expiring }, { provider: rig.startProvider({}, skewed(ahead)) });
    const { createdAt, expiresAtTime } = stack.get("train").outputs;
    expect(Date.parse(String(expiresAtTime)) - Date.parse(String(createdAt))).toBe(8 * 3_600_000);
  });
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

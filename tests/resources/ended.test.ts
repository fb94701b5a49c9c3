import { hasEnded } from "../../provider/resources/ended";
import { type Declared, FakeEngine } from "../lifecycle/fakeEngine";
import { createRig, paths } from "../lifecycle/rig";
import { answering, changingList, type Item, intercepting, leavingOut, live } from "../lifecycle/wire";

const now = Date.parse("2026-09-12T14:00:00Z");

test.each<[string | null | undefined, boolean]>([
  ["2026-09-12T13:59:00Z", true],
  ["2026-09-12 13:59:00.123+00", true],
  ["2026-09-12T15:59:00+02:00", true],
  // The `Date` of the answer has no fractions of a second.
  ["2026-09-12T14:00:00.900Z", true],
  ["2026-09-12T15:00:00Z", false],
  ["2026-09-12 16:00:00.000+00", false],
  ["0001-01-01T00:00:00Z", false],
  ["1970-01-01T00:00:00Z", false],
  ["Sat, 12 Sep 2026 13:59:00 GMT", true],
  ["Sat, 12 Sep 2026 15:59:00 GMT", false],
  ["Sat Sep 12 2026 15:59:00 GMT+0200 (Central European Summer Time)", true],
  ["Fri Jan 01 2027 00:00:00 GMT+0000 (Coordinated Universal Time)", false],
  ["2026-09-10", true],
  // It may be meant for the evening, anywhere.
  ["2026-09-12", false],
  ["2027-01-01", false],
  [String(now / 1000 - 60), true],
  [String(now + 60_000), false],
  // What nobody can read ends nothing.
  ["12 September", false],
  ["None", false],
  ["n/a", false],
  ["0000-00-00 00:00:00", false],
  ["infinity", false],
  ["TBD", false],
  ["1970-01-01", false],
  ["1970-01-01T00:00:00-08:00", false],
  ["", false],
  [null, false],
  [undefined, false],
])("an end at %p has passed at 14:00: %p", (time, isPassed) => {
  expect(hasEnded(now, undefined, time)).toBe(isPassed);
});

const kinds: [string, Declared, string, string, Item][] = [
  [
    "bare-metal rental",
    { type: "BareMetalRental", inputs: { networkType: "infiniband", gpuCount: 8 } },
    paths.bareMetal,
    "terminatedAt",
    { status: "Running" },
  ],
  [
    "bare-metal rental that is deleted",
    { type: "BareMetalRental", inputs: { networkType: "infiniband", gpuCount: 8 } },
    paths.bareMetal,
    "deletedAt",
    { status: "Unknown" },
  ],
  ["virtual machine", { type: "VmRental", inputs: { gpuCount: 1 } }, paths.vm, "terminatedAt", { status: "Running" }],
  [
    "storage volume",
    { type: "StorageVolume", inputs: { region: "us-central-1", sizeInGb: 256 } },
    paths.volumes,
    "deletedAt",
    { status: "active" },
  ],
  [
    "marketplace instance",
    { type: "MarketplaceInstance", inputs: { gpuCount: 1, select: {} } },
    paths.instances,
    "end",
    { instance: { status: "offline" } },
  ],
  [
    "marketplace instance with the names of rentals",
    { type: "MarketplaceInstance", inputs: { gpuCount: 1, select: {} } },
    paths.instances,
    "terminatedAt",
    { instance: { status: "stopped" } },
  ],
];

describe.each(kinds)("A %s that stays listed with another status", (_, it, path, field, more) => {
  async function listedWith(offsetSeconds: number, write: (time: string) => unknown = (time) => time) {
    const rig = createRig();
    const stack = new FakeEngine(rig);
    expect((await stack.up({ it })).errors).toEqual({});
    const time = new Date(rig.clock.now() + offsetSeconds * 1000).toISOString();
    const wire = changingList(path, (items) => items.map((item) => ({ ...item, ...more, [field]: write(time) })));
    rig.clock.advance(60);
    return { rig, stack, provider: () => rig.startProvider({}, { wire }) };
  }

  test("after its end is gone for a refresh, and needs no end by a destroy", async () => {
    const { stack, provider } = await listedWith(0);
    const state = structuredClone([...stack.state]);
    expect((await stack.refresh(provider())).steps).toEqual(["gone it"]);
    for (const [name, entry] of state) stack.state.set(name, entry);
    expect((await stack.destroy({ provider: provider() })).errors).toEqual({});
    expect(stack.state.size).toBe(0);
  });

  test("after an end that is told in seconds is gone, too", async () => {
    const { stack, provider } = await listedWith(0, (time) => Math.floor(Date.parse(time) / 1000));
    expect((await stack.refresh(provider())).steps).toEqual(["gone it"]);
  });

  test("and has an end that cannot be read is there", async () => {
    const { rig, stack, provider } = await listedWith(0, () => "12 September");
    expect((await stack.refresh(provider())).steps).not.toContain("gone it");
    expect(live(rig)).toHaveLength(1);
  });

  test("before its end is there", async () => {
    const { rig, stack, provider } = await listedWith(86_400);
    expect((await stack.refresh(provider())).steps).not.toContain("gone it");
    expect(live(rig)).toHaveLength(1);
  });
});

test.each(["None", "2027-01-01", "Fri Jan 01 2027 00:00:00 GMT+0000 (Coordinated Universal Time)", "next spring"])(
  "A machine that runs with the end %j is not rented again",
  async (terminatedAt) => {
    const rig = createRig();
    const stack = new FakeEngine(rig);
    const train = { type: "BareMetalRental", inputs: { networkType: "infiniband", gpuCount: 8 } };
    const wire = changingList(paths.bareMetal, (items) => items.map((item) => ({ ...item, terminatedAt })));
    await stack.up({ train });
    const { steps, errors } = await stack.up({ train }, { refresh: true, provider: rig.startProvider({}, { wire }) });
    expect({ steps, errors }).toEqual({ steps: ["same train"], errors: {} });
    expect(live(rig)).toEqual([1001]);
  },
);

describe("A virtual machine whose record has no status", () => {
  const box = { type: "VmRental", inputs: { gpuCount: 1 } };

  async function refreshedWith(change: (item: Item, now: string) => Item) {
    const rig = createRig();
    const stack = new FakeEngine(rig);
    await stack.up({ box });
    const now = new Date(rig.clock.now()).toISOString();
    const wire = changingList(paths.vm, (items) =>
      items.map(({ status: _, ...item }) => change({ ...item, updatedAt: null }, now)),
    );
    const { steps, errors, provider } = await stack.refresh(rig.startProvider({}, { wire }));
    return { steps, errors, stack, warnings: provider.shown.filter(({ kind }) => kind === "warning") };
  }

  test("is not gone for an end that cannot be read, and that is said", async () => {
    const { steps, stack, warnings } = await refreshedWith((item) => ({ ...item, terminatedAt: "12 September" }));
    expect(steps).not.toContain("gone box");
    expect(stack.get("box").id).toBe("1001");
    expect(warnings.map(({ text }) => text)).toEqual([
      'virtual-machine rental 1001 has the unknown status "Unknown, with the end 12 September"',
    ]);
  });

  test.each(["2026-09-12", "12 September"])(
    "has ended when its end was accepted and the record then says %j",
    async (end) => {
      const rig = createRig();
      const stack = new FakeEngine(rig);
      await stack.up({ box });
      const last = new Map<unknown, Item>();
      const wire = changingList(paths.vm, (items) => {
        const listed = items.map(({ status: _, ...item }) => ({ ...item, updatedAt: null }));
        for (const item of listed) last.set(Reflect.get(item, "id"), item);
        const ids = new Set(listed.map((item) => Reflect.get(item, "id")));
        return [...last].map(([id, item]) => (ids.has(id) ? item : { ...item, terminatedAt: end }));
      });
      const begun = rig.clock.now();
      expect((await stack.destroy({ provider: rig.startProvider({}, { wire }) })).errors).toEqual({});
      expect(rig.clock.now() - begun).toBeLessThan(60_000);
      expect(live(rig)).toEqual([]);
    },
  );

  test.each([0, 2])(
    "runs on where it said from the beginning what it says when its end was accepted (lists before without it: %i)",
    async (missing) => {
      const rig = createRig();
      const stack = new FakeEngine(rig);
      const list = changingList(paths.vm, (items) =>
        items.map(({ status: _, ...item }) => ({ ...item, updatedAt: null, terminatedAt: "with the term" })),
      );
      const end = intercepting(({ path }) => (path === paths.endVm ? answering(200, {}) : undefined));
      const late = leavingOut(paths.vm, () => true, missing);
      await stack.up({ box });
      await stack.refresh(rig.startProvider({}, { wire: list }));
      const provider = rig.startProvider({}, { wire: (transport) => end(late(list(transport))) });
      const { errors } = await stack.destroy({ provider });
      expect(errors["box"]).toMatch(/still Unknown, with the end with the term after 20m00s/);
      expect(stack.get("box").id).toBe("1001");
      expect(live(rig)).toEqual([1001]);
    },
  );

  test.each(["infinity", "TBD", "0"])("runs where its end is %j", async (terminatedAt) => {
    const { warnings } = await refreshedWith((item) => ({ ...item, terminatedAt }));
    expect(warnings).toEqual([]);
  });

  test.each(["None", "0001-01-01T00:00:00Z"])("has not started where its start is %j", async (startedAt) => {
    const { stack } = await refreshedWith((item) => ({ ...item, startedAt }));
    expect(stack.get("box").outputs["status"]).toBe("Pending");
  });

  const later = (now: string, seconds: number) => new Date(Date.parse(now) + seconds * 1000).toISOString();

  test("has ended by its own last change, where its times are ahead of the service's clock", async () => {
    const ended = (item: Item, now: string) => ({
      ...item,
      terminatedAt: later(now, 28_800),
      updatedAt: later(now, 28_801),
    });
    expect((await refreshedWith(ended)).steps).toEqual(["gone box"]);
  });

  test("has not ended where its end is later than its last change: that is a plan", async () => {
    const planned = (item: Item, now: string) => ({ ...item, terminatedAt: later(now, 28_800), updatedAt: now });
    expect((await refreshedWith(planned)).steps).not.toContain("gone box");
  });
});

import type { Values } from "../../../provider/lifecycle";
import { FakeEngine, getHandler, type Outcome, type Program } from "../fakeEngine";
import { createRig, paths, type Rig } from "../rig";
import { changingList, type Item, inPages, leavingOut, live } from "../wire";

const train = { type: "BareMetalRental", inputs: { networkType: "infiniband", gpuCount: 8 } };
const box = { type: "VmRental", inputs: { gpuCount: 1 } };
const data = { type: "StorageVolume", inputs: { region: "us-central-1", sizeInGb: 256 } };
const bargain = { type: "MarketplaceInstance", inputs: { gpuCount: 1, select: {} } };

const kinds = [
  ["bare-metal rental", train, paths.bareMetal],
  ["virtual machine", box, paths.vm],
  ["storage volume", data, paths.volumes],
  ["marketplace instance", bargain, paths.instances],
] as const;

function warnings({ provider }: Outcome): string[] {
  return provider.shown.filter(({ kind }) => kind === "warning").map(({ text }) => text);
}

async function running(program: Program) {
  const rig = createRig();
  const stack = new FakeEngine(rig);
  expect((await stack.up(program)).errors).toEqual({});
  rig.clock.advance(7 * 86_400);
  return { rig, stack };
}

describe("A list that leaves something out for a moment", () => {
  const cases = kinds.flatMap(([noun, it, path]) => [1, 2, 3, 5].map((requests) => ({ noun, it, path, requests })));
  test.each(cases)(
    "($noun, $requests in a row) makes up with refresh neither rent another one nor lose it",
    async ({ it, path, requests }) => {
      const { rig, stack } = await running({ it });
      const { id } = stack.get("it");
      const wire = leavingOut(path, () => true, requests);
      const provider = rig.startProvider({}, { wire });
      const { steps, errors } = await stack.up({ it }, { refresh: true, provider });
      expect({ steps, errors }).toEqual({ steps: ["same it"], errors: {} });
      expect(stack.get("it").id).toBe(id);
      expect(live(rig).map(String)).toEqual([id]);
    },
  );

  test("does so also where it begins with the second look", async () => {
    const { rig, stack } = await running({ a: train, b: train, c: train });
    let looks = 0;
    const wire = leavingOut(paths.bareMetal, ({ id }) => id === 1001 && ++looks % 3 !== 0);
    await stack.up({ a: train, b: train, c: train }, { refresh: true, provider: rig.startProvider({}, { wire }) });
    expect(live(rig)).toEqual([1001, 1002, 1003]);
    expect(stack.get("a").id).toBe("1001");
  });

  test("does not drop a fresh volume whose create did not wait", async () => {
    const rig = createRig();
    const stack = new FakeEngine(rig);
    const hasty = { type: "StorageVolume", inputs: { ...data.inputs, waitForReady: false } };
    await stack.up({ data: hasty });
    rig.fault({ match: { method: "GET", path: paths.volumes }, times: 4, kind: "stale-list", seconds: 60 });
    expect((await stack.refresh()).steps).toEqual([]);
    expect(stack.state.size).toBe(1);
  });

  test("that comes in pages, the rest behind a Link header, is followed to its end: a refresh forgets nothing", async () => {
    const program = { a: train, b: train, c: train };
    const { rig, stack } = await running(program);
    const { steps, errors } = await stack.up(program, {
      refresh: true,
      provider: rig.startProvider({}, { wire: inPages(paths.bareMetal, 2) }),
    });
    expect({ steps, errors }).toEqual({ steps: ["same a", "same b", "same c"], errors: {} });
  });
});

describe("What is gone", () => {
  test.each(kinds)(
    "(%s) is dropped when lists have lacked it for as long as they may lag, and that is said",
    async (_, it, path) => {
      const { rig, stack } = await running({ it, other: it });
      const { id } = stack.get("it");
      const wire = leavingOut(path, (item) => String(item["id"]) === id);
      const start = rig.clock.now();
      const refreshed = await stack.refresh(rig.startProvider({}, { wire }));
      expect(refreshed).toMatchObject({ steps: ["gone it"], errors: {} });
      expect(rig.clock.now() - start).toBeGreaterThanOrEqual(120_000);
      expect(warnings(refreshed)).toEqual([
        expect.stringMatching(/ no longer exists; `pulumi up` creates a new one if the program still has it$/),
      ]);
    },
  );

  test("is looked for at least six times, however short the time that lists may lag", async () => {
    const rig = createRig({ settings: { listLagMs: 0 } });
    const stack = new FakeEngine(rig);
    await stack.up({ train });
    const wire = leavingOut(paths.bareMetal, () => true, 5);
    expect((await stack.refresh(rig.startProvider({}, { wire }))).steps).toEqual([]);
    expect(stack.get("train").id).toBe("1001");
  });

  test("is looked for together: forty that are gone of 120 cost one wait", async () => {
    const names = Array.from({ length: 120 }, (_, index) => `node-${index}`);
    const { rig, stack } = await running(Object.fromEntries(names.map((name) => [name, train])));
    const wire = leavingOut(paths.bareMetal, ({ id }) => Number(id) % 3 === 0);
    const [start, asked] = [rig.clock.now(), rig.count("GET", paths.bareMetal)];
    const { steps } = await stack.refresh(rig.startProvider({}, { wire }));
    expect(steps).toHaveLength(40);
    expect(rig.clock.now() - start).toBeLessThan(150_000);
    expect(rig.count("GET", paths.bareMetal) - asked).toBeLessThan(80);
  });
});

describe("Several that vanish at once", () => {
  /** `missing` of `count` rentals are in no list. */
  async function vanished(count: number, missing: number) {
    const names = Array.from({ length: count }, (_, index) => `node-${index}`);
    const program = Object.fromEntries(names.map((name) => [name, train]));
    const { rig, stack } = await running(program);
    const isMissing = ({ id }: Item) => Number(id) <= 1000 + missing;
    const provider = (settings: object = {}) =>
      rig.startProvider(settings, { wire: leavingOut(paths.bareMetal, isMissing) });
    return { rig, stack, program, provider };
  }

  test.each([
    [2, 2],
    [3, 3],
    [4, 2],
    [4, 3],
    [5, 3],
    [5, 5],
  ])("of %i, %i, are not taken for gone, but named", async (count, missing) => {
    const { rig, stack, program, provider } = await vanished(count, missing);
    const { errors } = await stack.up(program, { refresh: true, provider: provider() });
    const named = Array.from({ length: missing }, (_, index) => 1001 + index).join(", ");
    expect(errors).toEqual(
      Object.fromEntries(
        Array.from({ length: missing }, (_, index) => [
          `node-${index}`,
          `reading BareMetalRental "node-${index}": ${missing} of the ${count} bare-metal rentals in this stack's state are ` +
            `missing from the service's list at once (${named}). That may be a mistake of the service, or the API key of ` +
            "another account, so none of them counts as gone. If they are gone, run this again with GPUFLEET_CONFIRM_GONE=1.",
        ]),
      ),
    );
    expect(stack.state.size).toBe(count);
    expect(live(rig)).toHaveLength(count);
  });

  test.each([
    [2, 1],
    [3, 1],
    [3, 2],
    [5, 2],
  ])("of %i, %i, are gone", async (count, missing) => {
    const { stack, provider } = await vanished(count, missing);
    expect(await stack.refresh(provider())).toMatchObject({ errors: {} });
    expect(stack.state.size).toBe(count - missing);
  });

  test("are gone on a person's word", async () => {
    const { stack, provider } = await vanished(2, 2);
    expect(await stack.refresh(provider({ confirmGone: true }))).toMatchObject({ errors: {} });
    expect(stack.state.size).toBe(0);
  });

  test("are looked for together on a person's word, too, however many there are", async () => {
    const { rig, stack, provider } = await vanished(2, 2);
    const runtime = provider({ confirmGone: true });
    const took = async ({ id, outputs }: { id: string; outputs: Values }) => {
      const start = rig.clock.now();
      expect(await rig.run(getHandler("BareMetalRental").read(runtime, id, outputs))).toBeUndefined();
      return rig.clock.now() - start;
    };
    expect(await took(stack.get("node-0"))).toBeGreaterThan(100_000);
    expect(await took(stack.get("node-1"))).toBeLessThan(10_000);
  });

  test("are not ended in the state by a destroy, either", async () => {
    const { rig, stack, provider } = await vanished(2, 2);
    rig.fault({
      match: { method: "POST", path: paths.endBareMetal },
      times: 99,
      kind: "status",
      status: 404,
      body: { detail: "Not Found" },
    });
    expect(Object.keys((await stack.destroy({ provider: provider() })).errors).sort()).toEqual(["node-0", "node-1"]);
    expect(stack.state.size).toBe(2);
    expect(live(rig)).toEqual([1001, 1002]);
  });

  test("are gone to a destroy when the service itself says so of each, as after a destroy that was killed", async () => {
    const { rig, stack } = await vanished(2, 0);
    for (const { id } of stack.state.values()) {
      await rig.run(rig.client.terminateRental({ rentalType: "bare-metal", rentalId: Number(id) }));
    }
    rig.clock.advance(600);
    expect((await stack.destroy()).errors).toEqual({});
    expect({ inState: stack.state.size, billing: rig.billing() }).toEqual({ inState: 0, billing: [] });
  });

  test("because a destroy ends them are no surprise", async () => {
    const { rig, stack } = await vanished(5, 0);
    expect((await stack.destroy()).errors).toEqual({});
    expect({ inState: stack.state.size, billing: rig.billing() }).toEqual({ inState: 0, billing: [] });
  });

  test("of different kinds do not count together", async () => {
    const { rig, stack } = await running({ train, data });
    const gone = (path: string) => leavingOut(path, () => true);
    const wire = (transport: Parameters<ReturnType<typeof gone>>[0]) =>
      gone(paths.volumes)(gone(paths.bareMetal)(transport));
    expect((await stack.refresh(rig.startProvider({}, { wire }))).steps.sort()).toEqual(["gone data", "gone train"]);
  });

  test("do not keep an attachment in the state whose volume is gone", async () => {
    const link = (volume: string) => ({
      type: "VolumeAttachment",
      inputs: (ids: Readonly<Record<string, string>>) => ({
        storageVolumeId: Number(ids[volume]),
        rentalIds: [Number(ids["train"])],
      }),
    });
    const { rig, stack } = await running({ train, one: data, two: data, first: link("one"), second: link("two") });
    const { id } = stack.get("one");
    const wire = leavingOut(paths.volumes, (item) => String(item["id"]) === id);
    const { steps, errors } = await stack.refresh(rig.startProvider({}, { wire }));
    expect({ steps: steps.sort(), errors }).toEqual({ steps: ["gone first", "gone one"], errors: {} });
  });
});

test("A refresh that says that nothing is there says what up will do about what has drifted", async () => {
  const { rig, stack } = await running({ train });
  const shown = (rig: Rig) => rig.client.listBareMetalRentals();
  const [record] = await rig.run(shown(rig));
  const body = [{ ...record, gpuType: "h200", connectionType: "ethernet" }];
  rig.fault({ match: { method: "GET", path: paths.bareMetal }, kind: "status", status: 200, body });
  expect(warnings(await stack.refresh())).toEqual([
    "gpuType, networkType differ from the program; `pulumi up` changes that",
  ]);
});

test.each([
  ["on-demand", "same"],
  ["reserved", "replace"],
])("What becomes of a term counts only while there is one: %s, %s", async (termType, becomes) => {
  const { rig, stack } = await running({ train });
  const wire = changingList(paths.bareMetal, (items) =>
    items.map((item) => ({
      ...item,
      convertToOnDemandOnExpiry: false,
      currentTerm: { ...Object(item["currentTerm"]), termType },
    })),
  );
  expect((await stack.refresh(rig.startProvider({}, { wire }))).errors).toEqual({});
  expect((await stack.up({ train }, { provider: rig.startProvider({}, { wire }) })).steps).toContain(
    `${becomes} train`,
  );
});

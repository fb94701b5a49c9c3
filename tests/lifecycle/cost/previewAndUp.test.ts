import { originKey, previewKey, type Runtime, type Values } from "../../../provider/lifecycle";
import { readPrices } from "../../../provider/shared/prices";
import { FakeEngine, getHandler } from "../fakeEngine";
import { createRig, type ProviderProcess } from "../rig";

type Program = Record<string, { type: string; inputs: Values }>;

/** What a preview of this program says: the limits that are broken, and all that is shown. */
function preview(stack: FakeEngine, provider: ProviderProcess, program: Program) {
  const failures = Object.entries(program).flatMap(([name, one]) => previewOne(stack, provider, name, one));
  return { failures, said: provider.shown.map(({ text }) => text) };
}

/** The calls of the engine for one resource: of what the state has, it asks anew where that is to be replaced. */
function previewOne(
  stack: FakeEngine,
  provider: Runtime,
  name: string,
  { type, inputs }: Program[string],
): readonly string[] {
  const handler = getHandler(type);
  const news = { ...inputs, [originKey]: `organization/${stack.urn(type, name)}`, [previewKey]: true };
  const state = stack.state.get(name);
  if (state) {
    const { inputs: checked } = handler.check(provider, state.inputs, news);
    try {
      if (handler.diff(provider, state.id, state.outputs, checked).replaces.length === 0) return [];
    } catch (error) {
      return [String(error)];
    }
  }
  return handler.check(provider, {}, news).failures.map(({ reason }) => reason);
}

const rental = (more: Values = {}) => ({
  type: "BareMetalRental",
  inputs: { networkType: "infiniband", gpuCount: 8, ...more },
});
const vm = (more: Values = {}) => ({ type: "VmRental", inputs: { gpuCount: 8, ...more } });
/** $6.40/h by the book. */
const volume = { isNew: true, label: "scratch", sizeInGb: 64_000 };
const book = readPrices('{"h100": 2.49, "storage": 0.0001}');

interface Case {
  what: string;
  /** What is up before, and with which prices. */
  before?: Program;
  earlier?: string;
  settings: { maxCostPerHour: number; prices?: string };
  program: Program;
  refused: string;
}

describe("A preview fails where `pulumi up` would refuse by the same prices", () => {
  const cases: Case[] = [
    {
      what: "a machine of a known price whose volume has none",
      settings: { maxCostPerHour: 15, prices: '{"h100": 2.49}' },
      program: { first: rental({ storageVolume: volume }) },
      refused: "first",
    },
    {
      what: "beside the volume that came with a rental which stays",
      before: { first: rental({ storageVolume: volume }) },
      settings: { maxCostPerHour: 43 },
      program: { first: rental({ storageVolume: volume }), second: rental() },
      refused: "second",
    },
    {
      what: "beside what a book has other prices of than when it was rented",
      before: { first: vm() },
      earlier: '{"h100": 2}',
      settings: { maxCostPerHour: 50, prices: '{"h100": 4}' },
      program: { first: vm(), second: vm() },
      refused: "second",
    },
    {
      what: "beside what had no price when it was rented",
      before: { first: vm() },
      earlier: "{}",
      settings: { maxCostPerHour: 30 },
      program: { first: vm(), second: vm() },
      refused: "second",
    },
    {
      what: "something of unknown price where the stack is past its limit already",
      before: { first: rental() },
      settings: { maxCostPerHour: 15, prices: "{}" },
      program: { first: rental(), second: vm() },
      refused: "second",
    },
  ];

  test.each(cases)("$what", async ({ before, earlier, settings, program, refused }) => {
    const rig = createRig({ settings: { prices: earlier === undefined ? book : readPrices(earlier) } });
    const stack = new FakeEngine(rig);
    if (before) expect((await stack.up(before)).errors).toEqual({});
    const now = { ...settings, prices: settings.prices === undefined ? book : readPrices(settings.prices) };
    const { failures } = preview(stack, rig.startProvider(now), program);
    const { errors } = await stack.up(program, { provider: rig.startProvider(now) });
    expect(errors[refused]).toMatch(/refused, nothing was created/);
    expect(failures).toEqual([expect.stringContaining("more than gpufleet:maxCostPerHour")]);
  });

  test("only warns where it is over by what is adopted, whose price it cannot know", async () => {
    const rig = createRig({ settings: { prices: book } });
    const stack = new FakeEngine(rig);
    await rig.run(rig.client.createBareMetalRental({ networkType: "infiniband", gpuCount: 8, label: "by-hand" }));
    const program = { first: rental({ adoptId: 1001 }), second: rental() };
    const settings = { maxCostPerHour: 45, prices: readPrices('{"h100": 3}') };
    const { failures, said } = preview(stack, rig.startProvider(settings), program);
    expect({ failures, warned: said.filter((text) => text.includes("adopted")) }).toEqual({
      failures: [],
      warned: [
        "with what is adopted, at estimated prices, this program would cost ≈ $48.00/h, more than gpufleet:maxCostPerHour of $45.00/h: `pulumi up` may refuse what is new.",
      ],
    });
    expect((await stack.up(program, { provider: rig.startProvider(settings) })).errors).toEqual({});
    const low = { ...settings, maxCostPerHour: 20 };
    expect(preview(new FakeEngine(rig, { project: "next" }), rig.startProvider(low), program).failures).toEqual([
      expect.stringContaining("would cost ≈ $48.00/h, more than gpufleet:maxCostPerHour of $20.00/h"),
    ]);
  });

  test("knows what is adopted by the price of its like, in whatever order", async () => {
    const rig = createRig();
    const stack = new FakeEngine(rig);
    await stack.up({ first: rental() });
    const adopted = rental({ adoptId: 1002 });
    for (const program of [
      { adopted, first: rental(), second: rental() },
      { first: rental(), second: rental(), adopted },
    ]) {
      const { failures, said } = preview(stack, rig.startProvider({ maxCostPerHour: 50 }), program);
      expect(failures).toEqual([]);
      expect(said).toContainEqual(expect.stringContaining("this program would cost ≈ $59.76/h"));
    }
  });

  test("counts a volume once that a StorageVolume of the program has adopted from its rental", async () => {
    const rig = createRig({ settings: { prices: book } });
    const stack = new FakeEngine(rig);
    const first = rental({ storageVolume: volume });
    await stack.up({ first });
    const [{ id = 0 } = {}] = await rig.run(rig.client.listStorageVolumes());
    const data = { type: "StorageVolume", inputs: { region: "us-central-1", sizeInGb: 64_000, adoptId: id } };
    const settings = { maxCostPerHour: 47 };
    const program = { first, data, second: rental() };
    for (const before of [{ first }, { first, data }]) {
      expect((await stack.up(before)).errors).toEqual({});
      const { failures, said } = preview(stack, rig.startProvider(settings), program);
      expect({ failures, said: said.at(-1) }).toEqual({ failures: [], said: "8×h100, ≈ $19.92/h" });
    }
    expect((await stack.up(program, { provider: rig.startProvider(settings) })).errors).toEqual({});
  });

  test("does not add what one cost to what another is to cost where both are to be replaced", async () => {
    const rig = createRig({ settings: { prices: book } });
    const stack = new FakeEngine(rig);
    await stack.up({ first: rental({ gpuCount: 16 }), second: rental({ gpuCount: 16 }) });
    const program = { new: rental(), first: rental(), second: rental() };
    const { failures } = preview(stack, rig.startProvider({ maxCostPerHour: 60 }), program);
    expect(failures).toEqual([]);
    expect(preview(stack, rig.startProvider({ maxCostPerHour: 50 }), program).failures).toEqual([
      expect.stringContaining("would cost ≈ $59.76/h"),
    ]);
  });

  test.each([
    { what: "has ended", status: "Terminated" },
    { what: "is ending", status: "Terminating" },
    { what: "may never have been created", status: "Running", id: "unresolved:by-hand" },
  ])("says nothing of two at once where the old one $what, but for its volume", async ({ status, id }) => {
    const rig = createRig({ settings: { prices: book } });
    const stack = new FakeEngine(rig);
    await stack.up({ first: rental({ storageVolume: volume }) });
    const first = stack.get("first");
    first.outputs = { ...first.outputs, status };
    if (id !== undefined) first.id = id;
    const said = (maxCostPerHour: number) =>
      preview(stack, rig.startProvider({ maxCostPerHour }), { first: rental({ storageVolume: volume }) }).said.filter(
        (text) => text.startsWith("while a replacement runs"),
      );
    expect(said(33)).toEqual([]);
    expect(said(30)).toEqual([expect.stringContaining("≈ $32.72/h")]);
  });

  test("only warns of a replacement, which may be deleted first", async () => {
    const rig = createRig({ settings: { prices: book } });
    const stack = new FakeEngine(rig);
    await stack.up({ first: rental() });
    const program = { first: rental({ networkType: "ethernet" }) };
    const { failures, said } = preview(stack, rig.startProvider({ maxCostPerHour: 30 }), program);
    expect(failures).toEqual([]);
    expect(said).toContainEqual(
      expect.stringMatching(
        /^while a replacement runs .* ≈ \$39\.84\/h, more than gpufleet:maxCostPerHour .* Set `deleteBeforeReplace: true` on the resource, or `replacement: "delete-first"` on the GpuFleet\.$/,
      ),
    );
    expect(preview(stack, rig.startProvider({ maxCostPerHour: 40 }), program).said).toEqual(["8×h100, ≈ $19.92/h"]);
    const { errors } = await stack.up(program, { provider: rig.startProvider({ maxCostPerHour: 30 }) });
    expect(errors["first"]).toMatch(/refused, nothing was created/);
  });
});

describe("A discount on a reserved term", () => {
  const terms = { termType: "reserved", termPeriodDays: 30, discountPercentage: 50 };

  test("counts for the prices of a book", async () => {
    const rig = createRig({ settings: { prices: book } });
    const stack = new FakeEngine(rig);
    const program = { first: rental({ ...terms, maxCostPerHour: 15 }) };
    expect(preview(stack, rig.startProvider(), program)).toEqual({ failures: [], said: ["8×h100, ≈ $9.96/h"] });
    expect((await stack.up(program)).errors).toEqual({});
    expect(stack.get("first").outputs["costPerHour"]).toBe(9.96);
  });

  test("counts where one on the same terms runs already, and not on others", async () => {
    const rig = createRig();
    const stack = new FakeEngine(rig);
    await stack.up({ first: rental(terms) });
    const dear = { ...terms, maxCostPerHour: 5 };
    const { errors } = await stack.up({
      first: rental(terms),
      second: rental(dear),
      third: rental({ ...dear, termPeriodDays: 60 }),
    });
    expect(errors["second"]).toMatch(/refused, nothing was created: it would cost \$9\.96\/h/);
    expect(errors["third"]).toMatch(/it costs \$9\.96\/h, .*terminated immediately/);
  });

  test("counts for the prices of a book at every look at a fleet, where the service shows neither price nor terms", async () => {
    const rig = createRig({ settings: { prices: book } });
    const stack = new FakeEngine(rig);
    const members = ["pool-0", "pool-1"];
    const __fleet = { count: 2, regions: ["us-central-1"], maxCostPerHour: 25 };
    const program = {
      ...Object.fromEntries(members.map((name) => [name, vm({ ...terms, waitForReady: false, __fleet })])),
      "pool-ready": {
        type: "FleetReady",
        inputs: (ids: Readonly<Record<string, string>>) => ({
          kind: "vm",
          maxCostPerHour: 25,
          rentals: members.map((name) => ({ name, id: ids[name] ?? "" })),
        }),
      },
    };
    expect((await stack.up(program)).errors).toEqual({});
    rig.clock.advance(600);
    expect((await stack.up(program, { refresh: true })).errors).toEqual({});
    expect(stack.get("pool-0").outputs["costPerHour"]).toBe(9.96);
    expect(stack.get("pool-ready").outputs["costPerHour"]).toBe(19.92);
  });
});

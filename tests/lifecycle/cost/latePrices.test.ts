import { originKey, uncheckedKey, untilPriced, type Values } from "../../../provider/lifecycle";
import { readPrices } from "../../../provider/shared/prices";
import { FakeEngine, getHandler } from "../fakeEngine";
import { createRig, paths } from "../rig";
import { changingList, live } from "../wire";

const rental = (more: Values = {}) => ({
  type: "BareMetalRental",
  inputs: { networkType: "infiniband", gpuCount: 8, ...more },
});

/** The same by a service that shows a price of 0 until then. */
const zeroUntilReady = changingList(paths.bareMetal, (items) =>
  items.map((item) =>
    item["status"] === "Running" ? item : { ...item, currentTerm: { ...Object(item["currentTerm"]), costPerHour: 0 } },
  ),
);

/** A service that shows what a machine costs only once that runs. */
const late = changingList(paths.bareMetal, (items) =>
  items.map((item) => (item["status"] === "Running" ? item : { ...item, currentTerm: undefined })),
);

describe("What is not waited for, and has no price yet,", () => {
  test("is held against its limit by the next `up` that knows its price", async () => {
    const rig = createRig();
    const stack = new FakeEngine(rig);
    const start = () => rig.startProvider({}, { wire: late });
    const program = { first: rental({ maxCostPerHour: 10, waitForReady: false }) };
    expect((await stack.up(program, { provider: start() })).errors).toEqual({});
    expect((await stack.up(program, { provider: start() })).steps).toEqual(["same first"]);
    rig.clock.advance(600);
    const { errors } = await stack.up(program, { provider: start(), refresh: true });
    expect(errors["first"]).toMatch(/costs \$19\.92\/h, more than its maxCostPerHour .* earlier run created it/);
    const raised = { first: rental({ maxCostPerHour: 20, waitForReady: false }) };
    expect((await stack.up(raised, { provider: start() })).errors).toEqual({});
    expect((await stack.up(raised, { provider: start(), refresh: true })).steps).toEqual(["same first"]);
    expect(live(rig)).toEqual([1001]);
  });

  test("changes nothing where the service never shows one", async () => {
    const rig = createRig({ settings: { prices: readPrices('{"h100": 1}') } });
    const stack = new FakeEngine(rig);
    const program = { first: { type: "VmRental", inputs: { gpuCount: 8, maxCostPerHour: 10, waitForReady: false } } };
    await stack.up(program);
    rig.clock.advance(600);
    expect(await stack.up(program, { refresh: true })).toMatchObject({ steps: ["same first"], errors: {} });
  });

  test("is not failed for an estimate: by a book that has risen it still changes in place, and its price is checked once it shows", async () => {
    const rig = createRig();
    const stack = new FakeEngine(rig);
    const start = (price: number) => rig.startProvider({ prices: readPrices(`{"h100": ${price}}`) }, { wire: late });
    const program = (more: Values = {}) => ({ first: rental({ maxCostPerHour: 10, waitForReady: false, ...more }) });
    await stack.up(program(), { provider: start(1) });
    const changed = program({ expiresAt: "8h" });
    expect(await stack.up(changed, { provider: start(2) })).toMatchObject({ steps: ["update first"], errors: {} });
    expect(await stack.up(changed, { provider: start(2) })).toMatchObject({ steps: ["same first"], errors: {} });
    rig.clock.advance(600);
    const { errors } = await stack.up(changed, { provider: start(2), refresh: true });
    expect(errors["first"]).toMatch(/costs \$19\.92\/h, more than its maxCostPerHour .* earlier run created it/);
  });

  test("is checked once, by the price that the state has, where no list ever shows it", async () => {
    const rig = createRig();
    const stack = new FakeEngine(rig);
    const inputs = { gpuCount: 8, select: {}, maxCostPerHour: 10, waitForReady: false };
    const program = { first: { type: "MarketplaceInstance", inputs } };
    await stack.up(program);
    const first = stack.get("first");
    expect(first.outputs["costPerHour"]).toBe(3.2);
    first.outputs = { ...first.outputs, [uncheckedKey]: untilPriced };
    expect(await stack.up(program)).toMatchObject({ steps: ["update first"], errors: {} });
    expect(await stack.up(program)).toMatchObject({ steps: ["same first"], errors: {} });
    expect(stack.get("first").outputs["costPerHour"]).toBe(3.2);
  });
});

/** A fleet of rentals, and its gate. */
function fleet(count: number, name = "pool", given: Values = {}): Parameters<FakeEngine["up"]>[0] {
  const names = Array.from({ length: count }, (_, index) => `${name}-${index}`);
  const __fleet = { count, regions: ["us-central-1"] };
  const members = names.map((name) => [name, rental({ waitForReady: false, __fleet })] as const);
  const gate = {
    type: "FleetReady",
    inputs: (ids: Readonly<Record<string, string>>) => ({
      kind: "bare-metal",
      rentals: names.map((name) => ({ name, id: ids[name] ?? "" })),
      ...given,
    }),
  };
  return { ...Object.fromEntries(members), [`${name}-ready`]: gate };
}

test("The limit of the stack holds for a fleet whose prices show only when it runs", async () => {
  const rig = createRig({ settings: { maxCostPerHour: 30 } });
  const stack = new FakeEngine(rig);
  const { errors } = await stack.up(fleet(2), { provider: rig.startProvider({}, { wire: late }) });
  expect(errors["pool-ready"]).toMatch(
    /this stack already cost \$0\.00\/h, and \$39\.84\/h more makes \$39\.84\/h, over gpufleet:maxCostPerHour of \$30\.00\/h\. The new ones were terminated immediately: pool-0, pool-1/,
  );
  expect(live(rig)).toEqual([]);
});

test("The limit of the stack holds for a fleet whose price book was too low", async () => {
  const rig = createRig({ settings: { maxCostPerHour: 30, prices: readPrices('{"h100": 1}') } });
  const stack = new FakeEngine(rig);
  const { errors } = await stack.up(fleet(2), { provider: rig.startProvider({}, { wire: late }) });
  expect(errors["pool-ready"]).toMatch(/makes \$39\.84\/h, over .* The new ones were terminated immediately/);
  expect(live(rig)).toEqual([]);
});

describe("A fleet whose prices show only after its run", () => {
  const notEnded =
    "Its machines were not terminated, because an earlier run created them. Raise the limit or request less.";

  test.each([
    { what: "its own limit", given: { maxCostPerHour: 30, waitForReady: false }, raised: { maxCostPerHour: 40 } },
    { what: "the limit of the stack", given: { waitForReady: false }, stackLimit: 30, raised: {} },
    {
      what: "its own limit, and was waited for in vain",
      given: { maxCostPerHour: 30, timeouts: { create: "10s" } },
      raised: { maxCostPerHour: 40 },
      error: "still 0 of 2 Running after 10s",
    },
  ])(
    "is held against $what by the next `up` that knows them, and not ended",
    async ({ given, stackLimit, raised, error = "" }) => {
      const rig = createRig({ settings: { prices: readPrices('{"h100": 1}') } });
      const stack = new FakeEngine(rig);
      const start = (maxCostPerHour = stackLimit) =>
        rig.startProvider(maxCostPerHour === undefined ? {} : { maxCostPerHour }, { wire: late });
      const up = (more: Values = {}, refresh = false, provider = start()) =>
        stack.up(fleet(2, "pool", { ...given, ...more }), { refresh, provider });
      expect((await up()).errors["pool-ready"] ?? "").toContain(error);
      rig.clock.advance(600);
      for (const refresh of [true, false, true]) {
        const { errors } = await up({}, refresh);
        expect(errors["pool-ready"]).toMatch(/\$39\.84\/h, (over|more than) .*maxCostPerHour of \$30\.00\/h\. /);
        expect(errors["pool-ready"]).toContain(notEnded);
      }
      expect(live(rig)).toHaveLength(2);
      const enough = start(stackLimit && 40);
      expect(await up(raised, true, enough)).toMatchObject({ errors: {} });
      expect((await up(raised, true, start(stackLimit && 40))).steps).toEqual([
        "same pool-0",
        "same pool-1",
        "same pool-ready",
      ]);
      expect(live(rig)).toHaveLength(2);
    },
  );

  test.each(["{}", '{"h100": 1}'])("changes nothing where the service never shows any (book %s)", async (book) => {
    const rig = createRig({ settings: { prices: readPrices(book), maxCostPerHour: 30 } });
    const stack = new FakeEngine(rig);
    const hidden = changingList(paths.bareMetal, (items) => items.map((item) => ({ ...item, currentTerm: undefined })));
    const up = () => stack.up(fleet(2), { refresh: true, provider: rig.startProvider({}, { wire: hidden }) });
    expect((await up()).errors).toEqual({});
    expect((await up()).steps).toEqual(["same pool-0", "same pool-1", "same pool-ready"]);
    expect((await up()).steps).toEqual(["same pool-0", "same pool-1", "same pool-ready"]);
  });
});

test.each([
  { book: "{}", gates: ["pool", "more"] },
  { book: "{}", gates: ["more", "pool"] },
  { book: '{"h100": 0.5}', gates: ["pool", "more"] },
  { book: '{"h100": 0.5}', gates: ["more", "pool"] },
])(
  "Of two fleets whose prices show at once, one stays where there is room for one: $gates by the book $book",
  async ({ book, gates }) => {
    const rig = createRig({ settings: { maxCostPerHour: 50, prices: readPrices(book) } });
    const stack = new FakeEngine(rig);
    const provider = rig.startProvider({}, { wire: late });
    const { "pool-ready": _, "more-ready": __, ...members } = { ...fleet(2), ...fleet(2, "more") };
    expect((await stack.up(members, { provider })).errors).toEqual({});
    const creates = gates.map(async (name) => {
      const rentals = [0, 1].map((index) => ({ name: `${name}-${index}`, id: stack.get(`${name}-${index}`).id }));
      const origin = { [originKey]: `organization/${stack.urn("FleetReady", `${name}-ready`)}` };
      return getHandler("FleetReady").create(provider, { kind: "bare-metal", rentals, waitForReady: true, ...origin });
    });
    const ended = await rig.run(Promise.allSettled(creates));
    expect(ended.filter(({ status }) => status === "rejected")).toHaveLength(1);
    expect(live(rig)).toHaveLength(2);
  },
);

test("A machine that passed by an estimate counts once when its price shows", async () => {
  const rig = createRig({ settings: { maxCostPerHour: 30, prices: readPrices('{"h100": 1}') } });
  const stack = new FakeEngine(rig);
  const provider = rig.startProvider({}, { wire: late });
  expect((await stack.up({ first: rental() }, { provider })).errors).toEqual({});
});

test.each(["{}", '{"h100": 0.5}'])(
  "Of two machines whose prices show at once, one stays where there is room for one: by the book %s",
  async (book) => {
    const rig = createRig({ settings: { maxCostPerHour: 30, prices: readPrices(book) } });
    const stack = new FakeEngine(rig);
    const program = { first: rental(), second: rental() };
    const { errors } = await stack.up(program, { provider: rig.startProvider({}, { wire: late }) });
    expect(Object.values(errors)).toEqual([expect.stringContaining("It was terminated immediately")]);
    expect(live(rig)).toHaveLength(1);
  },
);

describe("A price of 0 that a machine has until it runs is none:", () => {
  test.each([
    { what: "its own", inputs: { maxCostPerHour: 5 }, settings: {} },
    { what: "the stack's", inputs: {}, settings: { maxCostPerHour: 5 } },
  ])("$what limit holds when the price shows", async ({ inputs, settings }) => {
    const rig = createRig({ settings });
    const stack = new FakeEngine(rig);
    const provider = rig.startProvider({}, { wire: zeroUntilReady });
    const { errors } = await stack.up({ first: rental(inputs) }, { provider });
    expect(errors["first"]).toMatch(/\$19\.92\/h.*maxCostPerHour of \$5\.00\/h\. It was terminated immediately/);
    expect(live(rig)).toEqual([]);
  });

  test("what is not waited for is held against its limit by the next `up` that knows another", async () => {
    const rig = createRig();
    const stack = new FakeEngine(rig);
    const start = () => rig.startProvider({}, { wire: zeroUntilReady });
    const program = { first: rental({ maxCostPerHour: 10, waitForReady: false }) };
    expect((await stack.up(program, { provider: start() })).errors).toEqual({});
    expect(stack.get("first").outputs).not.toHaveProperty("costPerHour");
    rig.clock.advance(600);
    const { errors } = await stack.up(program, { provider: start(), refresh: true });
    expect(errors["first"]).toMatch(/costs \$19\.92\/h, more than its maxCostPerHour/);
  });
});

test("A virtual machine is refused before it is rented where the service shows the price of one like it", async () => {
  const rig = createRig({ emulator: { dialect: "rich" } });
  const stack = new FakeEngine(rig);
  const vm = (more: Values = {}) => ({ type: "VmRental", inputs: { gpuCount: 8, ...more } });
  await stack.up({ first: vm() });
  const { errors } = await stack.up({ first: vm(), second: vm({ maxCostPerHour: 10 }) });
  expect(errors["second"]).toMatch(/refused, nothing was created: it would cost \$19\.92\/h/);
  expect(rig.count("POST", paths.vm)).toBe(1);
});

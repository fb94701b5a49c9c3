import { readPrices } from "../../../provider/shared/prices";
import { FakeEngine } from "../fakeEngine";
import { createRig, paths, type RigOptions } from "../rig";
import { answering, changingList, type Item, intercepting, leavingOut, live, type Wire } from "../wire";

/** 8 GPUs cost $19.92/h, as bare metal and as a virtual machine. */
const rental = (more: object = {}) => ({
  type: "BareMetalRental",
  inputs: { networkType: "infiniband", gpuCount: 8, ...more },
});
const vm = (more: object = {}) => ({ type: "VmRental", inputs: { gpuCount: 8, ...more } });
/** The cheapest machine of the marketplace costs $3.20/h for 8 GPUs, the next one $7.60/h. */
const instance = (more: object = {}) => ({ type: "MarketplaceInstance", inputs: { gpuCount: 8, select: {}, ...more } });
/** One that comes after the one with this name. */
const inThisOrder = (name: string, { type, inputs }: { type: string; inputs: object }) => ({
  type,
  inputs: (ids: Readonly<Record<string, string>>) => {
    void ids[name];
    return { ...inputs };
  },
});
const book = readPrices('{"h100": 2.49, "storage": 0.0001}');
const twoRegions = readPrices('{"h100": {"us-central-1": 2.49, "eu-north-2": 9}}');

function createStack(options: RigOptions = {}) {
  const rig = createRig(options);
  return { rig, stack: new FakeEngine(rig) };
}

describe("What the limit of a stack counts", () => {
  test.each([
    { what: "another one", limit: 8, next: instance() },
    { what: "a rental", limit: 21, next: rental() },
  ])("a marketplace instance of this very run, whose record shows no price, before $what", async ({ limit, next }) => {
    const { rig, stack } = createStack({ settings: { maxCostPerHour: limit, prices: book } });
    const { errors } = await stack.up({ first: instance(), second: inThisOrder("first", next) });
    expect(errors["second"]).toMatch(/refused, nothing was created: this stack costs \$3\.20\/h, and /);
    expect(live(rig)).toHaveLength(1);
  });

  test.each([
    ["is listed as what cannot be read", (item: Item) => [{ ...item, status: { state: "Running" } }]],
    ["is left out by every list", () => []],
  ])("what the state has, and %s", async (_, change) => {
    const { rig, stack } = createStack({ settings: { prices: book } });
    await stack.up({ first: rental() });
    const wire = changingList(paths.bareMetal, (items) =>
      items.flatMap((item) => (item["id"] === 1001 ? change(item) : [item])),
    );
    const provider = rig.startProvider({ maxCostPerHour: 30 }, { wire });
    const { errors } = await stack.up({ first: rental(), second: rental() }, { provider });
    expect(errors["second"]).toMatch(
      /this stack costs \$19\.92\/h, and \$19\.92\/h more would make \$39\.84\/h, .* Not listed at the moment, and counted as the state has it: first\. If that has ended, `pulumi refresh` removes it\./,
    );
    expect(live(rig)).toEqual([1001]);
  });

  test("not what a refresh has just found to be gone", async () => {
    const { rig, stack } = createStack({ settings: { prices: book, maxCostPerHour: 30 } });
    await stack.up({
      first: rental(),
      bystander: { type: "StorageVolume", inputs: { region: "us-central-1", sizeInGb: 10 } },
    });
    const wire = changingList(paths.bareMetal, (items) => items.filter(({ id }) => id !== 1001));
    const provider = rig.startProvider({}, { wire });
    const { errors } = await stack.up({ second: rental() }, { provider, refresh: true });
    expect(errors).toEqual({});
  });

  test("of two kinds side by side, what passed its look before, although it was created later", async () => {
    const { rig, stack } = createStack({ emulator: { dialect: "rich" }, settings: { maxCostPerHour: 30 } });
    rig.fault(
      { match: { method: "GET", path: paths.vm }, nth: 2, times: 8, kind: "stale-list", seconds: 10 },
      { match: { method: "POST", path: paths.bareMetal }, kind: "delay", when: "before", ms: 2000 },
    );
    const { errors } = await stack.up({ first: vm(), second: rental() });
    expect(errors["first"]).toMatch(/this stack already cost \$19\.92\/h, .* It was terminated immediately/);
    expect(live(rig)).toHaveLength(1);
  });
});

/** What is kept of a volume, without its price. */
function withoutPriceOfVolume(outputs: object) {
  const { costPerHour: _, ...volume } = Object(Reflect.get(outputs, "__volume"));
  return { ...outputs, __volume: volume };
}

describe("A volume that is created with a rental", () => {
  const storageVolume = { isNew: true, label: "scratch", sizeInGb: 64_000 };

  test("counts before it is created", async () => {
    const { rig, stack } = createStack({ settings: { maxCostPerHour: 25, prices: book } });
    const { errors } = await stack.up({ first: rental({ storageVolume }) });
    expect(errors["first"]).toMatch(/\$26\.32\/h more with its volume would make \$26\.32\/h/);
    expect(live(rig)).toEqual([]);
  });

  test.each([book, readPrices("{}")])("counts once", async (prices) => {
    const { stack } = createStack({ settings: { maxCostPerHour: 26.32, prices } });
    expect((await stack.up({ first: rental({ storageVolume }) })).errors).toEqual({});
  });

  test("counts in the same run, and in later ones", async () => {
    const { rig, stack } = createStack();
    const first = rental({ storageVolume });
    const second = inThisOrder("first", rental());
    const sameRun = rig.startProvider({ maxCostPerHour: 44, prices: book });
    expect((await stack.up({ first, second }, { provider: sameRun })).errors["second"]).toMatch(
      /this stack costs \$26\.32\/h/,
    );
    const laterRun = rig.startProvider({ maxCostPerHour: 44 });
    const { errors } = await stack.up({ first, second }, { provider: laterRun });
    expect(errors["second"]).toMatch(/this stack costs \$26\.32\/h/);
  });

  test.each([
    ["the price that the service has shown of it", (outputs: object) => outputs],
    ["that of the book, where an older version has written the state", withoutPriceOfVolume],
  ])("counts also where no list shows it, at %s", async (_, written) => {
    const { rig, stack } = createStack();
    const first = rental({ storageVolume });
    await stack.up({ first });
    stack.state.set("first", { ...stack.get("first"), outputs: { ...written(stack.get("first").outputs) } });
    const wire = leavingOut(paths.volumes, () => true);
    const provider = rig.startProvider({ maxCostPerHour: 44, prices: book }, { wire });
    const { errors } = await stack.up({ first, second: rental() }, { provider });
    expect(errors["second"]).toMatch(/this stack costs \$26\.32\/h/);
    expect(errors["second"]).toContain("storage volume 1 of first $6.40/h");
    expect(errors["second"]).toContain(
      "Not listed at the moment, and counted as the state has it: storage volume 1 of first. If that has ended, `pulumi refresh` removes it. What came with a rental counts until that has ended.",
    );
  });

  test("counts no longer in the run that has deleted it", async () => {
    const { rig, stack } = createStack();
    await stack.up({ first: rental({ storageVolume }) });
    const wire = leavingOut(paths.volumes, () => rig.billing().length === 0);
    const provider = rig.startProvider({ maxCostPerHour: 25 }, { wire });
    await stack.destroy({ provider });
    expect((await stack.up({ second: rental() }, { provider, keep: true })).errors).toEqual({});
  });
});

describe("The limit of a resource", () => {
  test.each([
    ["unknown", "{}"],
    ["as the book has it", '{"h100": 1}'],
  ])("holds where the price shows only when the machine runs, and is %s before", async (_, prices) => {
    const { rig, stack } = createStack({ settings: { prices: readPrices(prices) } });
    const wire = changingList(paths.bareMetal, (items) =>
      items.map((item) => (item["status"] === "Running" ? item : { ...item, currentTerm: undefined })),
    );
    const provider = rig.startProvider({}, { wire });
    const { errors } = await stack.up({ first: rental({ maxCostPerHour: 10 }) }, { provider });
    expect(errors["first"]).toMatch(
      /it costs \$19\.92\/h, more than its maxCostPerHour of \$10\.00\/h\. It was terminated immediately/,
    );
    expect(live(rig)).toEqual([]);
    expect(provider.shown.filter(({ kind }) => kind === "warning")).toEqual([]);
  });

  test("holds on the next machine of the marketplace before that is rented", async () => {
    const { rig, stack } = createStack();
    rig.fault({
      match: { method: "POST", path: paths.createInstance },
      kind: "status",
      status: 400,
      body: { error: "not enough GPUs available" },
    });
    const { errors } = await stack.up({ first: instance({ maxCostPerHour: 5 }) });
    expect(errors["first"]).toMatch(/it would cost \$7\.60\/h, more than its maxCostPerHour of \$5\.00\/h/);
    expect(rig.count("POST", paths.createInstance)).toBe(1);
  });

  test("holds in a fallback region before anything is rented there", async () => {
    const { rig, stack } = createStack({ settings: { prices: twoRegions } });
    const wire: Wire = intercepting((request) =>
      request.method === "POST" && request.body["region"] === "us-central-1"
        ? answering(400, { error: "no capacity" })
        : undefined,
    );
    const first = vm({ gpuType: "h100", fallbackRegions: ["eu-north-2"], maxCostPerHour: 30 });
    const { errors } = await stack.up({ first }, { provider: rig.startProvider({}, { wire }) });
    expect(errors["first"]).toMatch(/it would cost \$72\.00\/h, more than its maxCostPerHour of \$30\.00\/h/);
    expect(live(rig)).toEqual([]);
  });

  test.each([24, 40, 48])("is no obstacle to %d GPUs that cost just as much", async (gpuCount) => {
    const { stack } = createStack();
    const maxCostPerHour = Math.round(2.49 * gpuCount * 100) / 100;
    const program = { first: rental(), second: inThisOrder("first", rental({ gpuCount, maxCostPerHour })) };
    expect((await stack.up(program)).errors).toEqual({});
  });

  test("is no obstacle to a machine of the marketplace that costs just as much: three times 0.40 is 1.20", async () => {
    const { stack } = createStack();
    const first = instance({ gpuCount: 3, select: { maxPricePerHour: 1.2 }, maxCostPerHour: 1.2 });
    expect((await stack.up({ first })).errors).toEqual({});
  });

  test("does not go by the price of what has ended", async () => {
    const { rig, stack } = createStack({ emulator: { dialect: "rich" } });
    await stack.up({ former: rental() });
    await stack.destroy();
    rig.clock.advance(3600);
    const wire = changingList(paths.bareMetal, (items) =>
      items.map((item) =>
        item["id"] === 1001 ? { ...item, currentTerm: { ...Object(item["currentTerm"]), costPerHour: 40 } } : item,
      ),
    );
    const provider = rig.startProvider({}, { wire });
    expect((await stack.up({ first: rental({ maxCostPerHour: 30 }) }, { provider })).errors).toEqual({});
  });

  test("ends nothing that a lost create of an earlier run has made, and lets it not pass either", async () => {
    const { rig, stack } = createStack();
    let isMade = false;
    const wire = intercepting((request, send) => {
      if (request.path !== paths.bareMetal) return undefined;
      if (request.method !== "POST") return isMade ? answering(503, "try later") : undefined;
      isMade = true;
      return send().then(() => answering(502, "bad gateway"));
    });
    await stack.up({ first: rental() }, { provider: rig.startProvider({}, { wire }) });
    expect(stack.get("first").id).toMatch(/^unresolved:/);
    rig.clock.advance(7 * 86_400);
    const { errors } = await stack.up({ first: rental({ maxCostPerHour: 10 }) });
    expect(errors["first"]).toMatch(/It was not terminated, because an earlier run created it/);
    expect(live(rig)).toEqual([1001]);
    expect(stack.get("first").id).toBe("1001");
  });
});

describe("The limit of a fleet", () => {
  test("goes by what each region costs", async () => {
    const { stack } = createStack({ settings: { prices: twoRegions } });
    const regions = ["us-central-1", "eu-north-2"];
    const fleet = (maxCostPerHour: number) => {
      const __fleet = { count: 2, regions, replacement: "create-first", maxCostPerHour };
      const member = (region: string) => vm({ region, waitForReady: false, __fleet });
      return Object.fromEntries(regions.map((region, index) => [`pool-${index}`, member(region)]));
    };
    const tooMuch = /the fleet of 2 would cost \$91\.92\/h, more than its maxCostPerHour of \$90\.00\/h/;
    expect((await stack.up(fleet(90))).errors).toEqual({
      "pool-0": expect.stringMatching(tooMuch),
      "pool-1": expect.stringMatching(tooMuch),
    });
    expect((await stack.up(fleet(100))).errors).toEqual({});
  });
});

import { uncheckedKey, untilPriced, type Values } from "../../../provider/lifecycle";
import { readPrices } from "../../../provider/shared/prices";
import { FakeEngine } from "../fakeEngine";
import { createRig, paths } from "../rig";
import { changingList, live } from "../wire";

const rental = (more: Values = {}) => ({
  type: "BareMetalRental",
  inputs: { networkType: "infiniband", gpuCount: 8, ...more },
});

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
function fleet(count: number): Parameters<FakeEngine["up"]>[0] {
  const names = Array.from({ length: count }, (_, index) => `pool-${index}`);
  const __fleet = { count, regions: ["us-central-1"] };
  const members = names.map((name) => [name, rental({ waitForReady: false, __fleet })] as const);
  const gate = {
    type: "FleetReady",
    inputs: (ids: Readonly<Record<string, string>>) => ({
      kind: "bare-metal",
      rentals: names.map((name) => ({ name, id: ids[name] ?? "" })),
    }),
  };
  return { ...Object.fromEntries(members), "pool-ready": gate };
}

test("The limit of the stack holds for a fleet whose prices show only when it runs", async () => {
  const rig = createRig({ settings: { maxCostPerHour: 30 } });
  const stack = new FakeEngine(rig);
  const { errors } = await stack.up(fleet(2), { provider: rig.startProvider({}, { wire: late }) });
  expect(errors["pool-ready"]).toMatch(
    /this stack costs \$39\.84\/h, over gpufleet:maxCostPerHour of \$30\.00\/h\. The new ones were terminated immediately: pool-0, pool-1/,
  );
  expect(live(rig)).toEqual([]);
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

/** Services that show a machine otherwise than it was asked for, from the first list on. */

import { readPrices } from "../../../provider/shared/prices";
import { FakeEngine, type Program } from "../fakeEngine";
import { createRig, paths } from "../rig";
import { changingList, type Wire } from "../wire";

const rental = (more: object = {}): Program => ({
  train: { type: "BareMetalRental", inputs: { networkType: "infiniband", gpuCount: 8, ...more } },
});
const volume: Program = { data: { type: "StorageVolume", inputs: { region: "us-central-1", sizeInGb: 1024 } } };

const shownWith = (path: string, change: object): Wire =>
  changingList(path, (items) => items.map((item) => ({ ...item, ...change })));
const ethernet = shownWith(paths.bareMetal, { connectionType: "ethernet" });

function setUp(wire: Wire, ...more: Wire[]) {
  const rig = createRig();
  const stack = new FakeEngine(rig);
  const provider = () => ({
    provider: rig.startProvider(
      {},
      { wire: [wire, ...more].reduce((one, next) => (transport) => next(one(transport))) },
    ),
  });
  return { rig, stack, provider };
}

describe("A service that shows something else than was asked for from the first list on", () => {
  test.each<[string, Program, Wire]>([
    ["another network", rental(), ethernet],
    [
      "the GPU type and the region in capitals",
      rental(),
      shownWith(paths.bareMetal, { gpuType: "H100", region: "US-CENTRAL-1" }),
    ],
    ["a network, where nothing waited for the machine", rental({ waitForReady: false }), ethernet],
    ["a volume's size in other units", volume, shownWith(paths.volumes, { sizeGb: 1000, sizeInGb: 1000 })],
    [
      "another GPU type of a virtual machine",
      { box: { type: "VmRental", inputs: { gpuCount: 1 } } },
      shownWith(paths.vm, { gpuType: "h200" }),
    ],
  ])("does not have the machine replaced: %s", async (_, program, wire) => {
    const { rig, stack, provider } = setUp(wire);
    await stack.up(program, provider());
    const [made] = rig.billing();
    for (let time = 0; time < 3; time += 1) {
      rig.clock.advance(600);
      const { steps, errors } = await stack.up(program, { ...provider(), refresh: true });
      expect({ steps, errors }).toEqual({ steps: [expect.stringMatching(/^same /)], errors: {} });
    }
    expect(rig.billing()).toEqual([made]);
  });

  test.each<[string, object]>([
    ["as it was asked for", {}],
    ["as nothing", { connectionType: null }],
    ["as a third thing", { connectionType: "loopback" }],
  ])("does not have it replaced either where a machine that is not ready is shown %s", async (_, pending) => {
    const wire = changingList(paths.bareMetal, (items) =>
      items.map((item) => ({ ...item, ...(item["status"] === "Pending" ? pending : { connectionType: "ethernet" }) })),
    );
    const { rig, stack, provider } = setUp(wire);
    const hasty = rental({ waitForReady: false });
    await stack.up(hasty, provider());
    const [made] = rig.billing();
    const told: string[] = [];
    for (const seconds of [0, 1, 600, 600]) {
      rig.clock.advance(seconds);
      const outcome = await stack.up(hasty, { ...provider(), refresh: true });
      expect(outcome).toMatchObject({ steps: [expect.stringMatching(/^(same|update) train/)], errors: {} });
      told.push(...outcome.provider.shown.map(({ text }) => text).filter((text) => text.includes('"ethernet"')));
    }
    expect(rig.billing()).toEqual([made]);
    expect(told).toHaveLength(1);
  });

  test("is told once, by the up that creates the machine", async () => {
    const { stack, provider } = setUp(ethernet);
    const { provider: first } = await stack.up(rental(), provider());
    expect(first.shown.map(({ text }) => text)).toContain(
      'the service shows bare-metal rental 1001 with networkType "ethernet" where "infiniband" was asked for. That is what the service has made of the request, so it is not replaced',
    );
    const { provider: second } = await stack.up(rental(), { ...provider(), refresh: true });
    expect(second.shown.filter(({ kind }) => kind === "warning")).toEqual([]);
  });

  test("is told by the first refresh where the up did not wait for a list", async () => {
    const { stack, provider } = setUp(ethernet);
    await stack.up(rental({ waitForReady: false }), provider());
    const { provider: next } = await stack.refresh(provider().provider);
    expect(next.shown.map(({ text }) => text)).toContainEqual(
      expect.stringContaining('networkType "ethernet" where "infiniband" was asked for'),
    );
  });

  test("is agreed with by a program that says what the service shows: nothing is replaced for that", async () => {
    const { rig, stack, provider } = setUp(ethernet);
    await stack.up(rental(), provider());
    const { steps } = await stack.up(rental({ networkType: "ethernet" }), { ...provider(), refresh: true });
    expect(steps).toEqual(["same train"]);
    expect(rig.billing()).toEqual([1001]);
  });

  test("is still replaced by a program that asks for something else again", async () => {
    const { rig, stack, provider } = setUp(shownWith(paths.bareMetal, { gpuType: "h200" }));
    await stack.up(rental(), provider());
    const { steps } = await stack.up(rental({ gpuType: "b200" }), { ...provider(), refresh: true });
    expect(steps).toContain("replace train");
    expect(rig.billing()).toEqual([1002]);
  });

  test("counts with the price of what runs, by the book", async () => {
    const { rig, stack } = setUp(ethernet);
    const prices = readPrices(JSON.stringify({ h100: 2, h200: 20 }));
    const wire = changingList(paths.vm, (items) =>
      items.map(({ currentTerm: _, costPerHourCents: __, ...item }) => ({ ...item, gpuType: "h200" })),
    );
    const provider = () => ({ provider: rig.startProvider({ prices, maxCostPerHour: 21 }, { wire }) });
    const box = { type: "VmRental", inputs: { gpuCount: 1 } };
    await stack.up({ box }, provider());
    await stack.refresh(provider().provider);
    const { errors } = await stack.up({ box, other: box }, provider());
    expect(errors["other"]).toMatch(/more than|over/);
    expect(rig.billing()).toHaveLength(1);
  });

  test("is drift as soon as it shows something else again", async () => {
    const { stack, rig } = setUp(ethernet);
    await stack.up(rental(), {
      provider: rig.startProvider({}, { wire: shownWith(paths.bareMetal, { gpuCount: 16 }) }),
    });
    const { steps } = await stack.up(rental(), {
      provider: rig.startProvider({}, { wire: shownWith(paths.bareMetal, { gpuCount: 24 }) }),
      refresh: true,
    });
    expect(steps).toContain("replace train");
  });

  test("does not make the machine somebody else's where the key was rotated and nothing shows the account", async () => {
    const anonymous = shownWith(paths.bareMetal, { connectionType: "ethernet", userId: "", orgId: null });
    const { rig, stack, provider } = setUp(anonymous);
    const chosen = rental({ label: "chosen" });
    await stack.up(chosen, provider());
    const rotated = rig.startProvider({}, { service: { key: "rotated" }, wire: anonymous });
    expect(await stack.up(chosen, { provider: rotated, refresh: true })).toMatchObject({
      steps: ["same train"],
      errors: {},
    });
  });
});

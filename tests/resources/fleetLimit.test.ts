import { readPrices } from "../../provider/shared/prices";
import { FakeEngine, type Outcome } from "../lifecycle/fakeEngine";
import { paths } from "../lifecycle/rig";
import { changingList, leavingOut, live } from "../lifecycle/wire";
import { begin, fleet, price, spec } from "./fleetProgram";

describe("The limit of a fleet", () => {
  test("lets a fleet through that costs exactly as much", async () => {
    const { rig, stack } = begin();
    const { errors, provider } = await stack.up(fleet({ count: 3, maxCostPerHour: 3 * price }));
    expect(errors).toEqual({});
    expect(provider.shown.filter(({ kind }) => kind === "warning")).toEqual([]);
    expect(rig.billing()).toHaveLength(3);
  });

  test("refuses a fleet as a whole where the price is known", async () => {
    const { rig, stack } = begin();
    await stack.up({ other: { type: "BareMetalRental", inputs: spec["bare-metal"] } });
    const { errors } = await new FakeEngine(rig, { project: "next" }).up(fleet({ count: 3, maxCostPerHour: 50 }));
    expect(errors).toMatchObject({
      "train-0":
        'creating BareMetalRental "train-0": refused, nothing was created: the fleet of 3 would cost $59.76/h, more than its maxCostPerHour of $50.00/h. Raise the limit or request less.',
      "train-1": expect.stringContaining("nothing was created"),
      "train-2": expect.stringContaining("nothing was created"),
    });
    expect(rig.count("POST", paths.bareMetal)).toBe(1);
  });

  test("ends what was rented at once where the price shows only then", async () => {
    const { rig, stack } = begin();
    const { errors } = await stack.up(fleet({ count: 3, maxCostPerHour: 50 }));
    expect(errors["train-0"]).toBe(
      'creating BareMetalRental "train-0": the fleet of 3 would cost $59.76/h, more than its maxCostPerHour of $50.00/h. It was terminated immediately.',
    );
    expect(stack.state.size).toBe(0);
    expect(rig.billing()).toEqual([]);
  });

  test("counts what runs already at its own price", async () => {
    const { rig, stack } = begin();
    await stack.up(fleet({ count: 2, maxCostPerHour: 50 }));
    const grown = await stack.up(fleet({ count: 3, maxCostPerHour: 50 }));
    expect(grown.errors["train-2"]).toContain("refused, nothing was created: the fleet of 3 would cost $59.76/h");
    expect(rig.billing()).toHaveLength(2);
    expect((await stack.up(fleet({ count: 3, maxCostPerHour: 60 }))).errors).toEqual({});
  });

  test("counts it at its own price also when the stack has another name by then", async () => {
    const { rig, stack } = begin();
    await stack.up(fleet({ count: 2, maxCostPerHour: 50 }));
    const renamed = new FakeEngine(rig, { stack: "renamed" });
    for (const [name, kept] of stack.state) renamed.state.set(name, kept);
    stack.state.clear();
    const wire = changingList(paths.bareMetal, (items) =>
      items.map((item, index) => (index === 0 ? { ...item, currentTerm: { costPerHour: 30 } } : item)),
    );
    const provider = rig.startProvider({}, { wire });
    const { errors } = await renamed.up(fleet({ count: 3, maxCostPerHour: 65 }), { provider });
    expect(errors["train-2"]).toContain("nothing was created: the fleet of 3 would cost $69.84/h, more than its");
    expect(rig.billing()).toHaveLength(2);
  });

  test("goes by the price book alone where the service has no list of its members", async () => {
    const { rig, stack } = begin({ emulator: { dialect: "none" } });
    const provider = () => rig.startProvider({ prices: readPrices('{"h100": 2.5}') });
    const refused = await stack.up(fleet({ kind: "vm", count: 3, maxCostPerHour: 5 }), { provider: provider() });
    expect(refused.errors["train-0"]).toContain(
      "nothing was created: the fleet of 3 would cost $7.50/h, more than its",
    );
    expect(rig.billing()).toEqual([]);
    const { errors } = await stack.up(fleet({ kind: "vm", count: 2, maxCostPerHour: 5 }), { provider: provider() });
    expect(errors).toEqual({});
    expect(rig.billing()).toHaveLength(2);
  });

  test("does not change members when it changes, and does not end what runs", async () => {
    const { rig, stack } = begin();
    await stack.up(fleet({ count: 2, maxCostPerHour: 50 }));
    const { steps, provider } = await stack.up(fleet({ count: 2, maxCostPerHour: 20 }));
    expect(steps).toEqual(["same train-0", "same train-1", "update train-ready"]);
    expect(provider.shown.filter(({ kind }) => kind === "warning").map(({ text }) => text)).toEqual([
      "its machines cost $39.84/h, more than maxCostPerHour of $20.00/h; running machines are not terminated",
    ]);
    expect(rig.billing()).toHaveLength(2);
  });

  test("has room for a member that replaces a failed one", async () => {
    const { rig, stack } = begin();
    rig.fault({ match: { method: "POST", path: paths.bareMetal }, kind: "fail-provisioning" });
    const program = fleet({ count: 2, maxCostPerHour: 2 * price });
    await stack.up(program);
    expect((await stack.up(program, { refresh: true })).errors).toEqual({});
    expect(rig.billing()).toHaveLength(2);
  });

  test("is kept by the gate where the members did not know the price", async () => {
    const { rig, stack } = begin();
    const { errors } = await stack.up(fleet({ count: 2, gate: { maxCostPerHour: 30 } }));
    expect(errors["train-ready"]).toContain(
      "its machines cost $39.84/h, more than maxCostPerHour of $30.00/h. The new ones were terminated immediately: train-0, train-1.",
    );
    expect(errors["train-ready"]).not.toContain("bill now");
    expect(rig.billing()).toEqual([]);
  });

  test.each([[], ["gpuType"]])(
    "goes by what is asked for now, where machines of another kind still run for it (%j is a secret)",
    async (...secrets) => {
      const prices = readPrices('{"h100": 2.49, "h200": 3.29}');
      const of = (gpuType: string, maxCostPerHour: number) =>
        fleet({ count: 2, maxCostPerHour, member: { gpuType, region: "us-central-1" } });
      const cheaper = begin({ settings: { prices } });
      expect((await cheaper.stack.up(of("h200", 100))).errors).toEqual({});
      expect((await cheaper.stack.up(of("h100", 45))).errors).toEqual({});
      expect(cheaper.rig.billing()).toHaveLength(2);
      const dearer = begin({ settings: { prices } });
      dearer.stack.secrets = secrets;
      expect((await dearer.stack.up(of("h100", 45))).errors).toEqual({});
      const { errors } = await dearer.stack.up(of("h200", 50));
      expect(errors["train-0"]).toContain("refused, nothing was created: the fleet of 2 would cost $52.64/h");
      expect(dearer.rig.count("POST", paths.bareMetal)).toBe(2);
    },
  );

  describe("where a price shows only when the machine runs", () => {
    const wire = changingList(paths.bareMetal, (items) =>
      items.map((item) => (item["status"] === "Running" ? item : { ...item, currentTerm: undefined })),
    );
    const of = (gpuType: string, count = 2) => fleet({ count, member: { gpuType, __fleet: { count } } });

    test("goes on failing until the members that were terminated for it are replaced, and keeps the old ones until then", async () => {
      const { rig, stack } = begin();
      const start = (maxCostPerHour: number) => ({ provider: rig.startProvider({ maxCostPerHour }, { wire }) });
      expect((await stack.up(of("h100"), start(60))).errors).toEqual({});
      const over = "The new ones were terminated immediately: train-0, train-1";
      expect((await stack.up(of("h200"), start(60))).errors["train-ready"]).toContain(over);
      const lacking =
        /2 of 2 failed: train-0 \(rental 1003\) is Terminated; .*`pulumi up --refresh` replaces failed members/;
      for (const limit of [60, 200]) {
        expect((await stack.up(of("h200"), start(limit))).errors["train-ready"]).toMatch(lacking);
        expect(rig.billing()).toHaveLength(2);
      }
      rig.clock.advance(600);
      expect((await stack.up(of("h200"), { ...start(200), refresh: true })).errors).toEqual({});
      expect(rig.billing()).toHaveLength(2);
      expect(stack.condemned).toEqual([]);
    });

    test("names what could not be terminated for it, and why", async () => {
      const { rig, stack } = begin();
      rig.fault({ match: { method: "POST", path: paths.endBareMetal }, times: 999, kind: "status", status: 400 });
      const { errors } = await stack.up(of("h100"), { provider: rig.startProvider({ maxCostPerHour: 30 }, { wire }) });
      expect(errors["train-ready"]).toMatch(
        /this stack already cost .*over .* of \$30\.00\/h\. Of the new ones \(train-0, train-1\) not all could be terminated: train-0: /,
      );
      expect(rig.billing()).toHaveLength(2);
    });

    test("does not let pass what an earlier run has made without getting as far as its gate", async () => {
      const { rig, stack } = begin({ emulator: { capacity: 8 } });
      const start = () => ({ provider: rig.startProvider({ maxCostPerHour: 10 }, { wire }) });
      expect((await stack.up(of("h100"), start())).errors["train-1"]).toBeDefined();
      rig.clock.advance(600);
      expect([...stack.state.keys()]).toEqual(["train-0"]);
      for (const _ of [1, 2]) {
        const { errors } = await stack.up(of("h100", 1), { ...start(), refresh: true });
        expect(errors["train-ready"]).toContain(
          "Its machines were not terminated, because an earlier run created them",
        );
      }
      expect(rig.billing()).toHaveLength(1);
    });
  });

  test("warns once where the service shows no prices", async () => {
    const { stack } = begin();
    const { errors, provider } = await stack.up(fleet({ kind: "vm", count: 3, maxCostPerHour: 1 }));
    expect(errors).toEqual({});
    expect(provider.shown.filter(({ kind }) => kind === "warning").map(({ text }) => text)).toEqual([
      "the service shows no price for 3 of 3 machines, so maxCostPerHour could not be enforced",
    ]);
  });

  describe("that is below what has run for days", () => {
    const later = 3 * 86_400;
    const limited = fleet({ kind: "vm", count: 2, maxCostPerHour: 3 });

    async function running() {
      const { rig, stack } = begin({ emulator: { dialect: "rich" } });
      expect((await stack.up(fleet({ kind: "vm", count: 2 }))).errors).toEqual({});
      rig.clock.advance(later);
      return { rig, stack };
    }

    const warning =
      "its machines cost $4.98/h, more than maxCostPerHour of $3.00/h; running machines are not terminated";
    const said = ({ provider }: Outcome) =>
      provider.shown.filter(({ kind }) => kind === "warning").map(({ text }) => text);

    test.each([{ refresh: true }, { refresh: false }])(
      "ends nothing when the gate is replaced by force (%j)",
      async (options) => {
        const { rig, stack } = await running();
        const outcome = await stack.up(limited, { replace: ["train-ready"], ...options });
        expect(outcome.errors).toEqual({});
        expect(said(outcome)).toEqual([warning]);
        expect(live(rig)).toHaveLength(2);
      },
    );

    test("ends nothing when the gate was lost before it came to its end, and lets it pass as little", async () => {
      const { rig, stack } = await running();
      stack.state.delete("train-ready");
      for (const _ of [1, 2])
        expect((await stack.up(limited)).errors["train-ready"]).toContain(
          "its machines cost $4.98/h, more than maxCostPerHour of $3.00/h. Its machines were not terminated, because an earlier run created them. Raise the limit or request less",
        );
      expect(live(rig)).toHaveLength(2);
      const within = fleet({ kind: "vm", count: 2, maxCostPerHour: 5 });
      expect((await stack.up(within)).errors).toEqual({});
    });

    test("ends nothing when members were Unknown, or not listed, for a moment", async () => {
      const { rig, stack } = await running();
      const wobble = changingList(paths.vm, (items) => items.map((item) => ({ ...item, status: "Unknown" })));
      await stack.refresh(rig.startProvider({}, { wire: wobble }));
      expect((await stack.up(limited)).errors).toEqual({});
      expect(live(rig)).toHaveLength(2);
      const absent = leavingOut(paths.vm, () => true, 3);
      await stack.up(limited, { refresh: true, provider: rig.startProvider({}, { wire: absent }) });
      expect(live(rig)).toHaveLength(2);
    });

    test("ends nothing of what was adopted in the same up", async () => {
      const { rig, stack } = begin({ emulator: { dialect: "rich" } });
      for (const index of [0, 1]) await rig.run(rig.client.createVmRental({ gpuCount: 1, label: `by-hand-${index}` }));
      rig.clock.advance(later);
      const adopted = Object.fromEntries(
        Object.entries(limited).map(([name, resource], index) => [
          name,
          typeof resource.inputs === "function"
            ? resource
            : { ...resource, inputs: { ...resource.inputs, adoptId: 1001 + index } },
        ]),
      );
      expect((await stack.up(adopted)).errors).toEqual({});
      expect(live(rig)).toHaveLength(2);
    });

    test("ends only the new one when a member is added", async () => {
      const { rig, stack } = await running();
      const before = live(rig);
      const grown = fleet({ kind: "vm", count: 3, gate: { maxCostPerHour: 3 } });
      const { errors } = await stack.up(grown);
      expect(errors["train-ready"]).toContain("The new ones were terminated immediately: train-2.");
      expect(live(rig)).toEqual(before);
    });
  });
});

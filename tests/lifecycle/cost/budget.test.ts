import { readPrices } from "../../../provider/shared/prices";
import { FakeEngine, type Outcome } from "../fakeEngine";
import { createRig, paths, type RigOptions } from "../rig";
import { answering, intercepting, live, type Wire } from "../wire";

const rental = (more: object = {}) => ({
  type: "BareMetalRental",
  inputs: { networkType: "infiniband", gpuCount: 8, ...more },
});

function createStack(options: RigOptions = {}) {
  const rig = createRig(options);
  const posts = () => rig.count("POST", paths.bareMetal);
  return { rig, stack: new FakeEngine(rig), posts };
}

function warnings({ provider }: Outcome): string[] {
  return provider.shown.filter(({ kind }) => kind === "warning").map(({ text }) => text);
}

describe("maxCostPerHour of a resource", () => {
  test("refuses what is known to be more expensive before anything is spent", async () => {
    const { stack, posts } = createStack();
    await stack.up({ first: rental() });
    const { errors } = await stack.up({ first: rental(), second: rental({ maxCostPerHour: 10 }) });
    expect(errors).toEqual({
      second:
        'creating BareMetalRental "second": refused, nothing was created: it would cost $19.92/h, more than its ' +
        "maxCostPerHour of $10.00/h. Raise the limit or request less.",
    });
    expect(posts()).toBe(1);
  });

  test("ends at once what turns out more expensive, and leaves nothing in the state", async () => {
    const { rig, stack, posts } = createStack();
    const { errors } = await stack.up({ first: rental({ maxCostPerHour: 10 }) });
    expect(errors).toEqual({
      first:
        'creating BareMetalRental "first": it costs $19.92/h, more than its maxCostPerHour of $10.00/h. It was terminated immediately.',
    });
    expect(posts()).toBe(1);
    expect(rig.billing()).toEqual([]);
    expect(stack.state.size).toBe(0);
  });

  test("keeps in the state what turns out more expensive and cannot be ended", async () => {
    const { rig, stack } = createStack({ emulator: { dialect: "none" } });
    const { errors } = await stack.up({ first: rental({ maxCostPerHour: 10 }) });
    expect(errors["first"]).toMatch(
      /^creating BareMetalRental "first": it costs \$19\.92\/h, more than its maxCostPerHour of \$10\.00\/h, and could not be terminated: POST .*\/terminate answered 404: not found\. .* It is in the state with id 1001\. It costs \$19\.92\/h\./,
    );
    expect(stack.get("first").id).toBe("1001");
    expect(rig.billing()).toEqual([1001]);
  });

  test("is no obstacle to what costs just as much", async () => {
    const { stack } = createStack();
    const program = { first: rental({ maxCostPerHour: 19.92 }) };
    expect((await stack.up(program)).errors).toEqual({});
    expect((await stack.up(program)).steps).toEqual(["same first"]);
  });

  test("holds in the next run where the first could not look at the price: nothing is ended, and nothing passes", async () => {
    const { rig, stack } = createStack();
    const program = { first: rental({ maxCostPerHour: 10 }) };
    rig.fault({ match: { method: "GET", path: paths.bareMetal }, nth: 2, times: 30, kind: "status", status: 403 });
    expect((await stack.up(program)).errors["first"]).toMatch(/answered 403.* The next `pulumi up` checks it again\./);
    rig.emulator.faults.clear();
    const overLimit =
      'updating BareMetalRental "first": it costs $19.92/h, more than its maxCostPerHour of $10.00/h. It was not terminated, because an earlier run created it. Raise the limit or request less. It is in the state with id 1001. It costs $19.92/h. The next `pulumi up` checks it again. `pulumi destroy` terminates it.';
    for (const refresh of [false, true]) {
      expect((await stack.up(program, { refresh })).errors).toEqual({ first: overLimit });
    }
    expect(rig.billing()).toEqual([1001]);
    const raised = { first: rental({ maxCostPerHour: 20 }) };
    expect(await stack.up(raised)).toMatchObject({ steps: ["update first"], errors: {} });
    expect(await stack.up(raised)).toMatchObject({ steps: ["same first"], errors: {} });
  });

  test("lowered later warns, and ends nothing", async () => {
    const { rig, stack } = createStack();
    await stack.up({ first: rental({ maxCostPerHour: 20 }) });
    const outcome = await stack.up({ first: rental({ maxCostPerHour: 10 }) });
    expect(outcome).toMatchObject({ steps: ["update first"], errors: {} });
    expect(warnings(outcome)).toEqual([
      "it costs $19.92/h, more than maxCostPerHour; running machines are not terminated",
    ]);
    expect(rig.billing()).toEqual([1001]);
  });

  test.each(["default", "none"] as const)("says so where no price ever shows (%s)", async (dialect) => {
    const { stack } = createStack({ emulator: { dialect } });
    const vm = { type: "VmRental", inputs: { gpuCount: 1, maxCostPerHour: 1 } };
    const outcome = await stack.up({ vm });
    expect(outcome.errors).toEqual({});
    expect(warnings(outcome)).toContain("the service shows no price for it, so maxCostPerHour could not be enforced");
  });

  test("holds for a virtual machine where the service shows a price", async () => {
    const { rig, stack } = createStack({ emulator: { dialect: "rich" } });
    const vm = { type: "VmRental", inputs: { gpuCount: 1, maxCostPerHour: 1 } };
    expect((await stack.up({ vm })).errors["vm"]).toBe(
      'creating VmRental "vm": it costs $2.49/h, more than its maxCostPerHour of $1.00/h. It was terminated immediately.',
    );
    expect(rig.billing()).toEqual([]);
  });

  test("refuses a marketplace instance by the price of its machine", async () => {
    const { rig, stack } = createStack();
    const instance = { type: "MarketplaceInstance", inputs: { gpuCount: 8, select: {}, maxCostPerHour: 1 } };
    expect((await stack.up({ instance })).errors["instance"]).toMatch(
      /refused, nothing was created: it would cost \$3\.20\/h, more than its maxCostPerHour of \$1\.00\/h/,
    );
    expect(rig.count("POST", paths.createInstance)).toBe(0);
  });
});

describe("gpufleet:maxCostPerHour of a stack", () => {
  const settings = { maxCostPerHour: 50 };

  test("refuses what would take the stack past it before anything is spent, also side by side", async () => {
    const { rig, stack, posts } = createStack({ settings });
    await stack.up({ a: rental() });
    const { errors } = await stack.up({ a: rental(), b: rental(), c: rental(), d: rental() });
    expect(Object.keys(errors)).toHaveLength(2);
    expect(Object.values(errors)[0]).toMatch(
      /refused, nothing was created: this stack costs \$39\.84\/h, and \$19\.92\/h more would make \$59\.76\/h, over gpufleet:maxCostPerHour of \$50\.00\/h\. (Most of it: [a-d] \$19\.92\/h(, [a-d] \$19\.92\/h)?\. )?Raise the limit or terminate something first\.$/,
    );
    expect(posts()).toBe(2);
    expect(rig.billing()).toHaveLength(2);
  });

  test("ends the later ones where the price was not known before", async () => {
    const { rig, stack } = createStack({ settings });
    const { errors } = await stack.up({ a: rental(), b: rental(), c: rental() });
    expect(Object.values(errors)).toEqual([
      expect.stringMatching(
        /: this stack already cost \$39\.84\/h, and \$19\.92\/h more makes \$59\.76\/h, over gpufleet:maxCostPerHour of \$50\.00\/h\. It was terminated immediately\.$/,
      ),
    ]);
    expect(rig.billing()).toHaveLength(2);
    expect(stack.state.size).toBe(2);
  });

  test("is no obstacle to what takes the stack exactly to it: three times 19.92 is 59.76", async () => {
    const { stack } = createStack({ settings: { maxCostPerHour: 59.76 } });
    await stack.up({ a: rental() });
    expect((await stack.up({ a: rental(), b: rental(), c: rental() })).errors).toEqual({});
  });

  const forbidden = (path: string) => ({
    match: { method: "GET", path },
    times: 99,
    kind: "status" as const,
    status: 403,
    body: { error: "forbidden" },
  });

  test("needs no list of what the stack does not have", async () => {
    const { rig, stack } = createStack({ settings: { maxCostPerHour: 5 } });
    rig.fault(forbidden(paths.instances));
    const outcome = await stack.up({ a: rental() });
    expect(outcome.errors["a"]).toMatch(
      /over gpufleet:maxCostPerHour of \$5\.00\/h\. It was terminated immediately\.$/,
    );
    expect(warnings(outcome)).toEqual([]);
    expect(rig.billing()).toEqual([]);
  });

  test("says once what is not counted where an interrupted run may have left something", async () => {
    const { rig, stack } = createStack({ settings });
    rig.fault(forbidden(paths.volumes));
    const outcome = await stack.up({ a: rental(), b: rental() });
    expect(outcome.errors).toEqual({});
    expect(warnings(outcome)).toEqual([
      `storage volumes are not counted for gpufleet:maxCostPerHour: the state has none, and whether an interrupted run has left some is not known, because they cannot be listed: GET ${paths.volumes} answered 403: forbidden`,
    ]);
  });

  test("rents nothing while what else the stack has cannot be looked at, also where no price is known", async () => {
    const { rig, stack } = createStack();
    const program = { bargain: { type: "MarketplaceInstance", inputs: { gpuCount: 8, select: {} } } };
    await stack.up(program);
    const start = () => rig.startProvider({ maxCostPerHour: 20 });
    rig.fault(forbidden(paths.instances));
    expect((await stack.up({ ...program, a: rental() }, { provider: start() })).errors["a"]).toContain(
      `: refused, nothing was created: whether this stack stays within gpufleet:maxCostPerHour is not known, because its marketplace instances cannot be listed: GET ${paths.instances} answered 403: forbidden`,
    );
    expect(rig.count("POST", paths.bareMetal)).toBe(0);
  });

  test("rents nothing where the stack is past it already, also where no price is known", async () => {
    const { rig, stack } = createStack();
    const program = { bargain: { type: "MarketplaceInstance", inputs: { gpuCount: 8, select: {} } } };
    await stack.up(program);
    const provider = rig.startProvider({ maxCostPerHour: 3 });
    expect((await stack.up({ ...program, a: rental() }, { provider })).errors["a"]).toContain(
      ": refused, nothing was created: this stack costs $3.20/h, which is over gpufleet:maxCostPerHour of $3.00/h. Most of it: ",
    );
    expect(rig.count("POST", paths.bareMetal)).toBe(0);
  });

  test("goes by a price book that was written since, where the service has no list", async () => {
    const { rig, stack } = createStack({ emulator: { dialect: "none" } });
    const vm = { type: "VmRental", inputs: { gpuCount: 8 } };
    await stack.up({ first: vm });
    const provider = rig.startProvider({ maxCostPerHour: 30, prices: readPrices('{"h100": 2.49}') });
    expect((await stack.up({ first: vm, second: vm }, { provider })).errors["second"]).toContain(
      "this stack costs $19.92/h, and $19.92/h more would make $39.84/h",
    );
  });

  test("leaves machines of other stacks out of account", async () => {
    const { rig, stack } = createStack({ settings });
    await new FakeEngine(rig, { stack: "other" }).up({ a: rental(), b: rental() });
    expect((await stack.up({ a: rental(), b: rental() })).errors).toEqual({});
  });

  test("does not trouble attachments, which cost nothing", async () => {
    const { stack } = createStack({ settings });
    const outcome = await stack.up({
      node: rental(),
      data: { type: "StorageVolume", inputs: { region: "us-central-1", sizeInGb: 256 } },
      link: {
        type: "VolumeAttachment",
        inputs: ({ node, data }) => ({ storageVolumeId: Number(data), rentalIds: [Number(node)] }),
      },
    });
    expect(outcome.errors).toEqual({});
    expect(warnings(outcome)).toEqual([]);
  });

  test("counts a create whose reply was lost as long as it may have made one", async () => {
    const { rig, stack } = createStack();
    await stack.up({ first: rental() });
    const provider = rig.startProvider({ maxCostPerHour: 45 });
    rig.fault(
      { match: { method: "POST", path: paths.bareMetal }, kind: "reset-after" },
      { match: { method: "GET", path: paths.bareMetal }, times: 200, kind: "stale-list", seconds: 119 },
    );
    const second = rental({ timeouts: { create: "30s" } });
    await stack.up({ first: rental(), second }, { provider });
    // The engine goes on with what had to wait for its turn, in the same process.
    const { errors } = await stack.up({ first: rental(), third: rental() }, { provider, keep: true });
    expect(errors["third"]).toMatch(
      /: this stack already cost \$39\.84\/h, and \$19\.92\/h more makes \$59\.76\/h, over gpufleet:maxCostPerHour/,
    );
    expect(live(rig)).toEqual([1001, 1002]);
  });

  test.each([
    ["stack was renamed", { stack: "renamed" }],
    ["project was renamed", { project: "renamed" }],
    ["stack was transferred to another organization", { organization: "other" }],
  ])("counts what the state holds also after the %s", async (_, identity) => {
    const { rig, stack } = createStack({ settings });
    await stack.up({ a: rental(), b: rental() });
    const renamed = new FakeEngine(rig, identity);
    for (const [name, kept] of stack.state) renamed.state.set(name, kept);
    stack.state.clear();
    const { errors } = await renamed.up({ a: rental(), b: rental(), c: rental() });
    expect(errors["c"]).toMatch(/refused, nothing was created: this stack costs \$39\.84\/h/);
    expect(live(rig)).toEqual([1001, 1002]);
  });

  test("asks no other stack as long as the limit is kept", async () => {
    const { rig, stack } = createStack({ settings });
    await stack.up({ a: rental() });
    stack.state.clear();
    const provider = rig.startProvider();
    const elsewhere = jest.spyOn(FakeEngine.prototype, "entriesElsewhere");
    // One that runs counts by its mark, and is no hindrance.
    expect((await stack.up({ b: rental() }, { provider })).errors).toEqual({});
    expect(elsewhere).not.toHaveBeenCalled();
    elsewhere.mockRestore();
  });

  test("does not count what another stack has, although it was created under this one's name", async () => {
    const { rig, stack } = createStack({ settings });
    await stack.up({ a: rental(), b: rental() });
    stack.rename("prod");
    const { errors } = await new FakeEngine(rig).up({ c: rental() });
    expect(errors).toEqual({});
    expect(live(rig)).toEqual([1001, 1002, 1003]);
  });

  test("counts machines with a label that a person chose, adopted ones, and marketplace instances", async () => {
    const { rig, stack } = createStack();
    await rig.run(rig.client.createBareMetalRental({ networkType: "infiniband", gpuCount: 8, label: "by-hand" }));
    const program = {
      adopted: rental({ adoptId: 1001 }),
      named: rental({ label: "mine" }),
      bargain: { type: "MarketplaceInstance", inputs: { gpuCount: 8, select: {} } },
    };
    expect((await stack.up(program)).errors).toEqual({});
    const provider = rig.startProvider({ maxCostPerHour: 62 });
    const { errors } = await stack.up({ ...program, more: rental() }, { provider });
    expect(errors["more"]).toMatch(
      /refused, nothing was created: this stack costs \$43\.04\/h, and \$19\.92\/h more would make \$62\.96\/h/,
    );
    expect(
      (await stack.up({ ...program, more: rental() }, { provider: rig.startProvider({ maxCostPerHour: 63 }) })).errors,
    ).toEqual({});
  });
});

describe("What a create has made whose reply was lost", () => {
  test("counts once: the next up takes it over, although another one would be over the limit", async () => {
    const { rig, stack, posts } = createStack();
    const path = paths.bareMetal;
    // A refusal after the effect, and then no list until the run is over.
    const lost = intercepting((request, send) => {
      if (request.path !== path) return undefined;
      if (request.method === "POST") return send().then(() => answering(402, { error: "no credit available" }));
      return posts() > 0 ? answering(404, "<html></html>") : undefined;
    });
    const start = (wire?: Wire) => rig.startProvider({ maxCostPerHour: 30 }, wire && { wire });
    await stack.up({ train: rental() }, { provider: start(lost) });
    expect(stack.get("train").id).toMatch(/^unresolved:/);
    expect((await stack.up({ train: rental() }, { provider: start() })).errors).toEqual({});
    expect({ id: stack.get("train").id, posts: posts() }).toEqual({ id: "1001", posts: 1 });
  });
});

describe("The price book", () => {
  const prices = readPrices('{"h100": 2.5, "storage": 0.001}');
  const vm = (more: object = {}) => ({ type: "VmRental", inputs: { gpuCount: 4, gpuType: "h100", ...more } });

  test("prices what the service shows no price of: in the state, on the row and against limits", async () => {
    const { stack, rig } = createStack({ settings: { prices } });
    const { errors, provider } = await stack.up({ a: vm() });
    expect(errors).toEqual({});
    expect(stack.get("a").outputs["costPerHour"]).toBe(10);
    expect(provider.shown.map(({ text }) => text)).toContainEqual(expect.stringContaining("≈ $10.00/h"));
    const limited = await stack.up({ a: vm(), b: vm({ maxCostPerHour: 5 }) });
    expect(limited.errors["b"]).toBe(
      'creating VmRental "b": refused, nothing was created: it would cost $10.00/h, more than its maxCostPerHour of $5.00/h. Raise the limit or request less.',
    );
    expect(rig.count("POST", paths.vm)).toBe(1);
  });

  test("gives way to a price that the service shows", async () => {
    const { stack } = createStack({ settings: { prices } });
    await stack.up({ a: rental({ gpuType: "h100" }) });
    expect(stack.get("a").outputs["costPerHour"]).toBe(19.92);
  });

  test("counts for the budget of the stack, which names what it costs and what has no price", async () => {
    const { stack } = createStack({ settings: { maxCostPerHour: 25, prices } });
    const unpriced = { type: "VmRental", inputs: { gpuCount: 1, gpuType: "b200" } };
    expect((await stack.up({ a: vm(), other: unpriced })).errors).toEqual({});
    const { errors } = await stack.up({ a: vm(), other: unpriced, c: vm({ gpuCount: 8 }) });
    expect(errors["c"]).toBe(
      'creating VmRental "c": refused, nothing was created: this stack costs $10.00/h without 1 of unknown price, and $20.00/h more would make $30.00/h, over gpufleet:maxCostPerHour of $25.00/h. Most of it: a $10.00/h. Raise the limit or terminate something first.',
    );
  });
});

describe("A price that is nonsense", () => {
  test("lets nothing past the limit of the stack: it counts as that of others alike", async () => {
    const { rig, stack, posts } = createStack({ settings: { maxCostPerHour: 45 } });
    await stack.up({ first: rental(), second: rental() });
    const [first, ...others] = await rig.run(rig.client.listBareMetalRentals());
    const body = [{ ...first, currentTerm: { ...first?.currentTerm, costPerHour: -1 } }, ...others];
    rig.fault({ match: { method: "GET", path: paths.bareMetal }, times: 100, kind: "status", status: 200, body });
    const { errors } = await stack.up({ first: rental(), second: rental(), third: rental() }, { refresh: true });
    expect(errors["third"]).toContain("this stack costs $39.84/h, and $19.92/h more would make $59.76/h");
    expect(posts()).toBe(2);
  });
});

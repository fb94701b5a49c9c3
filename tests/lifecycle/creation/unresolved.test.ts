import { noWitness } from "../../../provider/lifecycle";
import { FakeEngine, type Program } from "../fakeEngine";
import { baseUrl, createRig, paths, type Rig } from "../rig";
import { answering, changingList, type Item, intercepting, live } from "../wire";

const fields = { networkType: "infiniband", gpuCount: 8 } as const;
const train = { type: "BareMetalRental", inputs: fields };
const named = { type: "BareMetalRental", inputs: { ...fields, label: "trainer" } };
const box = { type: "VmRental", inputs: { gpuCount: 1, label: "trainer" } };
const data = { type: "StorageVolume", inputs: { region: "us-central-1", sizeInGb: 256, label: "trainer" } };

async function onOneMachine(rig: Rig) {
  const { instances } = await rig.run(rig.client.listMarketplaceMachines({ filters: {} }));
  const [best] = instances
    .filter(({ status, reserved }) => status === "node_ready" && !reserved)
    .sort((one, other) => other.gpus_total - other.gpus_reserved - (one.gpus_total - one.gpus_reserved));
  const place = { clusterName: best?.cluster_name, nodeName: best?.id };
  return (more: object = {}) => ({ type: "MarketplaceInstance", inputs: { ...place, gpuCount: 1, ...more } });
}

const kinds = [
  ["bare-metal rental", async () => named, paths.bareMetal],
  ["virtual machine", async () => box, paths.vm],
  ["storage volume", async () => data, paths.volumes],
  ["marketplace instance", async (rig: Rig) => (await onOneMachine(rig))(), paths.createInstance],
] as const;

describe("A create that made nothing, of which nothing but a chosen label or a machine tells", () => {
  test.each(kinds)("(%s) never ends what another stack rents a day later under the same", async (_, resource, path) => {
    const rig = createRig();
    const program = { it: await resource(rig) };
    const [dev, prod] = [new FakeEngine(rig, { stack: "dev" }), new FakeEngine(rig, { stack: "prod" })];
    rig.fault({ match: { method: "POST", path }, kind: "status", status: 503 });
    await dev.up(program);
    rig.clock.advance(86_400);
    expect((await prod.up(program)).errors).toEqual({});
    rig.clock.advance(86_400);
    const before = live(rig);
    expect((await dev.destroy()).errors["it"]).toContain(
      `may be it; nothing proves it, so nothing was taken over or terminated. If it is: \`gpufleet recover --adopt ${before[0]} --urn`,
    );
    expect(live(rig)).toEqual(before);
    expect(dev.get("it").id).toMatch(/^unresolved:/);
  });

  test.each(kinds)(
    "(%s) never takes what another stack rents a day later under the same",
    async (_, resource, path) => {
      const rig = createRig();
      const program = { it: await resource(rig) };
      const [dev, prod] = [new FakeEngine(rig, { stack: "dev" }), new FakeEngine(rig, { stack: "prod" })];
      rig.fault({ match: { method: "POST", path }, kind: "status", status: 503 });
      await dev.up(program);
      rig.clock.advance(86_400);
      await prod.up(program);
      rig.clock.advance(86_400);
      const { id } = prod.get("it");
      expect((await dev.up(program)).errors["it"]).toContain(`gpufleet recover --adopt ${id} --urn`);
      expect(dev.get("it").id).not.toBe(id);
      expect(live(rig).map(String)).toEqual([id]);
    },
  );

  test.each(kinds)("(%s) never takes what another stack rents at that moment", async (_, resource, path) => {
    const rig = createRig();
    const program = { it: await resource(rig) };
    const [dev, prod] = [new FakeEngine(rig, { stack: "dev" }), new FakeEngine(rig, { stack: "prod" })];
    rig.fault({ match: { method: "POST", path }, kind: "status", status: 502 });
    await Promise.all([dev.up(program), prod.up(program)]);
    expect(dev.get("it").id).not.toBe(prod.get("it").id);
    expect(live(rig)).toHaveLength(1);
  });

  test.each(kinds)("(%s) is dropped by destroy once nothing may be it", async (_, resource, path) => {
    const rig = createRig();
    const stack = new FakeEngine(rig);
    rig.fault({ match: { method: "POST", path }, kind: "status", status: 503 });
    await stack.up({ it: await resource(rig) });
    expect((await stack.destroy()).errors).toEqual({});
    expect(stack.state.size).toBe(0);
  });
});

describe("A create with a chosen label whose reply was lost, on a service that writes labels in its own way", () => {
  test.each([
    ["in capitals", (label: string) => label.toUpperCase()],
    ["not at all", () => null],
  ])("(%s) is not sent again: what may be it is named", async (_, rewrite) => {
    const rig = createRig();
    const stack = new FakeEngine(rig);
    const wire = changingList(paths.bareMetal, (items) =>
      items.map((item) => ({ ...item, label: rewrite(String(item["label"])) })),
    );
    rig.fault({ match: { method: "POST", path: paths.bareMetal }, kind: "reset-after" });
    for (const run of ["up", "up", "destroy"] as const) {
      const options = { provider: rig.startProvider({}, { wire }) };
      const { errors } = await (run === "up" ? stack.up({ named }, options) : stack.destroy(options));
      expect(errors["named"]).toMatch(/ 1001 .* may be it; nothing proves it, so nothing was taken over or terminated/);
    }
    expect(live(rig)).toEqual([1001]);
  });
});

describe("A create in doubt, and somebody else's record that can never be read", () => {
  const refused = { error: "no capacity in this region" };

  test.each([
    ["an automatic label", async () => train, paths.bareMetal, paths.bareMetal],
    ["a chosen label", async () => named, paths.bareMetal, paths.bareMetal],
    ["a marketplace instance", async (rig: Rig) => (await onOneMachine(rig))(), paths.createInstance, paths.instances],
  ] as const)("(%s) which came up with it: every error names the ways out", async (_, resource, path, listed) => {
    const rig = createRig();
    const stack = new FakeEngine(rig);
    const it = await resource(rig);
    let isRefused = false;
    const refusing = intercepting((request) => {
      if (request.method !== "POST" || request.path !== path) return undefined;
      isRefused = true;
      return answering(400, refused);
    });
    const changing = changingList(listed, (items) => (isRefused ? [...items, { status: "Running" }] : items));
    const start = () => ({ provider: rig.startProvider({}, { wire: (send) => refusing(changing(send)) }) });
    for (const run of [
      () => stack.up({ it }, start()),
      () => stack.up({ it }, start()),
      () => stack.destroy(start()),
    ]) {
      expect((await run()).errors["it"]).toMatch(
        /cannot be read and may be it \(no id\): .* If it is this resource.s, end it there: .* `gpufleet recover --nothing-made --urn/,
      );
    }
    expect(rig.count("POST", path)).toBe(0);
  });

  test("which has its id and was there before: it is in nobody's way", async () => {
    const rig = createRig();
    const stack = new FakeEngine(rig);
    const broken: Item = { id: 4711, status: 7 };
    const wire = changingList(paths.bareMetal, (items) => [...items, broken]);
    const start = () => ({ provider: rig.startProvider({}, { wire }) });
    rig.fault({ match: { method: "POST", path: paths.bareMetal }, kind: "reset-before" });
    await stack.up({ named }, start());
    expect(stack.get("named").id).toMatch(/^unresolved:/);
    expect((await stack.up({ named }, start())).errors).toEqual({});
    expect(live(rig)).toEqual([1001]);
  });
});

describe("Two resources that look alike", () => {
  const delay = { kind: "delay", when: "after" } as const;
  const refusingSecond = (path: string, note = () => {}) => {
    let sent = 0;
    return intercepting((request) => {
      if (request.method !== "POST" || request.path !== path) return undefined;
      sent += 1;
      if (sent !== 2) return undefined;
      note();
      return answering(400, { error: "no capacity" });
    });
  };

  test.each(kinds.slice(0, 3))(
    "(%s) side by side: a refusal of one is no doubt while the reply to the other is under way",
    async (_, resource, path) => {
      const rig = createRig();
      const stack = new FakeEngine(rig);
      const it = await resource(rig);
      const wire = refusingSecond(path);
      rig.fault({ match: { method: "POST", path }, ...delay, ms: 5000 });
      const { errors } = await stack.up({ a: it, b: it }, { provider: rig.startProvider({}, { wire }) });
      expect(errors["b"]).toMatch(/answered 400: no capacity$/);
      expect([...stack.state.values()].map(({ id }) => id)).toEqual(live(rig).map(String));
    },
  );

  test("side by side: what the other has made is its own also where the list cannot read it", async () => {
    const rig = createRig();
    const stack = new FakeEngine(rig);
    let isRefused = false;
    const refusing = refusingSecond(paths.bareMetal, () => {
      isRefused = true;
    });
    const changing = changingList(paths.bareMetal, (items) => {
      const isBroken = isRefused;
      isRefused = false;
      return isBroken ? items.map((item) => ({ ...item, status: 7 })) : items;
    });
    rig.fault({ match: { method: "POST", path: paths.bareMetal }, ...delay, ms: 5000 });
    const provider = rig.startProvider({}, { wire: (send) => refusing(changing(send)) });
    expect((await stack.up({ a: named, b: named }, { provider })).errors["b"]).toMatch(/answered 400: no capacity$/);
    expect([...stack.state.keys()]).toEqual(["a"]);
  });

  test("side by side on the marketplace: the one that is refused goes to the next machine", async () => {
    const rig = createRig();
    const stack = new FakeEngine(rig);
    const bargain = { type: "MarketplaceInstance", inputs: { gpuCount: 8, select: {} } };
    rig.fault({ match: { method: "POST", path: paths.createInstance }, ...delay, ms: 5000 });
    expect((await stack.up({ a: bargain, b: bargain })).errors).toEqual({});
    expect(stack.get("a").outputs["nodeName"]).not.toBe(stack.get("b").outputs["nodeName"]);
    expect(live(rig)).toHaveLength(2);
  });

  test("wait for each other no longer than they may: without an answer it is a doubt", async () => {
    const rig = createRig();
    const stack = new FakeEngine(rig);
    const hasty = { ...named, inputs: { ...named.inputs, timeouts: { create: "20s" } } };
    const wire = refusingSecond(paths.bareMetal);
    rig.fault({ match: { method: "POST", path: paths.bareMetal }, ...delay, ms: 60_000 });
    const { errors } = await stack.up({ a: named, b: hasty }, { provider: rig.startProvider({}, { wire }) });
    expect(errors["b"]).toMatch(/answered 400: no capacity\. However, .* may be it/);
    expect(stack.get("a").id).toBe("1001");
  });

  test.each(kinds)(
    "(%s) never hold one machine: one is unresolved, the other is being created",
    async (_, resource, path) => {
      const rig = createRig();
      const stack = new FakeEngine(rig);
      const it = await resource(rig);
      rig.fault({ match: { method: "POST", path }, kind: "status", status: 503 });
      await stack.up({ a: it });
      // Added to the program, it takes three seconds to be answered.
      rig.fault({ match: { method: "POST", path }, kind: "delay", ms: 3000, when: "after" });
      await stack.up({ b: it, a: it });
      const ids = [...stack.state.values()].map(({ id }) => id);
      expect(new Set(ids).size).toBe(ids.length);
      await stack.up({ b: it, a: it });
      const held = [...stack.state.values()].map(({ id }) => id);
      expect(new Set(held).size).toBe(held.length);
    },
  );

  test("never hold one machine where the list shows neither size nor node", async () => {
    const rig = createRig();
    const stack = new FakeEngine(rig);
    const instance = await onOneMachine(rig);
    const wire = changingList(paths.instances, (items) =>
      items.map(({ id, created, instance }) => ({ id, created, instance })),
    );
    const create = { method: "POST", path: paths.createInstance };
    rig.fault(
      { match: create, kind: "reset-before" },
      { match: create, nth: 2, kind: "delay", ms: 5000, when: "after" },
    );
    const program = { small: instance({ gpuCount: 1 }), large: instance({ gpuCount: 2 }) };
    await stack.up(program, { provider: rig.startProvider({}, { wire }) });
    await stack.up(program, { provider: rig.startProvider({}, { wire }) });
    const ids = [...stack.state.values()].map(({ id }) => id);
    expect(new Set(ids).size).toBe(2);
  });
});

describe("A chosen label that looks like an automatic one", () => {
  async function copied() {
    const rig = createRig();
    const prod = new FakeEngine(rig, { stack: "prod" });
    await prod.up({ train });
    const label = String(prod.get("train").outputs["label"]);
    const program: Program = { train: { ...train, inputs: { ...fields, label } } };
    return { rig, prod, program, dev: new FakeEngine(rig, { stack: "dev" }) };
  }

  test("is no proof: what it was copied from is not taken for a lost create", async () => {
    const { rig, prod, dev, program } = await copied();
    rig.fault({ match: { method: "POST", path: paths.bareMetal }, kind: "reset-before" });
    await dev.up(program);
    await dev.up(program);
    expect(dev.get("train").id).not.toBe(prod.get("train").id);
    await dev.destroy();
    expect(live(rig)).toEqual([1001]);
  });

  test("is no proof: what it was copied from is not ended as a twin", async () => {
    const { rig, dev, program } = await copied();
    expect((await dev.up(program)).errors).toEqual({});
    expect((await dev.destroy()).errors).toEqual({});
    expect(live(rig)).toEqual([1001]);
  });

  test("written down from the resource's own state is no change, and no reason to take the machine it replaces", async () => {
    const rig = createRig();
    const stack = new FakeEngine(rig);
    await stack.up({ train });
    const label = String(stack.get("train").outputs["label"]);
    const pinned = { train: { ...train, inputs: { ...fields, label } } };
    expect((await stack.up(pinned)).steps).toEqual(["same train"]);
    rig.fault({ match: { method: "POST", path: paths.bareMetal }, kind: "reset-after" });
    await stack.up(pinned, { replace: ["train"] });
    await stack.up(pinned);
    expect(stack.get("train").id).toBe("1002");
    expect(live(rig)).toEqual([1002]);
  });
});

describe("A create in doubt of which the state shows only ciphertext, replaced by force,", () => {
  const elsewhere = { ...named, inputs: { ...named.inputs, region: "us-central-1", fallbackRegions: ["eu-west-4"] } };
  const all = [
    ["label", "trainer", async () => named, paths.bareMetal],
    ["gpuCount", "trainer", async () => named, paths.bareMetal],
    ["label", "TRAINER", async () => named, paths.bareMetal],
    ["label", undefined, async () => named, paths.bareMetal],
    ["label", "trainer", async () => box, paths.vm],
    ["label", "trainer", async () => data, paths.volumes],
    ["nodeName", "", async (rig: Rig) => (await onOneMachine(rig))(), paths.createInstance],
    ["gpuCount", "", async (rig: Rig) => (await onOneMachine(rig))(), paths.createInstance],
  ] as const;

  /** A create without a reply, of what the service labels in its own way, and another a while later. */
  async function replaced(
    rig: Rig,
    secret: string,
    resource: Program[string],
    path: string,
    change: (item: Item) => Item,
  ) {
    const stack = new FakeEngine(rig);
    stack.secrets = [secret];
    rig.fault({ match: { method: "POST", path }, kind: "reset-after" });
    const start = () => rig.startProvider({}, { wire: changingList(path, (items) => items.map(change)) });
    await stack.up({ it: resource }, { provider: start() });
    expect(stack.get("it").id).toMatch(/^unresolved:/);
    rig.clock.advance(600);
    return { stack, again: () => stack.up({ it: resource }, { replace: ["it"], provider: start() }) };
  }

  test.each(all)("is not made again (%s, listed as %j)", async (secret, shown, resource, path) => {
    const rig = createRig();
    const change = (item: Item) => ({ ...item, ...(shown !== "" && { label: shown }) });
    const { again } = await replaced(rig, secret, await resource(rig), path, change);
    const [made] = live(rig);
    expect((await again()).errors["it"]).toContain(`gpufleet recover --adopt ${made} --urn`);
    expect(rig.billing()).toHaveLength(1);
  });

  test.each(["eu-west-4", "us-central-1"])("is not made again in any of its regions (%s)", async (region) => {
    const rig = createRig();
    const { stack, again } = await replaced(rig, "region", elsewhere, paths.bareMetal, (item) => ({ ...item, region }));
    for (const secrets of [["region"], ["fallbackRegions"]]) {
      stack.secrets = secrets;
      expect((await again()).errors["it"]).toContain("gpufleet recover --adopt 1001 --urn");
    }
    expect(rig.billing()).toHaveLength(1);
  });

  test("is made where it has made nothing, whatever stacks with automatic labels rent", async () => {
    const rig = createRig();
    const { stack, again } = await replaced(rig, "label", named, paths.bareMetal, (item) => item);
    rig.emulator.reset();
    await new FakeEngine(rig, { stack: "prod" }).up({ train });
    expect((await again()).errors).toEqual({});
    expect(stack.get("it").id).not.toMatch(/^unresolved:/);
  });
});

describe("An unresolved create with an automatic label", () => {
  const post = { method: "POST", path: paths.bareMetal };
  const list = { method: "GET", path: paths.bareMetal };

  async function lost(kind: "reset-after" | "reset-before") {
    const rig = createRig();
    const stack = new FakeEngine(rig);
    rig.fault({ match: post, kind }, { match: list, nth: 2, times: 70, kind: "stale-list", seconds: 600 });
    await stack.up({ train });
    rig.emulator.faults.clear();
    expect(stack.get("train").id).toMatch(/^unresolved:/);
    return { rig, stack };
  }

  test("does not end the machine that another entry holds, whichever of them is deleted first", async () => {
    const { rig, stack } = await lost("reset-after");
    const unresolved = stack.get("train");
    await stack.up({ train });
    expect(stack.get("train").id).toBe("1001");
    // Killed before its delete: what is to be deleted comes by alone.
    stack.condemned.push(unresolved);
    const provider = rig.startProvider();
    provider.state = {
      ...noWitness,
      entries: async () => stack.entries(),
      isWhole: async () => true,
    };
    await rig.run(stackDelete(provider, unresolved.id, unresolved.outputs));
    expect(live(rig)).toEqual([1001]);
  });

  async function stackDelete(provider: ReturnType<Rig["startProvider"]>, id: string, outputs: object) {
    const { handlers } = await import("../../../provider");
    await handlers.get("BareMetalRental")?.delete(provider, id, { ...outputs });
  }

  test("is looked for under an alias, too", async () => {
    const { rig, stack } = await lost("reset-after");
    const kept = stack.get("train");
    stack.state.delete("train");
    stack.state.set("renamed", { ...kept, name: "renamed", urn: stack.urn("BareMetalRental", "train") });
    expect(await stack.up({ renamed: train })).toMatchObject({ errors: {} });
    expect(rig.count("POST", paths.bareMetal)).toBe(1);
    expect(stack.get("renamed").id).toBe("1001");
    expect(live(rig)).toEqual([1001]);
  });

  test.each([{ replace: [] }, { replace: ["train"] }])(
    "is not looked for at another address: nothing is rented, dropped or ended there (%j)",
    async (options) => {
      const { rig, stack } = await lost("reset-after");
      const elsewhere = { addresses: { v2: "https://other.example", v1: "https://other.example" } };
      const hidden = { wire: changingList(paths.bareMetal, () => []), service: elsewhere };
      const { errors } = await stack.up({ train }, { ...options, provider: rig.startProvider({}, hidden) });
      expect(errors["train"]).toContain(`it is at ${baseUrl}, but the configuration says https://other.example`);
      const destroyed = await stack.destroy({ provider: rig.startProvider({}, hidden) });
      expect(destroyed.errors["train"]).toContain(`it is at ${baseUrl}`);
      expect(live(rig)).toEqual([1001]);
      expect((await stack.destroy()).errors).toEqual({});
      expect(live(rig)).toEqual([]);
    },
  );

  test.each([{ replace: [] }, { replace: ["train"] }])(
    "is not proven to have made nothing by the lists of another account (%j)",
    async (options) => {
      const { rig, stack } = await lost("reset-after");
      const other = { wire: changingList(paths.bareMetal, () => []), service: { key: "other" } };
      const { errors } = await stack.up({ train }, { ...options, provider: rig.startProvider({}, other) });
      expect(errors["train"]).toMatch(/the API key is not the one with which/);
      const destroyed = await stack.destroy({ provider: rig.startProvider({}, other) });
      expect(destroyed.errors["train"]).toMatch(/the API key is not the one with which/);
      expect(rig.count("POST", paths.bareMetal)).toBe(1);
      expect(live(rig)).toEqual([1001]);
      const rotated = () => rig.startProvider({}, { service: { key: "rotated" } });
      expect((await stack.up({ train }, { provider: rotated() })).errors).toEqual({});
      expect(stack.get("train").id).toBe("1001");
    },
  );
});

describe("A create with `select` whose reply was lost", () => {
  test("and that made nothing does not keep the next one from another machine when that one is full", async () => {
    const rig = createRig();
    const stack = new FakeEngine(rig);
    const program = { worker: { type: "MarketplaceInstance", inputs: { gpuCount: 1, select: {} } } };
    rig.fault({ match: { method: "POST", path: paths.createInstance }, kind: "status", status: 503 });
    await stack.up(program);
    const [cluster_name = "", node_name = ""] = stack.get("worker").id.replace("unresolved:", "").split("/");
    const { instances } = await rig.run(rig.client.listMarketplaceMachines({ filters: {} }));
    const machine = instances.find((one) => one.id === node_name);
    const free = (machine?.gpus_total ?? 0) - (machine?.gpus_reserved ?? 0);
    await rig.run(rig.client.createMarketplaceInstance({ cluster_name, node_name, gpu_count: free }));
    rig.clock.advance(3600);
    expect((await stack.up(program, { refresh: true })).errors).toEqual({});
    expect(stack.get("worker").outputs["nodeName"]).not.toBe(node_name);
  });
});

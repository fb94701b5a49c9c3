import { seededMachines } from "../../emulator/nouns";
import { FakeEngine } from "../lifecycle/fakeEngine";
import { createRig, paths, type RigOptions } from "../lifecycle/rig";
import { changingAnswer, changingEverything, changingList } from "../lifecycle/wire";
import { type Change, subjectOf } from "./decisions";

const { decide, properties, reasons } = subjectOf("MarketplaceInstance");
const base = { clusterName: "cluster", nodeName: "node", gpuCount: 1 };
const running = { status: "running" };
/** What the state knows of the machine that was chosen. */
const machine = {
  gpuModel: "H100-SXM5-80GB",
  region: "eu-west-1",
  gpuRamGb: 80,
  persistentStorage: false,
  pricePerGpuHour: 2,
};
const image = { name: "ubuntu", tag: "24.04", port: 22 };

const changes: Record<string, Change[]> = {
  clusterName: [{ to: { clusterName: "other" }, becomes: "replace" }],
  nodeName: [{ to: { nodeName: "other" }, becomes: "replace" }],
  select: [],
  gpuCount: [{ to: { gpuCount: 2 }, becomes: "replace" }],
  image: [
    { to: { image }, becomes: "replace" },
    { from: { image }, to: { image: { port: 22, tag: "24.04", name: "ubuntu" } }, becomes: "nothing" },
    { from: { image }, to: { image: { ...image, tag: "22.04" } }, becomes: "replace" },
  ],
  waitForReady: [{ to: { waitForReady: false }, becomes: "update" }],
  timeouts: [{ to: { timeouts: { create: 60 } }, becomes: "update" }],
  waitForGpus: [{ to: { waitForGpus: true }, becomes: "update" }],
  waitForSsh: [{ to: { waitForSsh: true }, becomes: "update" }],
  maxCostPerHour: [{ to: { maxCostPerHour: 5 }, becomes: "update" }],
  expiresAt: [{ to: { expiresAt: "2d" }, becomes: "update" }],
  adoptId: [{ to: { adoptId: "instance-1" }, becomes: "nothing" }],
};

describe("A change of a marketplace instance", () => {
  test("is decided for every input", () => {
    expect(Object.keys(changes).sort()).toEqual([...properties].sort());
  });

  const cases = Object.entries(changes).flatMap(([input, table]) =>
    table.map(({ from = {}, to, becomes }) => ({ input, from, to, becomes })),
  );
  test.each(cases)("of $input from $from to $to: $becomes", ({ from, to, becomes }) => {
    expect(decide({ ...base, ...from }, { ...base, ...to }, running)).toBe(becomes);
  });

  const chosen = { ...running, machine, clusterName: "cluster", nodeName: "node", costPerHour: 2 };
  test.each([
    [{ gpuModel: "H100" }, "nothing"],
    [{ gpuModel: "h100-sxm" }, "nothing"],
    [{ gpuModel: "H200" }, "replace"],
    [{ region: "eu-west-1", minGpuRamGb: 80 }, "nothing"],
    [{ region: "us-east-1" }, "replace"],
    [{ minGpuRamGb: 81 }, "replace"],
    [{ maxPricePerHour: 2 }, "nothing"],
    [{ maxPricePerHour: 1.99 }, "replace"],
    [{ needsPersistentStorage: true }, "replace"],
    [{}, "nothing"],
  ] as const)("of select to %j replaces only a machine that does not meet it: %s", (select, becomes) => {
    const before = { select: { gpuModel: "H100" }, gpuCount: 1 };
    expect(decide(before, { select, gpuCount: 1 }, chosen)).toBe(becomes);
  });

  test("from select to the machine that was chosen, and back, is none", () => {
    const select = { select: { gpuModel: "H100" }, gpuCount: 1 };
    expect(decide(select, base, chosen)).toBe("nothing");
    expect(decide(base, select, chosen)).toBe("nothing");
    expect(decide(select, { ...base, nodeName: "other" }, chosen)).toBe("replace");
  });

  test("is a replacement where the instance failed or is ending", () => {
    for (const status of ["failed", "Failed", "ERROR", "Stopping", "terminated"]) {
      expect(decide(base, base, { status })).toBe("replace");
    }
    for (const status of ["offline", "restarting", "busy"]) expect(decide(base, base, { status })).toBe("nothing");
  });
});

describe("The check of a marketplace instance", () => {
  test("wants a machine, or what it must be like, and not both", () => {
    expect(reasons({ gpuCount: 1 })).toEqual([
      "clusterName is required: set clusterName and nodeName from the marketplace listing, or select to have a machine chosen",
      "nodeName is required: set clusterName and nodeName from the marketplace listing, or select to have a machine chosen",
    ]);
    expect(reasons({ gpuCount: 1, nodeName: "node" })).toEqual([expect.stringMatching(/^clusterName is required: /)]);
    expect(reasons({ ...base, select: {} })).toEqual(["select cannot be combined with clusterName and nodeName"]);
    expect(reasons({ gpuCount: 1, adoptId: "instance-1" })).toEqual([]);
  });

  test("names every constraint that is not met", () => {
    expect(reasons({ clusterName: "", nodeName: 7, gpuCount: 0, image: { tag: 1 } })).toEqual([
      'clusterName must have at least 1 character, not ""',
      "nodeName must be a string, not 7",
      "gpuCount must be at least 1, not 0",
      "image.name is required (a string)",
      "image.tag must be a string, not 1",
    ]);
    expect(reasons({ gpuCount: 1, select: { gpuModl: "H100", maxPricePerHour: -1 } })).toEqual([
      "select.maxPricePerHour must be more than 0, not -1",
      "gpuModl is not a property of MarketplaceInstance.select. Did you mean gpuModel?",
    ]);
    expect(reasons({ ...base, label: "mine" })).toEqual([
      expect.stringMatching(/^label is not a property of MarketplaceInstance. Available: clusterName, /),
    ]);
  });
});

describe("A marketplace instance", () => {
  const instance = (inputs: object) => ({ type: "MarketplaceInstance", inputs: { gpuCount: 1, ...inputs } });
  const create = { method: "POST", path: paths.createInstance };
  const machines = [...seededMachines(1).values()];
  const cheapest = machines
    .filter(({ gpusTotal, gpusTaken }) => gpusTotal > gpusTaken)
    .sort((one, other) => one.price - other.price)[0];

  function createStack(options: RigOptions = {}) {
    const rig = createRig(options);
    return { rig, stack: new FakeEngine(rig) };
  }

  test("is put on the cheapest machine that fits, which is pinned in the state through refreshes and updates", async () => {
    const { stack } = createStack();
    const program = { bargain: instance({ select: {} }) };
    expect((await stack.up(program)).errors).toEqual({});
    const pinned = {
      nodeName: cheapest?.id,
      clusterName: cheapest?.clusterName,
      costPerHour: cheapest?.price,
      machine: { gpuModel: cheapest?.gpu.model, pricePerGpuHour: cheapest?.price },
    };
    expect(stack.get("bargain").outputs).toMatchObject(pinned);
    for (let time = 0; time < 3; time += 1) {
      expect((await stack.up(program, { refresh: true })).steps).toEqual(["same bargain"]);
      expect(stack.get("bargain").outputs).toMatchObject(pinned);
      expect(stack.get("bargain").inputs).not.toHaveProperty("nodeName");
    }
    const expiring = { bargain: instance({ select: {}, expiresAt: "8h" }) };
    expect((await stack.up(expiring)).steps).toEqual(["update bargain"]);
    expect(stack.get("bargain").outputs).toMatchObject(pinned);
    expect((await stack.up(expiring, { refresh: true })).steps).toEqual(["same bargain"]);
  });

  test("goes to the next machine when the cheapest has just been taken", async () => {
    const { rig, stack } = createStack();
    rig.fault({ match: create, kind: "status", status: 400, body: { error: "GPUs are not available" } });
    expect((await stack.up({ bargain: instance({ select: {} }) })).errors).toEqual({});
    expect(stack.get("bargain").outputs["nodeName"]).not.toBe(cheapest?.id);
    expect(rig.count("POST", paths.createInstance)).toBe(2);
  });

  test("for which nothing fits is refused with the nearest misses and why each was passed over", async () => {
    const { stack } = createStack();
    const dream = instance({ gpuCount: 8, select: { gpuModel: "H200", maxPricePerHour: 1, region: "mars-1" } });
    const { errors } = await stack.up({ dream });
    expect(errors["dream"]).toMatch(
      /^creating MarketplaceInstance "dream": no marketplace machine matches\. Closest: (node-\w+: [^;]+(; )?){3}$/,
    );
    expect(errors["dream"]).toMatch(/its GPU is \S+, it is in \S+, it costs \$\d+\.\d\d\/h/);
  });

  const urn = "urn:pulumi:test::rig::pulumi-nodejs:dynamic/gpufleet:MarketplaceInstance::bargain";
  const waysToSettle = (id: string) =>
    `If it is: \`gpufleet recover --adopt ${id} --urn '${urn}'\`. ` +
    `If nothing was created: \`gpufleet recover --nothing-made --urn '${urn}'\`.`;

  test("goes to the cluster that the program names, at the price there, and to no other", async () => {
    const rig = createRig();
    const stack = new FakeEngine(rig);
    const { instances } = await rig.run(rig.client.listMarketplaceMachines({ filters: {} }));
    const node = instances.find((one) => one.status === "node_ready" && one.gpus_reserved === 0);
    const elsewhere = { ...node, cluster_name: "elsewhere", pricing: { price: { amount: 99, period: "hour" } } };
    const wire = changingAnswer("POST", paths.machines, () => ({ instances: [elsewhere, ...instances] }));
    const start = () => ({ provider: rig.startProvider({}, { wire }) });
    const program = (clusterName: unknown) => ({
      job: { type: "MarketplaceInstance", inputs: { clusterName, nodeName: node?.id, gpuCount: 1 } },
    });
    const refused = await stack.up(program("nonsense"), start());
    expect(refused.errors["job"]).toBe(
      `creating MarketplaceInstance "job": refused, nothing was created: clusterName is "nonsense", but the marketplace lists nodeName "${node?.id}" in "elsewhere" and "${node?.cluster_name}". Set clusterName to one of these.`,
    );
    expect(rig.billing()).toEqual([]);
    expect((await stack.up(program(node?.cluster_name), start())).errors).toEqual({});
    const { costPerHour, clusterName } = stack.get("job").outputs;
    expect({ costPerHour, clusterName }).toEqual({
      costPerHour: node?.pricing.price.amount,
      clusterName: node?.cluster_name,
    });
    expect((await stack.up(program(node?.cluster_name), start())).steps).toEqual(["same job"]);
  });

  test("is not ended by a name that is the id of another one", async () => {
    const rig = createRig();
    const stack = new FakeEngine(rig);
    const one = { type: "MarketplaceInstance", inputs: { select: {}, gpuCount: 1 } };
    expect((await stack.up({ job: one, other: one })).errors).toEqual({});
    const [job, other] = [stack.get("job").id, stack.get("other").id];
    const wire = changingList(paths.instances, (items) =>
      items.map((item) => (item["id"] === job ? { ...item, instance_name: other } : item)),
    );
    const end = { method: "POST", path: paths.endInstance };
    rig.fault({ match: end, kind: "status", status: 404, body: { error: "no such instance" }, times: 1 });
    expect((await stack.up({ other: one }, { provider: rig.startProvider({}, { wire }) })).errors).toEqual({});
    expect(rig.billing()).toEqual([other]);
  });

  const withStatus = (status: string) =>
    changingList(paths.instances, (items) =>
      items.map((item) => ({ ...item, instance: { ...Object(item["instance"]), status } })),
    );

  test.each(["ready", "Active"])("that is listed as %s is ready", async (word) => {
    const rig = createRig();
    const stack = new FakeEngine(rig);
    const provider = rig.startProvider({}, { wire: withStatus(word) });
    const job = { type: "MarketplaceInstance", inputs: { select: {}, gpuCount: 1 } };
    expect((await stack.up({ job }, { provider })).errors).toEqual({});
  });

  test("whose status nobody knows is waited for, and the error says that it may mean that it is ready", async () => {
    const rig = createRig();
    const stack = new FakeEngine(rig);
    const provider = rig.startProvider({}, { wire: withStatus("healthy") });
    const job = { type: "MarketplaceInstance", inputs: { select: {}, gpuCount: 1, timeouts: { create: 60 } } };
    const { errors } = await stack.up({ job }, { provider });
    expect(errors["job"]).toMatch(
      /still healthy after 1m00s\. What the status "healthy" means is not known: ready are node_ready, online, running, ready, active\. It is in the state with id /,
    );
  });

  test.each(["deleted", "ended", "destroyed", "removed", "canceled"])(
    "that is listed as %s after its end is told to end once, and has ended",
    async (word) => {
      const rig = createRig();
      const stack = new FakeEngine(rig);
      await stack.up({ job: { type: "MarketplaceInstance", inputs: { select: {}, gpuCount: 1 } } });
      const over = new Map<unknown, Record<string, unknown>>();
      const wire = changingList(paths.instances, (items) => {
        for (const item of items) over.set(item["id"], item);
        const listed = new Set(items.map((item) => item["id"]));
        return [...over].map(([id, item]) =>
          listed.has(id) ? item : { ...item, instance: { ...Object(item["instance"]), status: word } },
        );
      });
      const start = rig.clock.now();
      expect((await stack.destroy({ provider: rig.startProvider({}, { wire }) })).errors).toEqual({});
      expect(rig.count("POST", paths.endInstance)).toBe(1);
      expect(rig.clock.now() - start).toBeLessThan(60_000);
    },
  );

  test("is the same one where the list shows only when it was started, and that changes", async () => {
    const rig = createRig();
    const stack = new FakeEngine(rig);
    let start = "2026-09-12T12:00:30Z";
    const wire = changingList(paths.instances, (items) => items.map(({ created: _, ...item }) => ({ ...item, start })));
    const program = { job: { type: "MarketplaceInstance", inputs: { select: {}, gpuCount: 1 } } };
    expect((await stack.up(program, { provider: rig.startProvider({}, { wire }) })).errors).toEqual({});
    start = "2026-09-13T09:00:00Z";
    rig.clock.advance(86_400);
    expect((await stack.destroy({ provider: rig.startProvider({}, { wire }) })).errors).toEqual({});
    expect(rig.billing()).toEqual([]);
  });

  test("whose reply is lost is named, but neither taken, ended nor rented again: nothing proves whose it is", async () => {
    const { rig, stack } = createStack();
    const program = { bargain: instance({ select: {} }) };
    rig.fault({ match: create, kind: "reset-after" });
    const { errors } = await stack.up(program);
    const [id = ""] = rig.billing().map(String);
    const mayBe = `may be it; nothing proves it, so nothing was taken over or terminated. ${waysToSettle(id)}`;
    expect(errors["bargain"]).toBe(
      'creating MarketplaceInstance "bargain": POST /v1/marketplace/instances/create: lost the connection to ' +
        "https://gpu.example: the connection was reset. It may have taken effect, so it is not retried. It is unknown " +
        `whether it was created: marketplace instance ${id} (creating, 1×RTX-4090 in us-central-1, $0.40/h, for 0s) ${mayBe}`,
    );
    const fingerprint = `${cheapest?.clusterName}/${cheapest?.id}/1`;
    expect(stack.get("bargain").id).toBe(`unresolved:${fingerprint}`);
    rig.clock.advance(60);
    const earlier = `an earlier request for "${fingerprint}" may have created one, and its outcome is not known. `;
    const named = `${earlier}marketplace instance ${id} (running, 1×RTX-4090 in us-central-1, $0.40/h, for 1m00s) ${mayBe}`;
    expect((await stack.up(program)).errors["bargain"]).toBe(`creating MarketplaceInstance "bargain": ${named}`);
    expect((await stack.destroy()).errors["bargain"]).toBe(`deleting MarketplaceInstance "bargain": ${named}`);
    expect(rig.count("POST", paths.createInstance)).toBe(1);
    expect(rig.billing()).toEqual([id]);
  });

  test("that is unresolved is named also where no machine fits any more: the doubt is looked at first", async () => {
    const { rig, stack } = createStack();
    rig.fault({ match: create, kind: "reset-after" });
    await stack.up({ bargain: instance({ select: {} }) });
    const [id = ""] = rig.billing().map(String);
    const { errors } = await stack.up({ bargain: instance({ select: { region: "nowhere" } }) });
    expect(errors["bargain"]).toContain(`its outcome is not known. marketplace instance ${id} `);
    expect(errors["bargain"]).toContain(waysToSettle(id));
    expect(rig.count("POST", paths.createInstance)).toBe(1);
  });

  test("that is unresolved and made nothing is rented by the next up", async () => {
    const { rig, stack } = createStack();
    const program = { bargain: instance({ select: {} }) };
    rig.fault({ match: create, kind: "reset-before" });
    await stack.up(program);
    const { steps, errors } = await stack.up(program);
    expect({ steps, errors }).toEqual({ steps: ["replace bargain", "delete bargain"], errors: {} });
    expect(stack.get("bargain").outputs).toMatchObject({ nodeName: cheapest?.id, costPerHour: cheapest?.price });
    expect(rig.billing()).toHaveLength(1);
    expect((await stack.up(program, { refresh: true })).steps).toEqual(["same bargain"]);
  });

  test("that is unresolved does not take another resource's instance on the same machine for its own", async () => {
    const { rig, stack } = createStack();
    const named = instance({ clusterName: cheapest?.clusterName, nodeName: cheapest?.id });
    rig.fault({ match: create, kind: "reset-before" });
    const { errors } = await stack.up({ lost: named, made: named });
    const [lost = "", made = ""] = Object.keys(errors)[0] === "lost" ? ["lost", "made"] : ["made", "lost"];
    const id = stack.get(made).id;
    // In a fresh process, in which the other one may not have come by yet.
    await stack.up({ [lost]: named }, { keep: true });
    expect(stack.get(lost).id).not.toBe(id);
    expect(rig.billing()).toHaveLength(2);
  });

  test("shows a price in cents where the configuration says that the listing has cents", async () => {
    const { stack } = createStack({ settings: { marketplacePriceUnit: "cents" } });
    await stack.up({ bargain: instance({ select: {} }) });
    expect(stack.get("bargain").outputs["costPerHour"]).toBeCloseTo((cheapest?.price ?? 0) / 100);
  });
});

test("Machines that are listed, and cannot be read, are named where none can be chosen", async () => {
  const rig = createRig();
  const wire = changingEverything((body) =>
    JSON.parse(JSON.stringify(body).replaceAll(/"amount":[\d.]+/g, '"amount":0')),
  );
  const bargain = { type: "MarketplaceInstance", inputs: { gpuCount: 1, select: {} } };
  const { errors } = await new FakeEngine(rig).up({ bargain }, { provider: rig.startProvider({}, { wire }) });
  expect(errors["bargain"]).toMatch(
    /no marketplace machine matches: none of the \d+ that are listed can be read: .*must be more than 0/,
  );
});

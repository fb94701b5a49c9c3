import { FakeEngine, type Program } from "../fakeEngine";
import { createRig, paths, type RigOptions } from "../rig";

const fields = { networkType: "infiniband" as const, gpuCount: 8 };

/** An account in which somebody has rented 1001 by hand. */
async function withRental(options: RigOptions = {}) {
  const rig = createRig(options);
  await rig.run(rig.client.createBareMetalRental({ ...fields, label: "by-hand", region: "eu-west-3" }));
  rig.clock.advance(3600);
  const posts = () => rig.count("POST", paths.bareMetal);
  return { rig, stack: new FakeEngine(rig), posts };
}

function adopting(adoptId: string | number, more: object = {}) {
  return { type: "BareMetalRental", inputs: { ...fields, region: "eu-west-3", adoptId, ...more } };
}

describe("adoptId", () => {
  test("brings a machine under management as it is, without making one", async () => {
    const { rig, stack, posts } = await withRental();
    expect(await stack.up({ train: adopting("1001") })).toMatchObject({ steps: ["create train"], errors: {} });
    expect(stack.get("train")).toMatchObject({
      id: "1001",
      outputs: { label: "by-hand", status: "Running", costPerHour: 19.92, createdAt: "2026-09-12T12:00:00.000Z" },
    });
    expect(posts()).toBe(1);
    expect((await stack.up({ train: adopting("1001") }, { refresh: true })).steps).toEqual(["same train"]);
    expect((await stack.destroy()).errors).toEqual({});
    expect(rig.billing()).toEqual([]);
  });

  test("removed later, or given as a number, is no change", async () => {
    const { stack } = await withRental();
    await stack.up({ train: adopting("1001") });
    expect((await stack.up({ train: adopting(1001) })).steps).toEqual(["same train"]);
    const without = { type: "BareMetalRental", inputs: { ...fields, region: "eu-west-3" } };
    expect((await stack.up({ train: without })).steps).toEqual(["same train"]);
    expect((await stack.up({ train: adopting("1001") }, { refresh: true })).steps).toEqual(["same train"]);
  });

  test("changed to another machine replaces the one there was", async () => {
    const { rig, stack } = await withRental();
    await stack.up({ train: adopting("1001") });
    await rig.run(rig.client.createBareMetalRental({ ...fields, region: "eu-west-3" }));
    expect((await stack.up({ train: adopting("1002") })).steps).toEqual(["replace train", "delete train"]);
    expect(rig.billing()).toEqual([1002]);
  });

  test("of a machine that is not what the program asks for is refused with the differences", async () => {
    const { stack, posts } = await withRental();
    const { errors } = await stack.up({ train: adopting("1001", { gpuType: "h200", gpuCount: 16 }) });
    expect(errors["train"]).toBe(
      'creating BareMetalRental "train": bare-metal rental 1001 "by-hand" (Running, 8×h100 in eu-west-3, $19.92/h, for ' +
        '1h00m) cannot be adopted, because it differs from the program: gpuType is "h100", not "h200"; gpuCount is ' +
        "8, not 16. Change the program, or remove adoptId to create a new one.",
    );
    expect(stack.state.size).toBe(0);
    expect(posts()).toBe(1);
  });

  test("accepts a machine in one of the fallback regions", async () => {
    const { stack } = await withRental();
    const { errors } = await stack.up({
      train: adopting("1001", { region: "us-central-1", fallbackRegions: ["eu-west-4", "eu-west-3"] }),
    });
    expect(errors).toEqual({});
    expect(stack.get("train").outputs["region"]).toBe("eu-west-3");
  });

  test("of a machine that is not there is refused, and nothing is made", async () => {
    const { rig, stack, posts } = await withRental();
    expect((await stack.up({ train: adopting("9") })).errors["train"]).toBe(
      'creating BareMetalRental "train": bare-metal rental 9 cannot be adopted: it does not exist. Remove adoptId, or the option import, to create a new one.',
    );
    await rig.run(rig.client.terminateRental({ rentalType: "bare-metal", rentalId: 1001 }));
    expect((await stack.up({ train: adopting("1001") })).errors["train"]).toBe(
      'creating BareMetalRental "train": bare-metal rental 1001 cannot be adopted: it is Terminating. Remove adoptId, or the ' +
        "option import, to create a new one.",
    );
    expect(posts()).toBe(1);
  });

  test("with a forced replacement leaves the machine alive, with and without refresh", async () => {
    const { rig, stack } = await withRental();
    await stack.up({ train: adopting("1001") });
    for (const refresh of [true, false]) {
      const { steps, errors } = await stack.up({ train: adopting("1001") }, { replace: ["train"], refresh });
      expect({ steps, errors }).toEqual({ steps: ["replace train", "delete train"], errors: {} });
      rig.clock.advance(60);
      expect(rig.billing()).toEqual([1001]);
    }
  });

  test("named by two resources at once is given to one, and the other is refused", async () => {
    const { rig, stack } = await withRental();
    const { errors } = await stack.up({ one: adopting("1001"), two: adopting("1001") });
    expect(errors).toEqual({
      two:
        'creating BareMetalRental "two": bare-metal rental 1001 is already managed by another resource of this program: ' +
        "two resources cannot have the same adoptId",
    });
    expect([...stack.state.keys()]).toEqual(["one"]);
    expect(rig.billing()).toEqual([1001]);
  });

  test.each([
    ["before", true],
    ["before", false],
    ["after", true],
    ["after", false],
  ])("named by a second resource, declared %s the first one, is refused (refresh: %s)", async (where, refresh) => {
    const { rig, stack } = await withRental();
    await stack.up({ one: adopting("1001") });
    const both = { one: adopting("1001"), two: adopting("1001") };
    const { errors } = await stack.up(where === "after" ? both : { two: both.two, one: both.one }, { refresh });
    expect(errors).toEqual({
      two:
        'creating BareMetalRental "two": bare-metal rental 1001 is already managed by ' +
        `${stack.urn("BareMetalRental", "one")}: two resources cannot have the same adoptId`,
    });
    expect([...stack.state.keys()]).toEqual(["one"]);
    expect(rig.billing()).toEqual([1001]);
  });

  test("taken before its owner came by is an error of the owner, which tells how to undo it", async () => {
    const { rig, stack } = await withRental();
    await stack.up({ one: adopting("1001") });
    const provider = rig.startProvider();
    const both = await stack.up(
      { two: adopting("1001"), late: { type: "VmRental", inputs: { gpuCount: 1, waitForReady: false } } },
      { provider, keep: true },
    );
    expect(both.errors).toEqual({});
    const { errors } = await stack.up({ one: adopting("1001") }, { provider, keep: true });
    expect(errors["one"]).toBe(
      `bare-metal rental 1001 belongs to this resource, but was just adopted by ${stack.urn("BareMetalRental", "two")}: two resources cannot have the same ` +
        `machine. Remove the other one with \`pulumi state delete '${stack.urn("BareMetalRental", "two")}'\`, ` +
        "which does not touch the machine.",
    );
    expect(rig.billing()).toContain(1001);
  });

  test("that was refused does not keep the next command from ending the machine", async () => {
    const { rig, stack } = await withRental();
    await stack.up({ one: adopting("1001") });
    expect((await stack.up({ two: adopting("1001", { gpuCount: 16 }) })).errors).toHaveProperty("two");
    expect((await stack.destroy()).errors).toEqual({});
    expect(rig.billing()).toEqual([]);
  });

  test("of what another entry of the state holds is refused in a run that leaves that entry out", async () => {
    const { rig, stack } = await withRental();
    await stack.up({ one: adopting("1001") });
    const provider = rig.startProvider();
    provider.scope = "partial";
    const { errors } = await stack.up({ two: adopting("1001") }, { provider, keep: true });
    expect(errors).toEqual({
      two:
        'creating BareMetalRental "two": bare-metal rental 1001 "by-hand" (Running, 8×h100 in eu-west-3, $19.92/h, for 1h00m) ' +
        `cannot be adopted: it is already managed, by ${stack.urn("BareMetalRental", "one")}. This run leaves that resource as it ` +
        "is (--target, --exclude). `pulumi state delete` there releases it without touching the machine.",
    });
    expect([...stack.state.keys()]).toEqual(["one"]);
    expect((await stack.up({ two: adopting("1001") })).errors).toEqual({});
    expect([...stack.state.keys()]).toEqual(["two"]);
    expect(rig.billing()).toEqual([1001]);
  });

  test("in a run with --target takes what no other entry holds, and replaces its own", async () => {
    const { rig, stack } = await withRental();
    for (const replace of [[], ["train"]]) {
      const provider = rig.startProvider();
      provider.scope = "partial";
      expect((await stack.up({ train: adopting("1001") }, { provider, replace })).errors).toEqual({});
    }
    expect(rig.billing()).toEqual([1001]);
  });

  test("of what another stack of the backend holds is refused, until that stack lets go of it", async () => {
    const { rig, stack } = await withRental();
    await stack.up({ train: adopting("1001") });
    const other = new FakeEngine(rig, { stack: "other" });
    expect((await other.up({ mine: adopting("1001") })).errors).toEqual({
      mine:
        'creating BareMetalRental "mine": bare-metal rental 1001 "by-hand" (Running, 8×h100 in eu-west-3, $19.92/h, for 1h00m) ' +
        `cannot be adopted: it is already managed, by ${stack.urn("BareMetalRental", "train")}. \`pulumi state delete\` there ` +
        "releases it without touching the machine.",
    });
    await other.destroy();
    expect(rig.billing()).toEqual([1001]);
    stack.state.clear();
    expect((await other.up({ mine: adopting("1001") })).errors).toEqual({});
    await other.destroy();
    expect(rig.billing()).toEqual([]);
  });

  test("of what another account's provider of this stack holds is refused: its delete would end the machine", async () => {
    const { rig, stack } = await withRental();
    await stack.up({ train: adopting("1001") });
    const held = stack.entries();
    stack.state.clear();
    const provider = rig.startProvider();
    Object.defineProperty(provider, "state", {
      set: () => undefined,
      get: () => ({
        entries: async () => [],
        elsewhere: async () => held,
        isWhole: async () => true,
        interrupted: async () => [],
      }),
    });
    const { errors } = await stack.up({ renamed: adopting("1001") }, { provider });
    expect(errors["renamed"]).toContain(
      `cannot be adopted: it is already managed, by ${stack.urn("BareMetalRental", "train")}. \`pulumi state delete\` there`,
    );
  });

  test("of a machine that is more expensive than its limit says so, and does not end it", async () => {
    const { rig, stack } = await withRental();
    const { errors, provider } = await stack.up({ train: adopting("1001", { maxCostPerHour: 10 }) });
    expect(errors).toEqual({});
    expect(provider.shown.filter(({ kind }) => kind === "warning").map(({ text }) => text)).toEqual([
      "it costs $19.92/h, more than its maxCostPerHour of $10.00/h; adopted machines are not terminated for their price",
    ]);
    expect(rig.billing()).toEqual([1001]);
  });

  test("where the service has no list says that nothing can be adopted", async () => {
    const rig = createRig({ emulator: { dialect: "none" } });
    const vm = { type: "VmRental", inputs: { gpuCount: 1, adoptId: 5 } };
    expect((await new FakeEngine(rig).up({ vm })).errors["vm"]).toBe(
      'creating VmRental "vm": this service cannot list virtual-machine rentals, so none can be adopted',
    );
  });
});

describe("An adoption that fails, with --continue-on-error", () => {
  const named = (name: string) => `urn:pulumi:test::rig::pulumi-nodejs:dynamic/gpufleet:${name}`;
  const own = { type: "BareMetalRental", inputs: fields };
  const volume = { type: "StorageVolume", inputs: { region: "us-central-1", sizeInGb: 512 } };

  async function upThenOn(program: Program, next: (ids: Record<string, string>) => Program) {
    const rig = createRig();
    const stack = new FakeEngine(rig);
    expect((await stack.up(program)).errors).toEqual({});
    rig.clock.advance(600);
    const ids = Object.fromEntries([...stack.state].map(([name, { id }]) => [name, id]));
    const before = rig.billing();
    const outcome = await stack.up(next(ids), { continueOnError: true });
    return { rig, stack, before, outcome };
  }

  test.each([
    ["because it differs", { gpuType: "h200" }],
    ["because its inputs are refused", { region: "nowhere" }],
  ])("%s, ends nothing that the program names", async (_, wrong) => {
    const renamed = await upThenOn({ a: own, data: volume }, ({ a, data }) => ({
      b: { type: "BareMetalRental", inputs: { ...fields, ...wrong, adoptId: a } },
      data2: { type: "StorageVolume", inputs: { ...volume.inputs, sizeInGb: 256, adoptId: Number(data) } },
    }));
    const { rig, stack, before, outcome } = renamed;
    expect(rig.billing()).toEqual(before);
    expect([...stack.state.keys()].sort()).toEqual(["a", "data"]);
    expect(outcome.errors["a"]).toContain(
      `bare-metal rental 1001 is not terminated: the program has it as ${named("BareMetalRental::b")}, which has not taken it over. Run this again when that succeeds.`,
    );
    const { data } = Object.fromEntries([...stack.state].map(([name, { id }]) => [name, id]));
    const mended = {
      b: { type: "BareMetalRental", inputs: { ...fields, adoptId: "1001" } },
      data2: { type: "StorageVolume", inputs: { ...volume.inputs, adoptId: Number(data) } },
    };
    expect((await stack.up(mended, { continueOnError: true })).errors).toEqual({});
    expect(rig.billing()).toEqual(before);
    expect((await stack.destroy()).errors).toEqual({});
    expect(rig.billing()).toEqual([]);
  });

  test("leaves the volume that a rental was created with, where the program names that", async () => {
    const storageVolume = { isNew: true, label: "scratch", sizeInGb: 512 };
    const { rig, before, outcome } = await upThenOn({ a: { ...own, inputs: { ...fields, storageVolume } } }, () => ({
      data: { type: "StorageVolume", inputs: { ...volume.inputs, sizeInGb: 256, adoptId: 1 } },
    }));
    expect(Object.keys(outcome.errors)).toEqual(["data"]);
    expect(before).toEqual([1001, 1]);
    expect(rig.billing()).toEqual([1]);
  });
});

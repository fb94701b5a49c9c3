import { FakeEngine, type Outcome, type Program } from "../lifecycle/fakeEngine";
import { createRig, paths, type Rig, type RigOptions } from "../lifecycle/rig";
import { changingList, leavingOut, live } from "../lifecycle/wire";

const types = { "bare-metal": "BareMetalRental", vm: "VmRental" } as const;
const spec = { "bare-metal": { networkType: "infiniband", gpuCount: 8 }, vm: { gpuCount: 1 } } as const;

interface Fleet {
  kind?: keyof typeof types;
  count: number;
  /** As `GpuFleet` hands it to the gate and, hidden, to every member. */
  maxCostPerHour?: number;
  /** Inputs of the gate. */
  gate?: object;
  /** Inputs of every member. */
  member?: object;
}

/** What a GpuFleet registers: members that do not wait, and the gate. */
function fleet({ kind = "bare-metal", count, maxCostPerHour, gate = {}, member = {} }: Fleet): Program {
  const names = Array.from({ length: count }, (_, index) => `train-${index}`);
  const limit = maxCostPerHour === undefined ? {} : { __fleet: { count, maxCostPerHour } };
  const inputs = { ...spec[kind], ...member, ...limit, waitForReady: false };
  return {
    ...Object.fromEntries(names.map((name) => [name, { type: types[kind], inputs }])),
    "train-ready": {
      type: "FleetReady",
      inputs: (ids) => ({ kind, rentals: names.map((name) => ({ name, id: ids[name] })), maxCostPerHour, ...gate }),
    },
  };
}

function begin(options: RigOptions = {}): { rig: Rig; stack: FakeEngine } {
  const rig = createRig(options);
  return { rig, stack: new FakeEngine(rig) };
}

const gateOf = (stack: FakeEngine) => stack.get("train-ready");
const price = 19.92;

describe("The gate of a fleet", () => {
  test("waits for all members with one list per tick", async () => {
    const { rig, stack } = begin();
    const { errors } = await stack.up(fleet({ count: 64 }));
    expect(errors).toEqual({});
    const members = gateOf(stack).outputs["members"];
    expect(members).toHaveLength(64);
    expect(members).toContainEqual({
      name: "train-7",
      id: stack.get("train-7").id,
      status: "Running",
      region: "us-central-1",
      costPerHour: price,
      ssh: [expect.objectContaining({ user: "ubuntu" })],
      sshCommand: expect.stringMatching(/^ssh /),
    });
    expect(gateOf(stack).outputs["costPerHour"]).toBe(1274.88);
    // 30 s of provisioning at two seconds a look.
    expect(rig.count("GET", paths.bareMetal)).toBeLessThan(20);
    expect(rig.count("POST", paths.bareMetal)).toBe(64);
  });

  test("shows how many are there and what they cost, and leaves its row empty", async () => {
    const { rig, stack } = begin();
    await stack.up(fleet({ count: 2 }));
    rig.clock.advance(60);
    const { provider } = await stack.up(fleet({ count: 5 }));
    const shown = provider.shown.filter(
      ({ urn, kind }) => urn === stack.urn("FleetReady", "train-ready") && kind === "status",
    );
    expect(shown.length).toBeGreaterThan(5);
    expect(shown.slice(0, -1).every(({ text }) => /^2 of 5 Running, \d+s, \$99\.60\/h$/.test(text))).toBe(true);
    expect(shown.at(-1)?.text).toBe("");
  });

  test("is unchanged when nothing changes, and reads what is current", async () => {
    const { rig, stack } = begin();
    await stack.up(fleet({ count: 2 }));
    const before = rig.count("GET", paths.bareMetal);
    expect((await stack.up(fleet({ count: 2 }), { refresh: true })).steps).toEqual([
      "same train-0",
      "same train-1",
      "same train-ready",
    ]);
    expect(rig.count("GET", paths.bareMetal)).toBe(before + 1);
    await rig.run(rig.client.terminateRental({ rentalType: "bare-metal", rentalId: Number(stack.get("train-1").id) }));
    await stack.refresh();
    expect(gateOf(stack).outputs["members"]).toMatchObject([{ status: "Running" }, { status: "Terminating" }]);
  });

  test("updates in place and waits only for the members that are new", async () => {
    const { rig, stack } = begin();
    await stack.up(fleet({ count: 3 }));
    const lost = stack.get("train-0").id;
    await rig.run(rig.client.terminateRental({ rentalType: "bare-metal", rentalId: Number(lost) }));
    rig.clock.advance(60);
    const { steps, errors } = await stack.up(fleet({ count: 4 }));
    expect(errors).toEqual({});
    expect(steps).toEqual(["same train-0", "same train-1", "same train-2", "create train-3", "update train-ready"]);
    expect(gateOf(stack).outputs["members"]).toMatchObject([
      { status: "gone" },
      { status: "Running" },
      { status: "Running" },
      { status: "Running" },
    ]);
    expect((await stack.up(fleet({ count: 2 }))).steps).toEqual([
      "same train-0",
      "same train-1",
      "update train-ready",
      "delete train-2",
      "delete train-3",
    ]);
  });

  test("warns of members that have failed since, when there is no refresh", async () => {
    const { rig, stack } = begin({ emulator: { endSeconds: 600 } });
    await stack.up(fleet({ count: 2 }));
    const { id } = stack.get("train-0");
    await rig.run(rig.client.terminateRental({ rentalType: "bare-metal", rentalId: Number(id) }));
    const { provider, errors } = await stack.up(fleet({ count: 3 }));
    expect(errors).toEqual({});
    expect(provider.shown.filter(({ kind }) => kind === "warning").map(({ text }) => text)).toEqual([
      `train-0 (rental ${id}) is Terminating and costs $19.92/h. \`pulumi up --refresh\` replaces failed members`,
    ]);
  });

  test("names a member that fails, keeps what is known, and goes on when it is healed", async () => {
    const { rig, stack } = begin();
    rig.fault({ match: { method: "POST", path: paths.bareMetal }, nth: 2, kind: "fail-provisioning" });
    const { errors } = await stack.up(fleet({ count: 3 }));
    const { id } = stack.get("train-1");
    expect(errors).toEqual({
      "train-ready": `creating FleetReady "train-ready": 1 of 3 failed: train-1 (rental ${id}) is Failed and costs $19.92/h. 3 of 3 bill now: $59.76/h. \`pulumi up --refresh\` replaces failed members and leaves the others alone; minCount accepts fewer. All members are in the state; \`pulumi destroy\` terminates them.`,
    });
    expect(gateOf(stack).outputs["members"]).toMatchObject([
      { status: "Running" },
      { status: "Failed" },
      { status: "Running" },
    ]);
    const healed = await stack.up(fleet({ count: 3 }), { refresh: true });
    expect(healed.errors).toEqual({});
    expect(healed.steps).toEqual([
      "same train-0",
      "same train-2",
      "replace train-1",
      "update train-ready",
      "delete train-1",
    ]);
    expect(gateOf(stack).outputs["members"]).toMatchObject([
      {},
      { status: "Running", id: stack.get("train-1").id },
      {},
    ]);
    expect(rig.billing()).toHaveLength(3);
    expect((await stack.destroy()).errors).toEqual({});
    expect(rig.billing()).toEqual([]);
  });

  test("does not wait for ever for a member that no list shows", async () => {
    const { rig, stack } = begin();
    rig.fault({
      match: { method: "GET", path: paths.bareMetal },
      nth: 2,
      times: 1000,
      kind: "stale-list",
      seconds: 3600,
    });
    const start = rig.clock.now();
    const { errors } = await stack.up(fleet({ count: 1 }));
    expect(errors["train-ready"]).toMatch(/1 of 1 failed: train-0 \(rental \d+\) is not listed\. /);
    expect(rig.clock.now() - start).toBeGreaterThan(120_000);
    expect(rig.clock.now() - start).toBeLessThan(150_000);
  });

  test("vouches for nobody: a member that vanishes is made anew when lists have lacked it for as long as they may lag", async () => {
    const { rig, stack } = begin();
    await stack.up(fleet({ count: 3 }));
    const { id } = stack.get("train-2");
    await rig.run(rig.client.terminateRental({ rentalType: "bare-metal", rentalId: Number(id) }));
    rig.clock.advance(15);
    const start = rig.clock.now();
    const { steps, errors } = await stack.up(fleet({ count: 3 }), { refresh: true });
    expect(errors).toEqual({});
    expect(steps).toEqual(["gone train-2", "same train-0", "same train-1", "create train-2", "update train-ready"]);
    expect(rig.clock.now() - start).toBeGreaterThan(120_000);
    expect(rig.clock.now() - start).toBeLessThan(180_000);
    expect(rig.billing()).toHaveLength(3);
  });

  test("names those that take too long", async () => {
    const { stack } = begin({ emulator: { provisionSeconds: 600 } });
    const { errors } = await stack.up(fleet({ count: 12, gate: { timeouts: { create: "1m" } } }));
    expect(errors["train-ready"]).toMatch(
      /^creating FleetReady "train-ready": still 0 of 12 Running after 1m00s: train-0 \(rental \d+\) is Pending and costs \$19\.92\/h; .*; and 2 more\. 12 of 12 bill now: \$239\.04\/h\. Run `pulumi up` again to continue waiting, raise timeouts\.create, or accept fewer with minCount\./,
    );
    expect(gateOf(stack).outputs["members"]).toHaveLength(12);
    const again = await stack.up(fleet({ count: 12 }));
    expect(again.errors).toEqual({});
    expect(gateOf(stack).outputs["members"]).toEqual(
      expect.arrayContaining([expect.objectContaining({ status: "Running" })]),
    );
  });

  describe("with minCount", () => {
    const warnings = ({ provider }: Outcome) =>
      provider.shown.filter(({ kind }) => kind === "warning").map(({ text }) => text);

    test("is up when enough are ready and the rest has failed, and names what is missing", async () => {
      const { rig, stack } = begin();
      rig.fault({ match: { method: "POST", path: paths.bareMetal }, nth: 2, kind: "fail-provisioning" });
      const outcome = await stack.up(fleet({ count: 3, gate: { minCount: 2 } }));
      expect(outcome.errors).toEqual({});
      expect(warnings(outcome)).toEqual([
        `up with 2 of 3 Running, as minCount 2 allows. train-1 (rental ${stack.get("train-1").id}) is Failed and costs $19.92/h. \`pulumi up --refresh\` replaces failed members`,
      ]);
      expect((await stack.up(fleet({ count: 3, gate: { minCount: 2 } }), { refresh: true })).steps).toContain(
        "replace train-1",
      );
    });

    test("gives the others one more minute", async () => {
      const { rig, stack } = begin();
      await stack.up(fleet({ count: 2 }));
      rig.clock.advance(60);
      const slow = changingList(paths.bareMetal, (items) =>
        items.map((item) => (item["id"] === 1003 ? { ...item, status: "Pending" } : item)),
      );
      const start = rig.clock.now();
      const outcome = await stack.up(fleet({ count: 3, gate: { minCount: 2 } }), {
        provider: rig.startProvider({}, { wire: slow }),
      });
      expect(outcome.errors).toEqual({});
      expect(warnings(outcome)).toEqual([
        expect.stringMatching(/^up with 2 of 3 Running, .* train-2 \(rental 1003\) is Pending/),
      ]);
      expect(rig.clock.now() - start).toBeGreaterThanOrEqual(60_000);
      expect(rig.clock.now() - start).toBeLessThan(70_000);
    });

    test("fails at once when too many have failed", async () => {
      const { rig, stack } = begin();
      rig.fault({ match: { method: "POST", path: paths.bareMetal }, nth: 1, times: 2, kind: "fail-provisioning" });
      const { errors } = await stack.up(fleet({ count: 3, gate: { minCount: 2 } }));
      expect(errors["train-ready"]).toMatch(
        /"train-ready": 2 of 3 failed, and minCount is 2: train-0 .* 3 of 3 bill now: \$59\.76\/h\./,
      );
    });
  });

  test("is up at once where there are no members", async () => {
    const { rig, stack } = begin();
    await stack.up(fleet({ count: 2 }));
    const { errors, steps } = await stack.up(fleet({ count: 0 }));
    expect(errors).toEqual({});
    expect([...steps].sort()).toEqual(["delete train-0", "delete train-1", "update train-ready"]);
    expect(gateOf(stack).outputs).toMatchObject({ members: [], costPerHour: 0 });
    expect(rig.billing()).toEqual([]);
  });

  test("says on the rows of members that they are waited for, until they are ready", async () => {
    const { stack } = begin();
    const { provider } = await stack.up(
      fleet({ count: 2, member: { __fleet: { count: 2, regions: ["us-central-1"] } } }),
    );
    const row = provider.shown.filter(({ urn }) => urn === stack.urn("BareMetalRental", "train-1"));
    expect(row.map(({ text }) => text)).toEqual(["Pending; train-ready waits for it", ""]);
  });

  test("does not wait where it is told not to", async () => {
    const { rig, stack } = begin();
    const start = rig.clock.now();
    await stack.up(fleet({ count: 2, gate: { waitForReady: false } }));
    expect(rig.clock.now()).toBe(start);
    expect(gateOf(stack).outputs["members"]).toMatchObject([{ status: "Pending" }, { status: "Pending" }]);
  });

  test("waits for ssh on every member where that is asked for", async () => {
    const { rig, stack } = begin({ greetsSsh: async () => rig.clock.now() - start > 90_000 });
    const start = rig.clock.now();
    expect((await stack.up(fleet({ count: 3, gate: { waitForSsh: true } }))).errors).toEqual({});
    expect(rig.clock.now() - start).toBeGreaterThan(90_000);
  });

  test("names the members whose GPUs are not there; the next up checks them again, and only then is it content", async () => {
    let healed = false;
    const { rig, stack } = begin({
      askGpus: async ({ endpoint }) => ({
        kind: "gpus",
        count: healed || endpoint.host.includes("1002") ? 8 : 7,
        troubles: [],
      }),
    });
    const program = fleet({ count: 3, gate: { waitForGpus: true, timeouts: { create: "5m" } } });
    const { errors } = await stack.up(program);
    expect(errors["train-ready"]).toMatch(
      /^creating FleetReady "train-ready": train-0: Running, but nvidia-smi lists 7 of 8 GPUs, after 4m\d\ds; train-2: Running, but nvidia-smi lists 7 of 8 GPUs, after 4m\d\ds\. 3 of 3 bill now: \$59\.76\/h\./,
    );
    expect((await stack.up(program, { refresh: true })).errors["train-ready"]).toContain(
      "train-2: Running, but nvidia-smi",
    );
    healed = true;
    expect((await stack.up(program, { refresh: true })).steps).toContain("update train-ready");
    expect((await stack.up(program, { refresh: true })).steps).toContain("same train-ready");
    expect(rig.billing()).toHaveLength(3);
  });

  test("is content with members without GPUs where fewer will do, and says which", async () => {
    const { stack } = begin({
      askGpus: async ({ endpoint }) => ({ kind: "gpus", count: endpoint.host.includes("1001") ? 0 : 8, troubles: [] }),
    });
    const { errors, provider } = await stack.up(
      fleet({ count: 3, gate: { waitForGpus: true, minCount: 2, timeouts: { create: "5m" } } }),
    );
    expect(errors).toEqual({});
    expect(provider.shown.map(({ text }) => text)).toContainEqual(
      expect.stringMatching(
        /^up without some GPUs, as minCount 2 allows\. train-0: Running, but nvidia-smi lists 0 of 8 GPUs/,
      ),
    );
  });

  test("counts the shared volume into the cost of the whole", async () => {
    const { stack } = begin();
    const { "train-ready": gate, ...members } = fleet({ count: 1 });
    const volume = { type: "StorageVolume", inputs: { region: "us-central-1", sizeInGb: 1024 } };
    const { inputs } = gate ?? volume;
    const errors = await stack.up({
      ...members,
      volume,
      "train-ready": {
        type: "FleetReady",
        inputs: (ids) => ({
          ...(typeof inputs === "function" ? inputs(ids) : inputs),
          storageVolumeId: Number(ids["volume"]),
        }),
      },
    });
    expect(errors.errors).toEqual({});
    expect(gateOf(stack).outputs["costPerHour"]).toBe(20.0224);
  });

  test("warns where VMs cannot be listed, and does not stand in the way", async () => {
    const { stack } = begin({ emulator: { dialect: "none" } });
    const { errors, provider } = await stack.up(fleet({ kind: "vm", count: 2 }));
    expect(errors).toEqual({});
    expect(provider.shown.map(({ text }) => text)).toContainEqual(
      expect.stringContaining("could not check whether its members are ready"),
    );
    expect((await stack.up(fleet({ kind: "vm", count: 2 }), { refresh: true })).errors).toEqual({});
  });

  test("tells of a VM that failed, though its record has no status", async () => {
    const { rig, stack } = begin();
    rig.fault({ match: { method: "POST", path: paths.vm }, kind: "fail-provisioning" });
    const { errors } = await stack.up(fleet({ kind: "vm", count: 2 }));
    expect(errors["train-ready"]).toMatch(/1 of 2 failed: train-0 \(rental \d+\) is Terminated\. /);
  });
});

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
    expect(rig.billing()).toEqual([]);
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

    test("ends nothing when the gate was lost before it came to its end", async () => {
      const { rig, stack } = await running();
      stack.state.delete("train-ready");
      const outcome = await stack.up(limited);
      expect(outcome.errors).toEqual({});
      expect(said(outcome)).toEqual([warning]);
      expect(live(rig)).toHaveLength(2);
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

describe("The members of a fleet", () => {
  const regions = ["us-central-1", "eu-west-3"];
  const placed = (region: string, ...of: string[]) =>
    fleet({ count: 1, member: { region, __fleet: { count: 1, regions: of } } });

  test("stay where they are when regions are reordered or added, and move when theirs is removed", async () => {
    const { stack } = begin();
    await stack.up(placed("us-central-1", ...regions));
    for (const program of [placed("eu-west-3", ...regions), placed("eu-west-4", "eu-west-4", ...regions)]) {
      expect((await stack.up(program, { refresh: true })).steps).toEqual(["same train-0", "same train-ready"]);
      expect(stack.get("train-0").outputs["region"]).toBe("us-central-1");
    }
    expect((await stack.up(placed("eu-west-3", "eu-west-3"))).steps).toContain("replace train-0");
    expect(stack.get("train-0").outputs["region"]).toBe("eu-west-3");
  });

  const sized = (gpuCount: number, replacement: unknown) =>
    fleet({ count: 2, member: { gpuCount, __fleet: { count: 2, regions, replacement } } });

  test("say how to replace them where there is no room for old and new, and what bills", async () => {
    const { rig, stack } = begin({ emulator: { capacity: 24 } });
    await stack.up(sized(8, "create-first"));
    const { errors } = await stack.up(sized(16, "create-first"));
    expect(Object.values(errors)).toEqual(
      expect.arrayContaining([
        expect.stringMatching(
          /The machine that it replaces still takes up room\. With replacement: "delete-first" each member is terminated before its successor is rented, and with \{ batch: n \} at most n at a time; the same helps to go back to what was there before\./,
        ),
        expect.stringMatching(
          /Of the fleet "train" of 2, 2 bill \$39\.84\/h so far: train-0 \(rental 1001, \$19\.92\/h\), train-1 \(rental 1002, \$19\.92\/h\)\. `pulumi up` tries the rest again; a smaller count does without them; `pulumi destroy` terminates all\.$/,
        ),
      ]),
    );
    expect(rig.billing()).toHaveLength(2);
  });

  test("are not advised where they are new, but what bills is said once", async () => {
    const { stack } = begin({ emulator: { capacity: 8 } });
    const { errors } = await stack.up(fleet({ count: 3, member: { __fleet: { count: 3, regions } } }));
    const texts = Object.entries(errors).flatMap(([name, text]) => (name === "train-ready" ? [] : text));
    expect(texts).toHaveLength(2);
    expect(texts.filter((text) => text.includes("takes up room"))).toEqual([]);
    expect(texts.filter((text) => text.includes('Of the fleet "train" of 3'))).toHaveLength(1);
  });

  describe("with a shared volume", () => {
    const volume = { type: "StorageVolume", inputs: { region: "us-central-1", sizeInGb: 256 } };
    const attached = async (rig: Rig) => {
      const [listed] = await rig.run(rig.client.listStorageVolumes());
      return listed?.attachedRentals;
    };
    const attach = (name: string, ...members: string[]): Program => ({
      [name]: {
        type: "VolumeAttachment",
        inputs: (ids) => ({
          storageVolumeId: Number(ids["volume"]),
          rentalIds: members.map((member) => Number(ids[member])),
          waitForReady: false,
        }),
      },
    });
    const members = ["train-0", "train-1", "train-2"];
    const shared = (count: number) => ({
      volume,
      ...fleet({ count }),
      ...attach("on-members", ...members.slice(0, count)),
    });

    test("move from an attachment each to one for all, and none is detached", async () => {
      const { rig, stack } = begin();
      const each = members.map((member, index) => attach(`on-${index}`, member));
      await stack.up(Object.assign({ volume, ...fleet({ count: 3 }) }, ...each));
      const { errors, steps } = await stack.up(shared(3));
      expect(errors).toEqual({});
      expect([...steps].sort()).toEqual(
        expect.arrayContaining(["create on-members", "delete on-0", "delete on-1", "delete on-2"]),
      );
      expect(rig.count("POST", paths.detach)).toBe(0);
      expect(await attached(rig)).toHaveLength(3);
    });

    test("come and go without disturbing the others, also those that have ended already", async () => {
      const { rig, stack } = begin();
      await stack.up(shared(2));
      const [first, second] = members.map((member) => Number(stack.state.get(member)?.id));
      expect((await stack.up(shared(3))).errors).toEqual({});
      const third = Number(stack.get("train-2").id);
      expect(await attached(rig)).toEqual([first, second, third]);
      await rig.run(rig.client.terminateRental({ rentalType: "bare-metal", rentalId: third }));
      rig.clock.advance(60);
      expect((await stack.up(shared(2))).errors).toEqual({});
      expect(await attached(rig)).toEqual([first, second]);
      expect((await stack.destroy()).errors).toEqual({});
      expect(rig.billing()).toEqual([]);
    });
  });
});

import type { Outcome } from "../lifecycle/fakeEngine";
import { paths } from "../lifecycle/rig";
import { changingList, leavingOut } from "../lifecycle/wire";
import { begin, fleet, gateOf, price } from "./fleetProgram";

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
      wasReady: true,
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
    expect(errors["train-ready"]).toMatch(/train-0 \(rental \d+\) is not listed\. /);
    expect(rig.clock.now() - start).toBeLessThan(3600_000);
  });

  test("waits only as long as lists may lag for a member that they lack, and show others of that are not ready either", async () => {
    const { rig, stack } = begin();
    const wire = changingList(paths.bareMetal, (items) =>
      items.filter(({ id }) => id !== 1001).map((item) => ({ ...item, status: "Pending" })),
    );
    const start = rig.clock.now();
    const { errors } = await stack.up(fleet({ count: 2 }), { provider: rig.startProvider({}, { wire }) });
    expect(errors["train-ready"]).toMatch(/1 of 2 failed: train-\d \(rental 1001\) is not listed\. /);
    expect(rig.clock.now() - start).toBeGreaterThan(120_000);
    expect(rig.clock.now() - start).toBeLessThan(150_000);
  });

  test("waits for members that the service lists only once they run", async () => {
    const { rig, stack } = begin({ emulator: { provisionSeconds: 600 } });
    const wire = changingList(paths.bareMetal, (items) => items.filter(({ status }) => status === "Running"));
    const { errors } = await stack.up(fleet({ count: 2 }), { provider: rig.startProvider({}, { wire }) });
    expect(errors).toEqual({});
    expect(rig.billing()).toHaveLength(2);
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

  describe("keeps what it knows of a member", () => {
    const factsIn = (stack: ReturnType<typeof begin>["stack"]) => {
      const { members, costPerHour } = gateOf(stack).outputs;
      return { members, costPerHour };
    };

    async function started() {
      const { rig, stack } = begin();
      await stack.up(fleet({ count: 3 }));
      rig.clock.advance(600);
      return { rig, stack, before: factsIn(stack), id: stack.get("train-1").id };
    }

    test("that one list leaves out", async () => {
      const { rig, stack, before, id } = await started();
      const wire = leavingOut(paths.bareMetal, (item) => String(item["id"]) === id, 1);
      const provider = rig.startProvider({}, { wire });
      const { steps, errors } = await stack.up(fleet({ count: 3 }), { refresh: true, provider });
      expect({ steps, errors }).toEqual({
        steps: ["same train-0", "same train-1", "same train-2", "same train-ready"],
        errors: {},
      });
      expect(factsIn(stack)).toEqual(before);
    });

    test("and of all where so many vanish that it cannot be true", async () => {
      const { rig, stack, before } = await started();
      const provider = rig.startProvider({}, { wire: changingList(paths.bareMetal, () => []) });
      expect(Object.keys((await stack.refresh(provider)).errors).sort()).toEqual(["train-0", "train-1", "train-2"]);
      expect(factsIn(stack)).toEqual(before);
    });

    test("at another address, or where another account has the same ids", async () => {
      const { rig, stack, before } = await started();
      const address = "https://other.example";
      const elsewhere = { service: { addresses: { v2: address, v1: address } } };
      const others = changingList(paths.bareMetal, (items) =>
        items.map((item) => {
          const currentTerm = { ...Object(item["currentTerm"]), costPerHour: 99 };
          return { ...item, currentTerm, label: "foreign", userId: "somebody", orgId: "others" };
        }),
      );
      const places = [
        { ...elsewhere, wire: changingList(paths.bareMetal, () => []) },
        { service: { key: "of-another-account" }, wire: others },
      ];
      for (const place of places) {
        const { errors } = await stack.refresh(rig.startProvider({}, place));
        expect(Object.keys(errors)).toEqual(["train-0", "train-1", "train-2"]);
        expect(factsIn(stack)).toEqual(before);
      }
    });

    test("until it is gone", async () => {
      const { rig, stack, id } = await started();
      await rig.run(rig.client.terminateRental({ rentalType: "bare-metal", rentalId: Number(id) }));
      rig.clock.advance(60);
      expect((await stack.refresh()).steps).toEqual(["gone train-1"]);
      expect(gateOf(stack).outputs["costPerHour"]).toBe(2 * price);
      await stack.refresh();
      expect(gateOf(stack).outputs["members"]).toMatchObject([{}, { status: "gone" }, {}]);
    });
  });

  test("ends members for their price with the volumes that came with them", async () => {
    const { rig, stack } = begin();
    const wire = changingList(paths.bareMetal, (items) =>
      items.map((item) => (item["status"] === "Running" ? item : { ...item, currentTerm: undefined })),
    );
    const storageVolume = { isNew: true, label: "scratch", sizeInGb: 256 };
    const program = fleet({ count: 2, maxCostPerHour: 30, member: { storageVolume } });
    const { errors } = await stack.up(program, { provider: rig.startProvider({}, { wire }) });
    expect(errors["train-ready"]).toContain("The new ones were terminated immediately: train-0, train-1");
    expect(rig.count("POST", paths.bareMetal)).toBe(2);
    expect(rig.billing()).toEqual([]);
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

    test("knows which were ready until they are seen to be over, whatever one look says", async () => {
      const { rig, stack } = begin();
      rig.fault({ match: { method: "POST", path: paths.bareMetal }, nth: 3, kind: "fail-provisioning" });
      const program = fleet({ count: 3, gate: { minCount: 2 } });
      await stack.up(program);
      const wereReady = () => gateOf(stack).outputs["members"];
      expect(wereReady()).toMatchObject([{ wasReady: true }, { wasReady: true }, { wasReady: false }]);
      const id = Number(stack.get("train-1").id);
      const unclear = changingList(paths.bareMetal, (items) =>
        items.map((item) => (item["id"] === id ? { ...item, status: "Unknown" } : item)),
      );
      await stack.refresh(rig.startProvider({}, { wire: unclear }));
      expect(wereReady()).toMatchObject([{}, { status: "Unknown", wasReady: true }, {}]);
      await rig.run(rig.client.terminateRental({ rentalType: "bare-metal", rentalId: id }));
      await stack.refresh();
      expect(wereReady()).toMatchObject([{ wasReady: true }, { status: "Terminating", wasReady: false }, {}]);
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

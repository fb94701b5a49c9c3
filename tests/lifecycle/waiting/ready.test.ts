import { FakeEngine, type Outcome, type Program } from "../fakeEngine";
import { createRig, paths, type RigOptions, type Shown } from "../rig";

const rental = (more: object = {}) => ({
  type: "BareMetalRental",
  inputs: { networkType: "infiniband", gpuCount: 8, ...more },
});
const vm = (more: object = {}) => ({ type: "VmRental", inputs: { gpuCount: 1, ...more } });
const post = { method: "POST", path: paths.bareMetal };
const list = { method: "GET", path: paths.bareMetal };

function createStack(options: RigOptions = {}) {
  const rig = createRig(options);
  return { rig, stack: new FakeEngine(rig) };
}

function texts({ provider }: Outcome, kind: Shown["kind"]): string[] {
  return provider.shown.filter((shown) => shown.kind === kind).map(({ text }) => text);
}

describe("Waiting for a machine", () => {
  test("shows on its row how far it is, what it is and what it costs, and leaves nothing there", async () => {
    const { stack } = createStack({ emulator: { provisionSeconds: 200 } });
    const outcome = await stack.up({ train: rental() });
    const shown = texts(outcome, "status");
    expect(shown[0]).toBe("Pending 2s, 8×h100 in us-central-1, $19.92/h");
    expect(shown).toContainEqual(expect.stringMatching(/^Pending 3m\d\ds, 8×h100 in us-central-1, \$19\.92\/h$/));
    expect(shown.at(-1)).toBe("");
    expect(new Set(outcome.provider.shown.map(({ urn }) => urn))).toEqual(
      new Set([stack.urn("BareMetalRental", "train")]),
    );
  });

  test("that takes too long keeps it in the state and says how to go on; the next up goes on waiting", async () => {
    const { rig, stack } = createStack({ emulator: { provisionSeconds: 600 } });
    const program: Program = { train: rental({ timeouts: { create: "5m" } }) };
    expect((await stack.up(program)).errors["train"]).toBe(
      'creating BareMetalRental "train": still Pending after 5m00s. It is in the state with id 1001. It costs ' +
        "$19.92/h. Run `pulumi up` again to continue waiting, or raise timeouts.create. `pulumi destroy` terminates it.",
    );
    expect(stack.get("train")).toMatchObject({ id: "1001", outputs: { status: "Pending", costPerHour: 19.92 } });
    expect((await stack.up(program)).errors["train"]).toMatch(
      /^updating BareMetalRental "train": still Pending after 5m/,
    );
    expect((await stack.up(program)).steps).toEqual(["update train"]);
    expect(stack.get("train").outputs["status"]).toBe("Running");
    expect((await stack.up(program)).steps).toEqual(["same train"]);
    expect(rig.count("POST", paths.bareMetal)).toBe(1);
  });

  test.each([
    ["BareMetalRental", { networkType: "infiniband", gpuCount: 8 }, "Pending after 45m00s"],
    ["VmRental", { gpuCount: 1 }, "Pending after 20m00s"],
    ["MarketplaceInstance", { gpuCount: 1, select: {} }, "creating after 20m00s"],
    ["StorageVolume", { region: "us-central-1", sizeInGb: 256 }, "inactive after 10m00s"],
  ])("of a %s lasts as long as it may by default", async (type, inputs, status) => {
    const { stack } = createStack({ emulator: { provisionSeconds: 86_400 } });
    const { errors } = await stack.up({ thing: { type, inputs } });
    expect(errors["thing"]).toContain(`: still ${status}. It is `);
    expect(errors["thing"]).toContain(" It is in the state");
  });

  test("goes on after a refresh has forgotten the error", async () => {
    const { stack } = createStack({ emulator: { provisionSeconds: 800 } });
    const program: Program = { train: rental({ timeouts: { create: "5m" } }) };
    await stack.up(program);
    await stack.refresh();
    expect(stack.get("train").initError).toBeUndefined();
    expect((await stack.up(program, { refresh: true })).errors["train"]).toMatch(/still Pending after 5m/);
    expect((await stack.up(program, { refresh: true })).steps).toEqual(["update train"]);
    expect((await stack.up(program, { refresh: true })).steps).toEqual(["same train"]);
  });

  test("is over after a refresh that finds it ready", async () => {
    const { rig, stack } = createStack({ emulator: { provisionSeconds: 600 } });
    const program: Program = { train: rental({ timeouts: { create: "5m" } }) };
    await stack.up(program);
    rig.clock.advance(600);
    expect((await stack.up(program, { refresh: true })).steps).toEqual(["same train"]);
  });

  test("outlasts lists that fail, and says so when they never recover", async () => {
    const { rig, stack } = createStack();
    rig.fault({ match: list, nth: 3, times: 30, kind: "status", status: 503 });
    expect((await stack.up({ train: rental() })).errors).toEqual({});
    rig.fault({ match: list, nth: 3, times: 10_000, kind: "garbage" });
    const { errors } = await stack.up({ train: rental(), more: rental({ timeouts: { create: 60 } }) });
    expect(errors["more"]).toMatch(
      /^creating BareMetalRental "more": still Pending after 1m00s; the last poll failed: GET .* answered 200: the answer could not be read: it is not JSON\. It is in the state with id 1002\./,
    );
  });

  test("ends at once when the key is revoked, with the id in the state", async () => {
    const { rig, stack } = createStack();
    rig.fault({ match: list, nth: 2, times: 5, kind: "status", status: 401 });
    const { errors } = await stack.up({ train: rental() });
    expect(errors["train"]).toMatch(
      /answered 401: the API key was rejected \(fault\)\. .*It is in the state with id 1001\./,
    );
    expect(errors["train"]).toMatch(/The next `pulumi up` checks it again\. `pulumi destroy` terminates it\.$/);
    expect(stack.get("train").id).toBe("1001");
  });

  test("stops when somebody else ends the machine meanwhile", async () => {
    const { rig, stack } = createStack({ emulator: { provisionSeconds: 3000 } });
    const up = stack.up({ train: rental() });
    setImmediate(() =>
      rig.clock.sleep(60_000).then(() => rig.client.terminateRental({ rentalType: "bare-metal", rentalId: 1001 })),
    );
    expect((await up).errors["train"]).toBe(
      'creating BareMetalRental "train": bare-metal rental 1001 is Terminating: it ended before it was ready. It is in the state with ' +
        "id 1001. It costs $19.92/h. The next `pulumi up` replaces it. `pulumi destroy` terminates it.",
    );
  });

  test("stops when the machine is gone from the list for longer than lists lag", async () => {
    const { rig, stack } = createStack({ emulator: { provisionSeconds: 3000, endSeconds: 0 } });
    const up = stack.up({ train: rental() });
    setImmediate(() =>
      rig.clock.sleep(60_000).then(() => rig.client.terminateRental({ rentalType: "bare-metal", rentalId: 1001 })),
    );
    expect((await up).errors["train"]).toMatch(
      /^creating BareMetalRental "train": bare-metal rental 1001 is no longer listed: it was terminated outside this stack. `pulumi up --refresh` creates a new one\. It is in the state/,
    );
    expect(rig.clock.now() - Date.UTC(2026, 8, 12, 12)).toBeLessThan(300_000);
    expect((await stack.up({ train: rental({ waitForReady: false }) }, { refresh: true })).steps).toEqual([
      "gone train",
      "create train",
    ]);
  });

  test("names a status that nobody has heard of", async () => {
    const { rig, stack } = createStack();
    const [record] = await rig.run(
      rig.client
        .createBareMetalRental({ networkType: "infiniband", gpuCount: 8 })
        .then(() => rig.client.listBareMetalRentals()),
    );
    rig.fault({
      match: list,
      nth: 1,
      times: 9,
      kind: "status",
      status: 200,
      body: [{ ...record, status: "Hibernating" }],
    });
    expect((await stack.up({ train: rental({ adoptId: record?.id }) })).errors["train"]).toBe(
      'creating BareMetalRental "train": bare-metal rental 1001 has the unknown status "Hibernating". It is ' +
        "in the state with id 1001. It costs $19.92/h. The next `pulumi up` checks it again. `pulumi destroy` terminates it.",
    );
    rig.fault({ match: list, times: 9, kind: "status", status: 200, body: [{ ...record, status: "Hibernating" }] });
    expect(texts(await stack.refresh(), "warning")).toEqual([
      'bare-metal rental 1001 has the unknown status "Hibernating"',
    ]);
    expect(stack.get("train").outputs["status"]).toBe("Hibernating");
  });

  test("is not done where waitForReady is false", async () => {
    const { stack } = createStack({ emulator: { provisionSeconds: 600 } });
    await stack.up({ train: rental({ waitForReady: false }) });
    expect(stack.get("train").outputs).toMatchObject({ status: "Pending", createdAt: "2026-09-12T12:00:00.000Z" });
  });

  test("of a virtual machine that fails, on a service whose records have no status, ends with its termination", async () => {
    const { rig, stack } = createStack();
    rig.fault({ match: { method: "POST", path: paths.vm }, kind: "fail-provisioning" });
    expect((await stack.up({ box: vm() })).errors["box"]).toBe(
      'creating VmRental "box": virtual-machine rental 1001 is Terminated: it ended before it was ready. It is in the state with ' +
        "id 1001. The next `pulumi up` replaces it. `pulumi destroy` terminates it.",
    );
    expect((await stack.up({ box: vm() })).steps).toEqual(["replace box", "delete box"]);
    expect(rig.billing()).toEqual([1002]);
  });

  test("of a virtual machine where there is no list is left out with a warning", async () => {
    const { stack } = createStack({ emulator: { dialect: "none" } });
    const outcome = await stack.up({ box: vm() });
    expect(outcome.errors).toEqual({});
    expect(texts(outcome, "warning")).toEqual([
      expect.stringMatching(
        /^could not check whether it is ready: GET \/v2\/alpha\/on-demand\/virtual-machine-rentals answered 40[45]: /,
      ),
    ]);
    expect(stack.get("box")).toMatchObject({ id: "1001", outputs: { status: "Pending" } });
  });
});

describe("waitForSsh", () => {
  test("waits until the endpoint answers, and shows that on the row", async () => {
    const start = Date.UTC(2026, 8, 12, 12);
    const { rig, stack } = createStack({ greetsSsh: async () => rig.clock.now() > start + 90_000 });
    const outcome = await stack.up({ train: rental({ waitForSsh: true }) });
    expect(outcome.errors).toEqual({});
    const shown = texts(outcome, "status");
    expect(shown).toContainEqual("Running, waiting for ssh 10s, 8×h100 in us-central-1, $19.92/h");
    expect(shown.at(-1)).toBe("");
    expect(rig.clock.now()).toBeGreaterThan(start + 90_000);
  });

  test("says which endpoint never answered", async () => {
    const { stack } = createStack({ greetsSsh: async () => false });
    const outcome = await stack.up({ train: rental({ waitForSsh: true, timeouts: { create: 120 } }) });
    expect(outcome.errors["train"]).toMatch(
      /^creating BareMetalRental "train": Running, but ssh on machine-1001\.invalid:22 did not answer within 1m\d\ds\. It is in the state with id 1001\./,
    );
    expect(texts(outcome, "status").at(-1)).toBe("");
  });

  test("waits for an endpoint to be shown at all", async () => {
    const { rig, stack } = createStack();
    const blank = { sshNetworking: [] };
    const record = await rig.run(
      rig.client.createBareMetalRental({ networkType: "infiniband", gpuCount: 8 }).then(async () => {
        await rig.clock.sleep(60_000);
        return (await rig.client.listBareMetalRentals())[0];
      }),
    );
    const body = [{ ...record, providerData: { ...record?.providerData, ...blank } }];
    rig.fault({ match: list, times: 5, kind: "status", status: 200, body });
    const outcome = await stack.up({ train: rental({ adoptId: 1001, waitForSsh: true }) });
    expect(outcome.errors).toEqual({});
    expect(texts(outcome, "status")[0]).toBe("Running without an ssh address 0s, 8×h100 in us-central-1, $19.92/h");
    expect(stack.get("train").outputs["sshCommand"]).toBe("ssh ubuntu@machine-1001.invalid");
  });
});

describe("A fallback region", () => {
  test("is used when the region has no capacity, and stays without being a change", async () => {
    const { rig, stack } = createStack({ emulator: { capacity: 8 } });
    await stack.up({ first: rental() });
    const second = rental({ fallbackRegions: ["us-central-1", "eu-west-3", "eu-west-4"] });
    const outcome = await stack.up({ first: rental(), second });
    expect(outcome.errors).toEqual({});
    expect(stack.get("second").outputs).toMatchObject({ region: "eu-west-3" });
    expect(texts(outcome, "status")).toContain("no capacity in us-central-1, trying the next region");
    expect((await stack.up({ first: rental(), second })).steps).toEqual(["same first", "same second"]);
    expect((await stack.up({ first: rental(), second }, { refresh: true })).steps).toEqual([
      "same first",
      "same second",
    ]);
    expect(rig.count("POST", paths.bareMetal)).toBe(3);
  });

  test("is named with the others when none has capacity", async () => {
    const { rig, stack } = createStack({ emulator: { capacity: 0 } });
    const path = "POST /v2/alpha/on-demand/bare-metal-rentals answered 400: no capacity for 8×h100 in";
    const { errors } = await stack.up({ one: rental(), two: rental({ fallbackRegions: ["eu-west-3"] }) });
    expect(errors).toEqual({
      one: `creating BareMetalRental "one": ${path} us-central-1`,
      two: `creating BareMetalRental "two": no capacity in us-central-1, eu-west-3: ${path} us-central-1; ${path} eu-west-3`,
    });
    expect(rig.billing()).toEqual([]);
  });

  test("is not tried when the outcome in the region is unknown, nor after any other refusal", async () => {
    const { rig, stack } = createStack();
    rig.fault({ match: post, kind: "reset-before" });
    await stack.up({ lost: rental({ fallbackRegions: ["eu-west-3"] }) });
    expect(stack.get("lost").id).toMatch(/^unresolved:/);
    rig.fault({ match: post, kind: "status", status: 403, body: { error: "no capacity left in your plan" } });
    await stack.up({ refused: rental({ fallbackRegions: ["eu-west-3"] }) });
    expect(rig.billing()).toEqual([]);
  });
});

import type { Transport } from "../../../provider/client";
import { FakeEngine } from "../fakeEngine";
import { createRig, paths } from "../rig";
import { answering, changingList, type Item, intercepting, leavingOut } from "../wire";

const train = { type: "BareMetalRental", inputs: { networkType: "infiniband", gpuCount: 8 } };
const data = { type: "StorageVolume", inputs: { region: "us-central-1", sizeInGb: 256 } };
const box = { type: "VmRental", inputs: { gpuCount: 1 } };
const bargain = { type: "MarketplaceInstance", inputs: { gpuCount: 1, select: {} } };

const kinds = [
  ["bare-metal rental", train, paths.endBareMetal],
  ["virtual machine", box, paths.endVm],
  ["storage volume", data, paths.deleteVolume],
  ["marketplace instance", bargain, paths.endInstance],
] as const;

/** What gateways, frameworks and the service itself say when something other than the machine is missing. */
const claims = [
  [404, { detail: "Not Found" }],
  [404, { message: "no Route matched with those values" }],
  [404, { timestamp: "2026-09-12", status: 404, error: "Not Found", path: "/v2/…/terminate" }],
  [404, { error: "Cannot POST /v2/alpha/on-demand/bare-metal-rentals/terminate" }],
  [404, { error: { code: "NOT_FOUND", message: "organization not found" } }],
  [404, { error: "rental not found" }],
  [400, { error: "billing account not found for this rental" }],
  [403, { error: "not allowed" }],
  [409, { error: "rental is locked by another operation" }],
  [410, { error: "gone" }],
  [422, { error: "rental already terminated" }],
] as const;

/** What a 2xx says that is none. */
const refusals = [
  [200, { success: false, message: "locked by an administrator" }],
  [200, { ok: false }],
  [200, { status: "rejected", message: "not now" }],
  [200, { error: "locked" }],
] as const;

describe("An end that is answered by a claim", () => {
  const cases = kinds.flatMap(([noun, resource, path]) =>
    [...claims, ...refusals].map(([status, body]) => ({ noun, resource, path, status, body })),
  );
  test.each(cases)("($noun: $status $body) is decided by the list", async ({ resource, path, status, body }) => {
    const rig = createRig();
    const stack = new FakeEngine(rig);
    expect((await stack.up({ it: resource })).errors).toEqual({});
    rig.clock.advance(3600);
    const [id] = rig.billing();
    const headers = { "content-type": "application/json" };
    rig.fault({ match: { method: "POST", path }, times: 99, kind: "status", status, body, headers });
    const start = rig.clock.now();
    expect((await stack.destroy()).errors).toHaveProperty("it");
    expect(rig.clock.now() - start).toBeLessThan(120_000);
    expect(stack.get("it").id).toBe(String(id));
    rig.emulator.faults.clear();
    expect((await stack.destroy()).errors).toEqual({});
    expect({ inState: stack.state.size, billing: rig.billing() }).toEqual({ inState: 0, billing: [] });
  });

  test("that is right is believed once the list bears it out for as long as lists may lag", async () => {
    const rig = createRig();
    const stack = new FakeEngine(rig);
    await stack.up({ train });
    await rig.run(rig.client.terminateRental({ rentalType: "bare-metal", rentalId: 1001 }));
    rig.clock.advance(60);
    const start = rig.clock.now();
    expect((await stack.destroy()).errors).toEqual({});
    expect(rig.clock.now() - start).toBeGreaterThanOrEqual(120_000);
    expect(rig.clock.now() - start).toBeLessThan(150_000);
  });

  test("that is wrong is not believed because lists leave the machine out for a while", async () => {
    const rig = createRig();
    const stack = new FakeEngine(rig);
    await stack.up({ train });
    rig.clock.advance(3600);
    rig.fault({
      match: { method: "POST", path: paths.endBareMetal },
      kind: "status",
      status: 404,
      body: { detail: "x" },
    });
    const wire = leavingOut(paths.bareMetal, () => true, 5);
    const { errors } = await stack.destroy({ provider: rig.startProvider({}, { wire }) });
    expect({ errors, inState: stack.state.size, billing: rig.billing() }).toEqual({
      errors: {},
      inState: 0,
      billing: [],
    });
  });
});

describe("An end whose request is lost", () => {
  test.each([1, 2, 5])("is asked for again although %i lists lack the machine", async (requests) => {
    const rig = createRig();
    const stack = new FakeEngine(rig);
    await stack.up({ train });
    rig.clock.advance(3600);
    rig.fault({ match: { method: "POST", path: paths.endBareMetal }, kind: "reset-before" });
    const wire = leavingOut(paths.bareMetal, () => true, requests);
    await stack.destroy({ provider: rig.startProvider({}, { wire }) });
    expect({ inState: stack.state.size, billing: rig.billing() }).toEqual({ inState: 0, billing: [] });
  });
});

describe("An end that the service accepts", () => {
  const lists = [paths.bareMetal, paths.vm, paths.volumes, paths.instances];
  const deafCases = kinds.flatMap(([noun, resource, path], index) =>
    [2, 4, 9].map((missing) => ({ noun, resource, path, list: lists[index] ?? "", missing })),
  );
  test.each(deafCases)(
    "without doing it is asked for again, also where the next $missing lists lack the $noun",
    async ({ resource, path, list, missing }) => {
      const rig = createRig();
      const stack = new FakeEngine(rig);
      await stack.up({ it: resource });
      rig.clock.advance(3600);
      const deaf = { match: { method: "POST", path }, times: 2, kind: "status", status: 202, body: {} } as const;
      rig.fault(deaf);
      const told = rig.emulator.requests().counts[`POST ${path}`] ?? 0;
      const wire = (transport: Transport) =>
        leavingOut(list, () => (rig.emulator.requests().counts[`POST ${path}`] ?? 0) > told, missing)(transport);
      const { errors } = await stack.destroy({ provider: rig.startProvider({}, { wire }) });
      expect({ errors, inState: stack.state.size, billing: rig.billing() }).toEqual({
        errors: {},
        inState: 0,
        billing: [],
      });
    },
  );

  test.each(["", "true", "OK", "null", "{}", '{"message":"terminating"}'])("with the body %j is done", async (body) => {
    const rig = createRig();
    const stack = new FakeEngine(rig);
    await stack.up({ train });
    rig.clock.advance(3600);
    const wire = intercepting(({ path }, send) =>
      path === paths.endBareMetal ? send().then(() => answering(200, body)) : undefined,
    );
    const { errors } = await stack.destroy({ provider: rig.startProvider({}, { wire }) });
    expect({ errors, billing: rig.billing() }).toEqual({ errors: {}, billing: [] });
  });

  test("and does nothing about is asked for again while the machine runs on, and kept when the time is up", async () => {
    const rig = createRig();
    const stack = new FakeEngine(rig);
    await stack.up({ train: { ...train, inputs: { ...train.inputs, timeouts: { delete: "5m" } } } });
    let deaf = true;
    const wire = intercepting(({ path }) => (deaf && path === paths.endBareMetal ? answering(200, {}) : undefined));
    expect((await stack.destroy({ provider: rig.startProvider({}, { wire }) })).errors["train"]).toMatch(
      /^deleting BareMetalRental "train": (still Running after|it did not end in time)/,
    );
    expect(stack.get("train").id).toBe("1001");
    deaf = false;
    await stack.destroy({ provider: rig.startProvider({}, { wire }) });
    expect(rig.billing()).toEqual([]);
  });
});

describe("A service that ends nothing before it is ready", () => {
  const early = { error: { code: "CONFLICT", message: "Rental cannot be terminated while it is being provisioned" } };
  function provisioning(inputs: object = {}) {
    const rig = createRig({ emulator: { provisionSeconds: 120 } });
    let asked = 0;
    const wire = intercepting(({ path }) => {
      if (path === paths.endBareMetal) asked += 1;
      const isEarly = rig.emulator.state().some(({ status }) => status === "Pending");
      return path === paths.endBareMetal && isEarly ? answering(409, early) : undefined;
    });
    const start = () => rig.startProvider({}, { wire });
    return {
      asked: () => asked,
      rig,
      start,
      stack: new FakeEngine(rig),
      program: { train: { ...train, inputs: { ...train.inputs, ...inputs } } },
    };
  }

  test("ends what is over its limit as soon as it is", async () => {
    const { rig, start, stack, program } = provisioning({ maxCostPerHour: 1 });
    const { errors } = await stack.up(program, { provider: start() });
    expect(errors["train"]).toMatch(
      /\$19\.92\/h, more than its maxCostPerHour of \$1\.00\/h\. It was terminated immediately/,
    );
    expect({ inState: stack.state.size, billing: rig.billing() }).toEqual({ inState: 0, billing: [] });
  });

  test("is asked again until then by a destroy, less and less often", async () => {
    const { rig, start, stack, program, asked } = provisioning({ waitForReady: false });
    await stack.up(program, { provider: start() });
    expect((await stack.destroy({ provider: start() })).errors).toEqual({});
    expect(rig.billing()).toEqual([]);
    expect(asked()).toBeGreaterThan(5);
    expect(asked()).toBeLessThan(30);
  });

  test("and is not ready in time keeps the machine in the state, with the service's words", async () => {
    const { start, stack, program } = provisioning({ waitForReady: false, timeouts: { delete: 60 } });
    await stack.up(program, { provider: start() });
    const { errors } = await stack.destroy({ provider: start() });
    expect(errors["train"]).toMatch(
      /^deleting BareMetalRental "train": (still Pending after|it did not end in time).*: Rental cannot be terminated while it is being provisioned\. bare-metal rental 1001 \(Pending, \$19\.92\/h\) stays in the state\./,
    );
    expect(stack.state.has("train")).toBe(true);
  });
});

describe("A virtual machine of a service that lists none", () => {
  const refused = 'deleting VmRental "box": the service does not terminate it: ';
  async function destroyed(status: number, body: unknown) {
    const rig = createRig();
    const stack = new FakeEngine(rig);
    const wire = intercepting(({ method, path }) => {
      if (method === "GET" && path === paths.vm) return answering(405, { error: "method not allowed" });
      if (path === "/v2/openapi.json") return answering(404, { error: "no description" });
      return path === paths.endVm ? answering(status, body) : undefined;
    });
    expect((await stack.up({ box }, { provider: rig.startProvider({}, { wire }) })).errors).toEqual({});
    const { errors } = await stack.destroy({ provider: rig.startProvider({}, { wire }) });
    return { errors, inState: [...stack.state.keys()] };
  }

  test.each([
    [400, { error: "billing account not found for this rental" }],
    [404, { error: "the organization of this rental was not found" }],
    [409, { error: "rental is locked" }],
    [409, { error: "VM is already locked by another operation" }],
    [404, { error: "boot volume not found" }],
  ])("is kept when its end is answered %i %j", async (status, body) => {
    const { errors, inState } = await destroyed(status, body);
    expect(errors["box"]).toMatch(new RegExp(`^${refused}POST \\S+ answered ${status}: .*\\.$`));
    expect(inState).toEqual(["box"]);
  });

  test("is kept when a 200 says that its end was refused, in the service's words", async () => {
    const body = { success: false, status: "error", message: "rental is locked by an administrator" };
    const { errors, inState } = await destroyed(200, body);
    expect(errors["box"]).toBe(`${refused}rental is locked by an administrator.`);
    expect(inState).toEqual(["box"]);
  });

  test.each([
    [{ success: "false" }],
    [{ accepted: false }],
    [{ statusCode: 409, message: "locked" }],
    [{ code: "FORBIDDEN", message: "no access to this rental" }],
    ["Refused: rental is locked"],
  ])("is kept when a 200 says so in other shapes: %j", async (body) => {
    const { errors, inState } = await destroyed(200, body);
    expect(errors["box"]).toContain(refused);
    expect(inState).toEqual(["box"]);
  });

  test.each([
    "",
    "OK",
    { message: "terminating" },
    { code: 0, message: "success" },
    { id: 1001, status: "Terminating" },
  ])("is gone when its end is accepted with %j", async (body) => {
    expect(await destroyed(200, body)).toEqual({ errors: {}, inState: [] });
  });

  test.each([
    [404, { error: "rental not found" }],
    [400, { error: "rental 1001 has already ended" }],
    [403, { error: "rental 1001 does not exist" }],
    [200, { success: false, message: "rental 1001 not found" }],
  ])("is gone when the service says so of the machine itself, again and again: %i %j", async (status, body) => {
    expect(await destroyed(status, body)).toEqual({ errors: {}, inState: [] });
  });
});

describe("A machine that failed", () => {
  test("and that the service does not end for that is kept, whatever a person says of what vanished, with a way out", async () => {
    const rig = createRig();
    const stack = new FakeEngine(rig);
    rig.fault({ match: { method: "POST", path: paths.bareMetal }, kind: "fail-provisioning" });
    await stack.up({ train });
    const reason = "Rental is in state Failed and cannot be terminated";
    const wire = intercepting(({ path }) =>
      path === paths.endBareMetal ? answering(400, { error: reason }) : undefined,
    );
    expect((await stack.destroy({ provider: rig.startProvider({}, { wire }) })).errors["train"]).toBe(
      `deleting BareMetalRental "train": the service does not terminate it: POST ${paths.endBareMetal} answered 400: ${reason}. It is still Failed and costs $19.92/h, and stays in the state. Look in the service's console whether it is billed. If it is not, take it out of the state with \`pulumi state delete '${stack.urn("BareMetalRental", "train")}'\`.`,
    );
    const { errors } = await stack.destroy({ provider: rig.startProvider({ confirmGone: true }, { wire }) });
    expect({ errors: Object.keys(errors), inState: stack.state.size }).toEqual({ errors: ["train"], inState: 1 });
  });

  test("ends although a person says that it is gone, where the service ends it", async () => {
    const rig = createRig();
    const stack = new FakeEngine(rig);
    rig.fault({ match: { method: "POST", path: paths.bareMetal }, kind: "fail-provisioning" });
    await stack.up({ train });
    expect((await stack.destroy({ provider: rig.startProvider({ confirmGone: true }) })).errors).toEqual({});
    expect(rig.billing()).toEqual([]);
  });

  test("and stays listed as Failed with the time at which it ended is ended", async () => {
    const rig = createRig({ emulator: { dialect: "rich" } });
    const stack = new FakeEngine(rig);
    rig.fault({ match: { method: "POST", path: paths.vm }, kind: "fail-provisioning" });
    await stack.up({ box });
    const start = rig.clock.now();
    expect((await stack.destroy()).errors).toEqual({});
    expect(rig.clock.now() - start).toBeLessThan(60_000);
    expect(rig.billing()).toEqual([]);
  });

  test.each([
    ["bare-metal rental", train, paths.bareMetal],
    ["storage volume", data, paths.volumes],
  ] as const)("is ended once its record has a time of its end, whatever its status says (%s)", async (_, it, path) => {
    const rig = createRig();
    const stack = new FakeEngine(rig);
    await stack.up({ it });
    const ended = { terminatedAt: "2026-09-12T13:00:00.000Z" };
    const wire = changingList(path, (items) => items.map((item) => ({ ...item, ...ended })));
    expect((await stack.destroy({ provider: rig.startProvider({}, { wire }) })).errors).toEqual({});
    expect(stack.state.size).toBe(0);
  });
});

describe("An id that the service gives to somebody else while its machine ends", () => {
  test.each([
    { told: "label and time", isTimed: true },
    { told: "label", isTimed: false },
  ])("is not told to end again ($told)", async ({ isTimed }) => {
    const rig = createRig({ emulator: { endSeconds: 60 } });
    const stack = new FakeEngine(rig);
    expect((await stack.up({ train })).errors).toEqual({});
    let last: Item | undefined;
    const givenAway = changingList(paths.bareMetal, (items) => {
      const ending = items.find(({ status }) => status === "Terminating");
      last = ending ?? last;
      if (!last || ending) return items;
      const theirs = { ...last, status: "Running", label: "neighbours-own", deletedAt: null, terminatedAt: null };
      const createdAt = isTimed ? new Date(rig.clock.now()).toISOString() : last["createdAt"];
      return [...items.filter(({ id }) => id !== last?.["id"]), { ...theirs, createdAt }];
    });
    const { errors } = await stack.destroy({ provider: rig.startProvider({}, { wire: givenAway }) });
    expect(rig.count("POST", paths.endBareMetal)).toBe(1);
    expect(errors).toEqual(isTimed ? {} : { train: expect.stringContaining("neighbours-own") });
  });
});

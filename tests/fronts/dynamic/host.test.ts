import { createEmulator, type Emulator, type EmulatorOptions } from "../../../emulator";
import { handlers } from "../../../provider";
import { hosted } from "../../../provider/fronts/dynamic/host";
import { type Handler, type Values, whereKey } from "../../../provider/lifecycle";
import { waitUntil } from "../../../tools/workspace";
import { createRig, key, paths } from "../../lifecycle/rig";
import { Host, HostError, type Properties } from "./hostProcess";

const urn = "urn:pulumi:test::host::pulumi-nodejs:dynamic/gpufleet:BareMetalRental::train";
const given: Properties = {
  networkType: "infiniband",
  gpuCount: 8,
  __origin: `organization/${urn}`,
  __provider: 'exports.handler=()=>require("pulumi-gpufleet/provider").handler("BareMetalRental")',
};

/** A host of its own for the tests of a block: to start one takes a second. */
function useHost(options: EmulatorOptions = {}, config: Properties = {}): { emulator: Emulator; host: Host } {
  const emulator = createEmulator({ provisionSeconds: 0, endSeconds: 0, apiKey: key, ...options });
  const used: { emulator: Emulator; host?: Host } = { emulator };
  beforeAll(async () => {
    const { url } = await emulator.listen();
    used.host = await Host.start(
      { "gpufleet:baseUrl": url, "gpufleet:apiKey": key, ...config },
      // Long enough to be looked for, short enough for a test.
      { GPUFLEET_RECONCILE_SECONDS: "1" },
    );
  }, 60_000);
  beforeEach(() => emulator.reset());
  afterAll(async () => {
    used.host?.stop();
    await emulator.close();
  });
  return {
    emulator,
    get host() {
      return used.host ?? fail("the host has not been started");
    },
  };
}

async function failureOf(work: Promise<unknown>): Promise<HostError> {
  try {
    await work;
  } catch (error) {
    if (error instanceof HostError) return error;
    throw error;
  }
  throw new Error("it did not fail");
}

describe("Pulumi's own host with the built package", () => {
  const used = useHost();

  test("leads a rental through its life, with the stub carried along by every answer", async () => {
    const { emulator, host } = used;
    const { inputs, failures } = await host.check({}, given);
    expect(failures).toEqual([]);
    const made = await host.create(inputs);
    expect(made).toMatchObject({ id: "1001", outputs: { ...given, status: "Running", costPerHour: 19.92 } });
    const found = await host.read(made.id, made.outputs);
    // Where a create is sent is among the inputs only until it is read.
    const { [whereKey]: _, ...lasting } = inputs;
    expect(found).toEqual({ id: "1001", outputs: made.outputs, inputs: lasting });
    const updated = await host.update(made.id, made.outputs, { ...inputs, expiresAt: "8h" });
    expect(updated).toMatchObject({ ...made.outputs, expiresAt: "8h", expiresAtTime: expect.any(String) });
    await host.delete(made.id, updated);
    expect(emulator.state().filter(({ billing }) => billing)).toEqual([]);
    expect(host.printed).toBe("");
  });

  test("is told of a resource that is gone by an answer without an id", async () => {
    const { emulator, host } = used;
    const { id, outputs } = await host.create((await host.check({}, given)).inputs);
    await host.delete(id, outputs);
    emulator.clock.advance(600);
    expect(await host.read(id, { ...outputs, createdAt: "2020-01-01T00:00:00Z" })).toMatchObject({
      id: "",
      outputs: {},
    });
  });

  test("gets the id and the stub along with a create that failed half-way, so that it can be deleted", async () => {
    const { emulator, host } = used;
    emulator.faults.add({ match: { method: "POST", path: paths.bareMetal }, kind: "fail-provisioning" });
    const { saved, message } = await failureOf(host.create((await host.check({}, given)).inputs));
    expect(saved).toMatchObject({ id: "1001", properties: { ...given, status: "Failed" }, reasons: [message] });
    await host.delete("1001", saved?.properties ?? {});
    expect(emulator.state().filter(({ billing }) => billing)).toEqual([]);
  });

  test("prints where to look, not the error once more with our stack; and no key, escape or endless text", async () => {
    const { emulator, host } = used;
    const { id, outputs } = await host.create((await host.check({}, given)).inputs);
    const error = `\u001b[2J\u0007${key} ${"long ".repeat(2000)}`;
    emulator.faults.add({
      match: { method: "POST", path: paths.endBareMetal },
      kind: "status",
      status: 401,
      body: { error },
    });
    const { message } = await failureOf(host.delete(id, outputs));
    expect(message).toMatch(
      /^deleting BareMetalRental "train": POST \S+ answered 401: the API key was rejected \(\[redacted\] long long/,
    );
    expect(message.length).toBeLessThan(4100);
    await waitUntil("the host has printed a line", () => host.printed.endsWith("\n"));
    expect(host.printed).toBe('deleting BareMetalRental "train": failed; the error is shown with the resource\n');
  });
});

describe("The engine, as the package sees it through the host", () => {
  const used = useHost({ provisionSeconds: 3 });

  test("shows progress on the resource's own row, clears it, and is asked whether the engine lives", async () => {
    const { host } = used;
    const { inputs } = await host.check({}, given);
    await host.create(inputs);
    await waitUntil("the row is cleared", () => host.engine.lines.at(-1)?.message === "");
    expect(host.engine.lines.length).toBeGreaterThan(1);
    for (const line of host.engine.lines) expect(line).toMatchObject({ urn, ephemeral: true });
    expect(host.engine.lines[0]?.message).toMatch(/^Pending \d+s, 8×h100 in us-central-1, \$19\.92\/h$/);
  });

  test("rents nothing once the engine is gone", async () => {
    const { emulator, host } = used;
    const { inputs } = await host.check({}, given);
    host.engine.kill();
    const { message, saved } = await failureOf(host.create(inputs));
    expect(message).toBe('creating BareMetalRental "train": the Pulumi engine has ended; no further requests are sent');
    expect(saved).toBeUndefined();
    expect(emulator.state()).toEqual([]);
  });
});

describe("A configuration that is nonsense", () => {
  const used = useHost({}, { "gpufleet:operations": "{", "other:key": "value" });

  test("fails only what needs it, and says what is wrong", async () => {
    const { host } = used;
    const { inputs, failures } = await host.check({}, given);
    expect(failures).toEqual([]);
    const { message } = await failureOf(host.create(inputs));
    expect(message).toBe('creating BareMetalRental "train": gpufleet:operations must be valid JSON, not "{"');
  });
});

describe("A handler in the host's clothes", () => {
  const nothing: Handler = {
    type: "BareMetalRental",
    inputs: handlers.get("BareMetalRental")?.inputs ?? fail("no handler"),
    check: (_runtime, _olds, inputs) => ({ inputs, failures: [] }),
    diff: () => ({ changes: false, replaces: [], updates: [] }),
    create: async () => ({ id: "1", outputs: {} }),
    read: async () => undefined,
    update: async () => ({}),
    delete: async () => {},
  };
  const wear = (parts: Partial<Handler>) => {
    const provider = { runtime: createRig().startProvider(), secrets: () => [key] };
    return hosted({ ...nothing, ...parts }, () => provider);
  };

  test("sends an id that is a text, and outputs that can be sent, whatever the resource gives", async () => {
    const outputs: Values = { missing: undefined, big: 1n, call: () => 1, when: new Date(0), list: [undefined] };
    const { create } = wear({ create: async () => ({ id: JSON.parse("42"), outputs }) });
    expect(await create({ asked: true })).toEqual({
      id: "42",
      outs: { asked: true, big: "1", when: "1970-01-01T00:00:00.000Z", list: [null] },
    });
  });

  test.each([null, undefined, "text", 7])("answers with an error when %p is thrown", async (thrown) => {
    const { create } = wear({ create: () => Promise.reject(thrown) });
    await expect(create({})).rejects.toThrow(String(thrown));
  });

  test("never answers an update with nothing, which would wipe the outputs", async () => {
    expect(await wear({}).update("1", { old: 1 }, { asked: 2, __provider: "stub" })).toEqual({
      outs: { asked: 2, __provider: "stub" },
    });
  });

  test("answers a read with nothing only for what is gone", async () => {
    expect(await wear({}).read("1", {})).toEqual({});
    const { read } = wear({ read: async () => ({ inputs: {}, outputs: {} }) });
    expect(await read("1", { __origin: "o" })).toEqual({
      id: "1",
      props: { __origin: "o" },
      inputs: { __origin: "o" },
    });
  });

  const changed = () => ({ changes: true, replaces: ["gpuType"], updates: [] });
  const origin = { __origin: "organization/urn:pulumi:test::host::x::train" };

  test("leaves it to the engine to compare inputs that differ: it tells people line by line", async () => {
    const { check, diff } = wear({ diff: changed });
    const [olds, news] = [
      { ...origin, gpuType: "h100" },
      { ...origin, gpuType: "h200" },
    ];
    await check(olds, news);
    expect(await diff("1", { ...olds, status: "Running" }, news)).toMatchObject({
      changes: undefined,
      replaces: ["gpuType"],
    });
  });

  test("says itself that there is a change where the engine's inputs are equal, also when only a refresh has seen it", async () => {
    const { check, diff } = wear({ diff: changed });
    const news = { ...origin, gpuType: "h100" };
    await check(news, news);
    // Hosts before 3.220 do not pass on the inputs that a refresh found: the outputs alone tell.
    expect(await diff("1", { ...news, gpuType: "b200" }, news)).toMatchObject({ changes: true });
    expect(await diff("1", { ...news, status: "Failed" }, news)).toMatchObject({ changes: true });
    expect(await diff("1", { ...news, gpuType: "b200" }, news)).toMatchObject({ changes: undefined });
  });

  test("tells the failures of a check without naming the property twice", async () => {
    const failures = [{ property: "gpuCount", reason: "gpuCount must be a multiple of 8, not 7" }];
    const { check } = wear({ check: (_runtime, _olds, inputs) => ({ inputs, failures }) });
    expect((await check({}, {})).failures).toEqual([
      { property: "", reason: "gpuCount must be a multiple of 8, not 7" },
    ]);
  });

  test("does not complain, after a failure, of values that never came to be", async () => {
    const failures = [
      { property: "rentalIds", reason: "rentalIds must have at least 1 item, not (a list of 0)", isAbsence: true },
      { property: "gpuCount", reason: "gpuCount must be a multiple of 8, not 7" },
    ];
    const { check, create } = wear({
      check: (_runtime, _olds, inputs) => ({ inputs, failures }),
      create: () => Promise.reject(new Error("no capacity")),
    });
    expect((await check({}, {})).failures).toHaveLength(2);
    await expect(create({})).rejects.toThrow("no capacity");
    expect((await check({}, {})).failures).toEqual([
      { property: "", reason: "gpuCount must be a multiple of 8, not 7" },
    ]);
  });

  test("creates a replacement before it deletes, unless the program says otherwise", async () => {
    expect(await wear({}).diff("1", {}, {})).toEqual({ changes: false, replaces: [], deleteBeforeReplace: false });
  });
});

test("No resource has an input by a name that the host keeps for itself", () => {
  for (const { inputs } of handlers.values()) {
    for (const reserved of ["urn", "id", "__provider", "__origin"]) expect(inputs.shape).not.toHaveProperty(reserved);
  }
});

function fail(reason: string): never {
  throw new Error(reason);
}

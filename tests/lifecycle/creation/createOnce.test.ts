import { readLabel } from "../../../provider/shared/label";
import { FakeEngine, type Program } from "../fakeEngine";
import { createRig, paths, type RigOptions } from "../rig";

const train = { type: "BareMetalRental", inputs: { networkType: "infiniband", gpuCount: 8 } };
const program: Program = { train };

function createStack(options: RigOptions = {}) {
  const rig = createRig(options);
  const stack = new FakeEngine(rig);
  const posts = () => rig.count("POST", paths.bareMetal);
  return { rig, stack, posts };
}

const post = { method: "POST", path: paths.bareMetal };
const list = { method: "GET", path: paths.bareMetal };
/** What the automatic label of this stack's `train` looks like. */
const label = /^train-[a-z2-7]{6}-[a-z2-7]{8}-[a-z2-7]{6}$/;

describe("A create whose reply comes", () => {
  test("is done when the machine is ready, and has asked for it once", async () => {
    const { rig, stack, posts } = createStack();
    expect(await stack.up(program)).toMatchObject({ steps: ["create train"], errors: {} });
    expect(stack.get("train")).toMatchObject({
      id: "1001",
      outputs: { status: "Running", costPerHour: 19.92, label: expect.stringMatching(label) },
    });
    expect(posts()).toBe(1);
    expect(rig.billing()).toEqual([1001]);
  });

  test("is not done before the machine is ready", async () => {
    const { rig, stack } = createStack({ emulator: { provisionSeconds: 600 } });
    const start = rig.clock.now();
    await stack.up(program);
    expect(rig.clock.now() - start).toBeGreaterThanOrEqual(600_000);
  });
});

describe("A create whose reply is lost", () => {
  test.each(["reset-after", "truncate", "garbage"] as const)(
    "after the fact (%s) is found by its label and used, and not sent again",
    async (kind) => {
      const { rig, stack, posts } = createStack();
      rig.fault({ match: post, kind });
      expect(await stack.up(program)).toMatchObject({ steps: ["create train"], errors: {} });
      expect(stack.get("train")).toMatchObject({ id: "1001", outputs: { status: "Running" } });
      expect(posts()).toBe(1);
    },
  );

  test.each([500, 502, 504])("is looked for again when the list answers %i", async (status) => {
    const { rig, stack, posts } = createStack();
    rig.fault({ match: post, kind: "reset-after" }, { match: list, nth: 2, times: 10, kind: "status", status });
    expect((await stack.up(program)).errors).toEqual({});
    expect(stack.get("train").id).toBe("1001");
    expect(posts()).toBe(1);
  });

  test.each([500, 502, 504])("in a %i that says nothing of what was done is not sent again", async (status) => {
    const { rig, stack, posts } = createStack();
    rig.fault({ match: post, kind: "status", status });
    await stack.up(program);
    expect(stack.get("train").id).toMatch(/^unresolved:/);
    expect(posts()).toBe(1);
  });

  test("is looked for as long as the lists may lag behind", async () => {
    const { rig, stack, posts } = createStack();
    rig.fault(
      { match: post, kind: "reset-after" },
      { match: list, nth: 2, times: 20, kind: "stale-list", seconds: 120 },
    );
    expect((await stack.up(program)).errors).toEqual({});
    expect(stack.get("train").id).toBe("1001");
    expect(posts()).toBe(1);
  });

  test("is kept in the state as unresolved when nothing shows up, with the whole story", async () => {
    const { rig, stack, posts } = createStack();
    rig.fault({ match: post, kind: "reset-before" });
    const { errors } = await stack.up(program);
    const { id, outputs } = stack.get("train");
    expect(id).toBe(`unresolved:${outputs["label"]}`);
    expect(outputs).toMatchObject({ status: "Unknown", lostAt: "2026-09-12T12:00:00.000Z" });
    expect(errors["train"]).toBe(
      'creating BareMetalRental "train": POST /v2/alpha/on-demand/bare-metal-rentals: lost the connection to ' +
        "https://gpu.example: the connection was reset. It may have taken effect, so it is not retried. " +
        `It is unknown whether it was created: "${outputs["label"]}" was not listed within 2m00s. ` +
        "The next `pulumi up` checks again before it creates another one.",
    );
    expect(posts()).toBe(1);
  });

  test("is kept in the state as unresolved when the key is revoked while it is looked for", async () => {
    const { rig, stack } = createStack();
    rig.fault({ match: post, kind: "reset-after" }, { match: list, nth: 2, times: 9, kind: "status", status: 401 });
    const { errors } = await stack.up(program);
    expect(stack.get("train").id).toMatch(/^unresolved:train-/);
    expect(errors["train"]).toBe(
      'creating BareMetalRental "train": POST /v2/alpha/on-demand/bare-metal-rentals: lost the connection to ' +
        "https://gpu.example: the connection was reset. It may have taken effect, so it is not retried. It is unknown " +
        "whether it was created: GET /v2/alpha/on-demand/bare-metal-rentals answered 401: the API key was rejected (fault). " +
        "The key is read from GPUFLEET_API_KEY, then from gpufleet:apiKey. Refresh and destroy use the configuration of " +
        "the last up: after changing the key, set GPUFLEET_API_KEY or add --run-program. The next `pulumi up` checks again " +
        "before it creates another one.",
    );
  });
});

describe("An unresolved create", () => {
  test("whose machine was never made is made by the next up", async () => {
    const { rig, stack, posts } = createStack();
    rig.fault({ match: post, kind: "reset-before" });
    await stack.up(program);
    expect(await stack.up(program)).toMatchObject({ steps: ["replace train", "delete train"], errors: {} });
    expect(stack.get("train")).toMatchObject({ id: "1001", outputs: { status: "Running" } });
    expect(posts()).toBe(2);
    expect((await stack.up(program, { refresh: true })).steps).toEqual(["same train"]);
    expect(rig.billing()).toEqual([1001]);
  });

  test.each([{ refresh: false }, { refresh: true }])(
    "whose machine was made after all is taken over by the next up, once and for all ($refresh)",
    async (options) => {
      const { rig, stack, posts } = createStack();
      rig.fault(
        { match: post, kind: "reset-after" },
        { match: list, nth: 2, times: 70, kind: "stale-list", seconds: 600 },
      );
      await stack.up(program);
      const lost = stack.get("train").outputs["label"];
      rig.emulator.faults.clear();
      expect(await stack.up(program, options)).toMatchObject({ steps: ["replace train", "delete train"], errors: {} });
      expect(stack.get("train")).toMatchObject({ id: "1001", outputs: { status: "Running", label: lost } });
      expect(posts()).toBe(1);
      expect((await stack.up(program)).steps).toEqual(["same train"]);
      expect((await stack.up(program, { refresh: true })).steps).toEqual(["same train"]);
      expect((await stack.up(program, { refresh: true })).steps).toEqual(["same train"]);
      expect(rig.billing()).toEqual([1001]);
      await stack.destroy();
      expect(rig.billing()).toEqual([]);
    },
  );

  test("whose machine is no longer what the program asks for is replaced by one that is, and ended", async () => {
    const { rig, stack } = createStack();
    rig.fault(
      { match: post, kind: "reset-after" },
      { match: list, nth: 2, times: 70, kind: "stale-list", seconds: 600 },
    );
    await stack.up(program);
    rig.emulator.faults.clear();
    const changed = { train: { ...train, inputs: { ...train.inputs, gpuType: "h200" } } };
    expect(await stack.up(changed)).toMatchObject({ steps: ["replace train", "delete train"], errors: {} });
    expect(stack.get("train")).toMatchObject({ id: "1002", outputs: { gpuType: "h200" } });
    expect(rig.billing()).toEqual([1002]);
  });

  test("is waited for as long as a list may lack it, when the create itself had less time", async () => {
    const { rig, stack, posts } = createStack();
    const hasty = { train: { ...train, inputs: { ...train.inputs, timeouts: { create: "60s" } } } };
    rig.fault(
      { match: post, kind: "reset-after" },
      { match: list, nth: 2, times: 40, kind: "stale-list", seconds: 100 },
    );
    expect((await stack.up(hasty)).errors["train"]).toMatch(/"train-.*" was not listed within 1m00s/);
    expect((await stack.up(hasty)).errors).toEqual({});
    expect(stack.get("train").id).toBe("1001");
    expect(posts()).toBe(1);
  });

  test("is refused while a list may lack it and there is no time to wait for that", async () => {
    const { rig, stack, posts } = createStack();
    const hasty = { train: { ...train, inputs: { ...train.inputs, timeouts: { create: "20s" } } } };
    rig.fault({ match: post, kind: "reset-before" });
    await stack.up(hasty);
    const lost = stack.get("train").outputs["label"];
    expect((await stack.up(hasty)).errors["train"]).toBe(
      `creating BareMetalRental "train": refused, nothing was created: an earlier request for "${lost}" may have created ` +
        "one, and lists that lag may not show it yet (still not listed after 20s). Run this again, with more time in " +
        "timeouts.create if need be.",
    );
    expect(stack.get("train").id).toBe(`unresolved:${lost}`);
    expect(posts()).toBe(1);
  });

  test("is ended by destroy, even if its machine shows up only then", async () => {
    const { rig, stack } = createStack();
    const hasty = { train: { ...train, inputs: { ...train.inputs, timeouts: { create: "10s" } } } };
    rig.fault(
      { match: post, kind: "reset-after" },
      { match: list, nth: 2, times: 20, kind: "stale-list", seconds: 100 },
    );
    await stack.up(hasty);
    expect(rig.billing()).toEqual([1001]);
    expect((await stack.destroy()).errors).toEqual({});
    expect(rig.billing()).toEqual([]);
  });

  test("does not end the machine that was taken over when the run was killed before the delete", async () => {
    const { rig, stack } = createStack();
    rig.fault(
      { match: post, kind: "reset-after" },
      { match: list, nth: 2, times: 70, kind: "stale-list", seconds: 600 },
    );
    await stack.up(program);
    rig.emulator.faults.clear();
    const unresolved = stack.get("train");
    await stack.up(program);
    // As the state would be if the engine had not come to the delete.
    stack.condemned.push(unresolved);
    expect(await stack.up(program)).toMatchObject({ steps: ["same train", "delete train"], errors: {} });
    expect(rig.billing()).toEqual([1001]);
  });
});

describe("A machine with the resource's mark", () => {
  async function interrupted(options: RigOptions = {}) {
    const made = createStack(options);
    await made.stack.up(program);
    const kept = made.stack.get("train");
    return { ...made, kept };
  }

  test("and is not known to the state is named, and nothing is rented", async () => {
    const { rig, posts, kept } = await interrupted();
    rig.clock.advance(3600);
    const { errors } = await new FakeEngine(rig).up(program);
    expect(errors["train"]).toBe(
      `creating BareMetalRental "train": refused, nothing was created: bare-metal rental 1001 "${kept.outputs["label"]}" ` +
        "(Running, 8×h100 in us-central-1, $19.92/h, for 1h00m) was created for this resource, but is missing from the state. " +
        "If a run was interrupted, `gpufleet recover` adds it to the state. If it was kept on purpose (retainOnDelete), " +
        "set adoptId: 1001 to use it, or rename this resource. If it belongs to another stack with the same name, set " +
        "gpufleet:namespace for this one.",
    );
    expect(posts()).toBe(1);
  });

  test("and is known from the check of a changed resource is being replaced", async () => {
    const { rig, stack } = await interrupted();
    const changed = { train: { ...train, inputs: { ...train.inputs, gpuType: "h200" } } };
    expect((await stack.up(changed)).steps).toEqual(["replace train", "delete train"]);
    expect(rig.billing()).toEqual([1002]);
  });

  test.each([{ refresh: false }, { refresh: true }])(
    "is no leftover to a forced replacement, for which the state is asked (%j)",
    async (options) => {
      const { rig, stack } = await interrupted();
      const { steps, errors } = await stack.up(program, { replace: ["train"], ...options });
      expect({ steps, errors }).toEqual({ steps: ["replace train", "delete train"], errors: {} });
      expect(rig.billing()).toEqual([1002]);
    },
  );

  test("of a stack of another name, organization or namespace is another's", async () => {
    const { rig } = await interrupted();
    for (const identity of [{ stack: "prod" }, { project: "other" }, { organization: "elsewhere" }]) {
      expect((await new FakeEngine(rig, identity).up(program)).errors).toEqual({});
    }
    const provider = rig.startProvider({ namespace: "mine" });
    expect((await new FakeEngine(rig).up(program, { provider })).errors).toEqual({});
    expect(rig.billing()).toHaveLength(5);
  });

  test("of a resource whose name begins the same is another's", async () => {
    const { stack } = createStack();
    const { errors } = await stack.up({ a: train, ab: train, "a-b": train });
    expect(errors).toEqual({});
    const names = [...stack.state.values()].map(({ outputs }) => readLabel(String(outputs["label"]))?.name);
    expect(names.sort()).toEqual(["a", "a-b", "ab"]);
  });
});

describe("A killed engine", () => {
  test("is noticed before the request, and nothing is rented", async () => {
    const { rig, stack, posts } = createStack();
    const provider = rig.startProvider();
    provider.engineLives = false;
    expect((await stack.up(program, { provider })).errors["train"]).toBe(
      'creating BareMetalRental "train": the Pulumi engine has ended; no further requests are sent',
    );
    expect(posts()).toBe(0);
  });

  test("is noticed while backing off, and nothing is rented", async () => {
    const { rig, stack, posts } = createStack();
    const provider = rig.startProvider();
    rig.fault({ match: post, times: 3, kind: "status", status: 429, headers: { "retry-after": "30" } });
    const up = stack.up(program, { provider });
    setImmediate(() => rig.clock.sleep(10_000).then(() => (provider.engineLives = false)));
    expect((await up).errors["train"]).toMatch(/the Pulumi engine has ended/);
    expect(posts()).toBe(1);
    expect(rig.billing()).toEqual([]);
  });
});

describe("An engine that does not answer for a while", () => {
  test("has nothing rented, and is not said to have ended", async () => {
    const { rig, stack, posts } = createStack();
    const provider = rig.startProvider();
    provider.engineIsSilent = true;
    expect((await stack.up(program, { provider })).errors["train"]).toBe(
      'creating BareMetalRental "train": the Pulumi engine does not answer; no further requests are sent',
    );
    expect(posts()).toBe(0);
  });

  test("hears of what was waited for meanwhile", async () => {
    const { rig, stack } = createStack();
    const provider = rig.startProvider();
    const up = stack.up(program, { provider });
    setImmediate(() => rig.clock.sleep(5000).then(() => (provider.engineIsSilent = true)));
    expect((await up).errors).toEqual({});
    expect(stack.get("train").outputs["status"]).toBe("Running");
  });
});

describe("A label that a person chose", () => {
  const chosen = { train: { ...train, inputs: { ...train.inputs, label: "mine" } } };

  test("does not stop another machine of that label from being made, but says so", async () => {
    const { rig, stack } = createStack();
    await stack.up(chosen);
    const { errors, provider } = await new FakeEngine(rig).up(chosen);
    expect(errors).toEqual({});
    expect(provider.shown.filter(({ kind }) => kind === "warning").map(({ text }) => text)).toEqual([
      'bare-metal rental 1001 "mine" (Running, 8×h100 in us-central-1, $19.92/h, for 31s) has the same label. If it is ' +
        "left over from an interrupted run, set adoptId: 1001 instead of renting another one.",
    ]);
    expect(rig.billing()).toEqual([1001, 1002]);
  });

  const urn = "urn:pulumi:test::rig::pulumi-nodejs:dynamic/gpufleet:BareMetalRental::train";
  const lostReply =
    "POST /v2/alpha/on-demand/bare-metal-rentals: lost the connection to https://gpu.example: the connection was reset. " +
    "It may have taken effect, so it is not retried. It is unknown whether it was created: ";
  const waysToSettle = (id: string) =>
    `${id === "ID" ? "If one was created" : "If it is"}: \`gpufleet recover --adopt ${id} --urn '${urn}'\`. ` +
    `If nothing was created: \`gpufleet recover --nothing-made --urn '${urn}'\`.`;
  const noProof = "may be it; nothing proves it, so nothing was taken over or terminated. ";
  const described = (id: number, status: string, age: string) =>
    `bare-metal rental ${id} "mine" (${status}, 8×h100 in us-central-1, $19.92/h, for ${age}) `;

  test("whose reply is lost names what may be it, and takes nothing: not even the only one that is new and matches", async () => {
    const { rig, stack, posts } = createStack();
    await new FakeEngine(rig).up(chosen);
    rig.fault({ match: post, kind: "reset-after" });
    expect((await stack.up(chosen)).errors["train"]).toBe(
      `creating BareMetalRental "train": ${lostReply}${described(1002, "Pending", "0s")}${noProof}${waysToSettle("1002")}`,
    );
    expect(stack.get("train")).toMatchObject({
      id: expect.stringMatching(/^unresolved:label-[\w-]{12}$/),
      outputs: { idsBefore: ["1001"] },
    });
    rig.clock.advance(60);
    const earlier = 'an earlier request for "mine" may have created one, and its outcome is not known. ';
    const named = `${earlier}${described(1002, "Running", "1m00s")}${noProof}${waysToSettle("1002")}`;
    expect((await stack.up(chosen)).errors["train"]).toBe(`creating BareMetalRental "train": ${named}`);
    expect((await stack.destroy()).errors["train"]).toBe(`deleting BareMetalRental "train": ${named}`);
    expect(posts()).toBe(2);
    expect(rig.billing()).toEqual([1001, 1002]);
  });

  test("whose reply is lost inside a replacement leaves the machine that it has alone", async () => {
    const { rig, stack } = createStack();
    await stack.up(chosen);
    rig.fault({ match: post, kind: "reset-after" });
    const changed = { train: { ...train, inputs: { ...chosen.train.inputs, gpuType: "b200" } } };
    expect((await stack.up(changed)).errors["train"]).toContain('bare-metal rental 1002 "mine" (Pending, 8×b200');
    rig.clock.advance(60);
    expect((await stack.up(changed)).errors["train"]).toContain("bare-metal rental 1002");
    expect(rig.billing()).toEqual([1001, 1002]);
    expect(stack.condemned.map(({ id }) => id)).toEqual(["1001"]);
  });

  test("rules out what was there before, and what differs, and rents when nothing else may be it", async () => {
    const { rig, stack } = createStack();
    const other = { networkType: "infiniband", gpuCount: 8, gpuType: "b200", label: "mine" } as const;
    await new FakeEngine(rig).up(chosen);
    rig.fault({ match: post, kind: "reset-before" });
    expect((await stack.up(chosen)).errors["train"]).toBe(
      `creating BareMetalRental "train": ${lostReply}nothing listed so far may be it. The next \`pulumi up\` checks again before it creates another one. Look in the service's console. ${waysToSettle("ID")}`,
    );
    await rig.run(rig.client.createBareMetalRental(other));
    expect((await stack.up(chosen)).steps).toEqual(["replace train", "delete train"]);
    expect(stack.get("train").id).toBe("1003");
    expect(rig.billing()).toEqual([1001, 1002, 1003]);
  });

  test("with two machines that could be it names both and takes neither", async () => {
    const { rig, stack, posts } = createStack();
    rig.fault(
      { match: post, kind: "reset-after" },
      { match: list, nth: 2, times: 70, kind: "stale-list", seconds: 600 },
    );
    await stack.up(chosen);
    rig.emulator.faults.clear();
    await rig.run(rig.client.createBareMetalRental({ networkType: "infiniband", gpuCount: 8, label: "mine" }));
    const both = `${described(1001, "Pending", "0s")}and ${described(1002, "Pending", "0s")}`;
    const named = `an earlier request for "mine" may have created one, and its outcome is not known. ${both}${noProof}${waysToSettle("1001")}`;
    expect((await stack.up(chosen)).errors["train"]).toBe(`creating BareMetalRental "train": ${named}`);
    expect((await stack.destroy()).errors["train"]).toBe(`deleting BareMetalRental "train": ${named}`);
    expect(posts()).toBe(2);
    expect(rig.billing()).toEqual([1001, 1002]);
  });

  test("shared by two creates side by side, one of whose replies is lost: neither has the other's", async () => {
    const { rig, stack, posts } = createStack();
    rig.fault({ match: post, kind: "reset-after" });
    const { errors } = await stack.up({ one: chosen.train, two: chosen.train });
    expect(Object.keys(errors)).toEqual(["one"]);
    expect(stack.get("one").id).toMatch(/^unresolved:label-/);
    expect(stack.get("two").id).toBe("1002");
    expect((await stack.up({ one: chosen.train, two: chosen.train })).errors["one"]).toContain(
      'bare-metal rental 1001 "mine"',
    );
    expect(posts()).toBe(2);
    expect(rig.billing()).toEqual([1001, 1002]);
  });

  test("that could be read as the end of an id does not keep that id from being ended", async () => {
    const { rig, stack } = createStack();
    const short = { train: { ...train, inputs: { ...train.inputs, label: "1" } } };
    rig.fault({ match: post, kind: "reset-before" });
    await stack.up(short);
    const provider = rig.startProvider();
    await stack.up(short, { provider });
    expect(stack.get("train").id).toBe("1001");
    await stack.destroy({ provider });
    expect(rig.billing()).toEqual([]);
  });
});

import { type Values, whereKey } from "../../provider/lifecycle";
import { separateNames } from "../faults/simulation/separateNames";
import { FakeEngine, type Kept, type Program } from "./fakeEngine";
import { baseUrl, createRig, paths, type Rig } from "./rig";
import { changingList, intercepting, leavingOut, live, type Wire } from "./wire";

const fields = { networkType: "infiniband", gpuCount: 8 };
const train = { type: "BareMetalRental", inputs: fields };
const bigger = { type: "BareMetalRental", inputs: { ...fields, gpuCount: 16 } };
const adopting = (adoptId: string) => ({ type: "BareMetalRental", inputs: { ...fields, adoptId } });
const failing = { type: "VmRental", inputs: { gpuCount: 1 } };

/** Something else in the same command fails: the engine deletes nothing then. */
function failElsewhere(rig: Rig) {
  const body = { error: "quota exceeded" };
  rig.fault({ match: { method: "POST", path: paths.vm }, kind: "status", status: 400, body });
}

async function running(program: Program = { train }) {
  const rig = createRig();
  const stack = new FakeEngine(rig);
  expect((await stack.up(program)).errors).toEqual({});
  return { rig, stack };
}

describe("A machine that was renamed by adoptId lives", () => {
  test("with nothing else going on", async () => {
    const { rig, stack } = await running({ old: train });
    const { steps, errors } = await stack.up({ renamed: adopting("1001") });
    expect({ steps, errors }).toEqual({ steps: ["create renamed", "delete old"], errors: {} });
    expect(live(rig)).toEqual([1001]);
    expect((await stack.up({ renamed: adopting("1001") }, { refresh: true })).steps).toEqual(["same renamed"]);
  });

  test.each([{ refresh: false }, { refresh: true }])(
    "when something else fails in the same up, and the next up deletes the old name (%j)",
    async (options) => {
      const { rig, stack } = await running({ old: train });
      const program = { renamed: adopting("1001"), other: failing };
      failElsewhere(rig);
      expect(Object.keys((await stack.up(program)).errors)).toEqual(["other"]);
      const { steps, errors, provider } = await stack.up(program, options);
      expect(errors).toEqual({});
      expect(steps).toContain("delete old");
      expect(provider.shown.filter(({ kind }) => kind === "info").map(({ text }) => text)).toEqual([
        "bare-metal rental 1001 stays: another resource of this stack has it",
      ]);
      expect(live(rig)).toContain(1001);
      expect((await stack.up(program, { refresh: true })).errors).toEqual({});
      expect((await stack.destroy()).errors).toEqual({});
      expect(rig.billing()).toEqual([]);
    },
  );

  test("when the command is killed between its create and the delete of the old name", async () => {
    const { rig, stack } = await running({ old: train });
    await stack.up({ renamed: adopting("1001") }, { keep: true });
    expect((await stack.up({ renamed: adopting("1001") })).steps).toEqual(["same renamed", "delete old"]);
    expect(live(rig)).toEqual([1001]);
  });

  test("when the command is killed between the two, and the state cannot be exported in the next", async () => {
    const { rig, stack } = await running({ old: train });
    await stack.up({ renamed: adopting("1001") }, { keep: true });
    const { steps, errors } = await stack.up({ renamed: adopting("1001") }, { unreadable: true });
    expect({ steps, errors }).toEqual({ steps: ["same renamed", "delete old"], errors: {} });
    expect(live(rig)).toEqual([1001]);
    expect((await stack.destroy({ unreadable: true })).errors).toEqual({});
    expect(rig.billing()).toEqual([]);
  });

  test("when a forced replacement is killed between its create and its delete", async () => {
    const { rig, stack } = await running({ old: train });
    await stack.up({ train: adopting("1001") });
    await stack.up({ train: adopting("1001") }, { replace: ["train"], keep: true });
    expect(stack.condemned.map(({ id }) => id)).toEqual(["1001"]);
    expect((await stack.up({ train: adopting("1001") })).steps).toEqual(["same train", "delete train"]);
    expect(live(rig)).toEqual([1001]);
  });
});

describe("Two entries of a state with one id", () => {
  test("destroyed at once: exactly one of them ends it", async () => {
    const { rig, stack } = await running({ old: train });
    await stack.up({ renamed: adopting("1001") }, { keep: true });
    const { steps, errors } = await stack.destroy();
    expect({ steps: steps.sort(), errors }).toEqual({ steps: ["delete old", "delete renamed"], errors: {} });
    expect(rig.count("POST", paths.endBareMetal)).toBe(1);
    expect(rig.billing()).toEqual([]);
  });

  test("destroyed by two commands: the last ends it", async () => {
    const { rig, stack } = await running({ old: train });
    await stack.up({ renamed: adopting("1001") }, { keep: true });
    await stack.up({ old: train });
    expect(live(rig)).toEqual([1001]);
    await stack.destroy();
    expect(rig.billing()).toEqual([]);
  });

  test("of which one cannot be ended for now: it stays in the state, and the next destroy ends it", async () => {
    const { rig, stack } = await running({ old: train });
    await stack.up({ renamed: adopting("1001") }, { keep: true });
    rig.fault({ match: { method: "POST", path: paths.endBareMetal }, kind: "status", status: 403, times: 3 });
    expect(Object.keys((await stack.destroy()).errors)).toHaveLength(1);
    expect(stack.state.size).toBe(1);
    expect((await stack.destroy()).errors).toEqual({});
    expect({ inState: stack.state.size, billing: rig.billing() }).toEqual({ inState: 0, billing: [] });
  });
});

test("A machine whose id an expired resource once had is ended all the same", async () => {
  const expiring = { ...train, inputs: { ...fields, expiresAt: "1h" } };
  const { rig, stack } = await running({ old: expiring });
  await rig.run(rig.client.terminateRental({ rentalType: "bare-metal", rentalId: 1001 }));
  rig.clock.advance(2 * 3600);
  await stack.refresh();
  expect(stack.get("old").outputs["status"]).toBe("Expired");
  rig.emulator.reuseId("bare-metal", 1001, "new");
  const adopting = { type: "BareMetalRental", inputs: { ...fields, label: "new", adoptId: "1001" } };
  expect((await stack.up({ old: expiring, new: adopting })).errors).toEqual({});
  expect((await stack.destroy()).errors).toEqual({});
  expect(rig.billing()).toEqual([]);
});

test("A machine that runs on although its resource counts as expired is not ended once another has adopted it", async () => {
  const expiring = { ...train, inputs: { ...fields, expiresAt: "1h" } };
  const { rig, stack } = await running({ old: expiring });
  rig.clock.advance(2 * 3600);
  const leavingOut = changingList(paths.bareMetal, () => []);
  await stack.refresh(rig.startProvider({ confirmGone: true }, { wire: leavingOut }));
  expect(stack.get("old").outputs["status"]).toBe("Expired");
  expect((await stack.up({ old: expiring, new: adopting("1001") })).errors).toEqual({});
  expect((await stack.up({ new: adopting("1001") })).errors).toEqual({});
  expect(live(rig)).toEqual([1001]);
});

describe("What is to be deleted since a command was killed", () => {
  test("is no leftover to the create of another replacement, and ends with it", async () => {
    const { rig, stack } = await running();
    await stack.up({ train: bigger }, { keep: true });
    expect(stack.condemned.map(({ id }) => id)).toEqual(["1001"]);
    const { errors } = await stack.up({ train }, { replace: ["train"] });
    expect(errors).toEqual({});
    expect(live(rig)).toEqual([1003]);
  });

  test("is read by a refresh, and dropped when it is gone", async () => {
    const { rig, stack } = await running();
    await stack.up({ train: bigger }, { keep: true });
    await rig.run(rig.client.terminateRental({ rentalType: "bare-metal", rentalId: 1001 }));
    rig.clock.advance(60);
    expect((await stack.refresh()).steps).toEqual(["gone train"]);
    expect(stack.condemned).toEqual([]);
    expect(stack.get("train").id).toBe("1002");
  });
});

/** As an alias leaves it: the name is new, the outputs say where they came from. */
function alias(stack: FakeEngine, from: string, to: string): void {
  const kept = stack.get(from);
  stack.state.delete(from);
  stack.state.set(to, { ...kept, name: to, urn: stack.urn(kept.type, from) });
}

describe("A resource that was renamed with an alias", () => {
  test("is unchanged, refreshes, updates, is replaced and ended under its new name", async () => {
    const { rig, stack } = await running({ old: train });
    alias(stack, "old", "renamed");
    expect((await stack.up({ renamed: train }, { refresh: true })).steps).toEqual(["same renamed"]);
    const expiring = { ...train, inputs: { ...fields, expiresAt: "8h" } };
    expect((await stack.up({ renamed: expiring })).steps).toEqual(["update renamed"]);
    expect((await stack.up({ renamed: bigger })).steps).toEqual(["replace renamed", "delete renamed"]);
    expect(live(rig)).toEqual([1002]);
    await stack.destroy();
    expect(rig.billing()).toEqual([]);
  });

  test.each([["before"], ["after"]])(
    "is no leftover to a new resource of its old name, declared %s it",
    async (where) => {
      const { rig, stack } = await running({ old: train });
      alias(stack, "old", "renamed");
      const program = where === "before" ? { old: train, renamed: train } : { renamed: train, old: train };
      expect((await stack.up(program)).errors).toEqual({});
      expect(live(rig)).toEqual([1001, 1002]);
      expect((await stack.up(program, { refresh: true })).steps.sort()).toEqual(["same old", "same renamed"]);
    },
  );

  test("is no leftover to a forced replacement of a new resource of its old name", async () => {
    const { rig, stack } = await running({ old: train });
    alias(stack, "old", "renamed");
    const program = { renamed: train, old: train };
    await stack.up(program);
    expect((await stack.up(program, { replace: ["old"] })).errors).toEqual({});
    expect(live(rig)).toEqual([1001, 1003]);
  });

  test("can be adopted by a third name, and is told by its own", async () => {
    const { rig, stack } = await running({ old: train });
    alias(stack, "old", "renamed");
    const { errors } = await stack.up({ renamed: train, third: adopting("1001") });
    expect(errors["third"]).toBe(
      'creating BareMetalRental "third": bare-metal rental 1001 is already managed by ' +
        `${stack.urn("BareMetalRental", "renamed")}: two resources cannot have the same adoptId`,
    );
    expect(live(rig)).toEqual([1001]);
  });
});

describe("What retainOnDelete has kept", () => {
  /** The engine drops the old entry and calls no delete. */
  async function replaceRetaining(stack: FakeEngine, program: Program) {
    const outcome = await stack.up(program, { keep: true });
    stack.condemned.length = 0;
    return outcome;
  }

  test("is no leftover to the next replacement, nor to the one after that", async () => {
    const { rig, stack } = await running();
    for (const program of [{ train: bigger }, { train }, { train: bigger }, { train }]) {
      expect((await replaceRetaining(stack, program)).errors).toEqual({});
    }
    expect(live(rig)).toEqual([1001, 1002, 1003, 1004, 1005]);
    expect((await stack.up({ train }, { refresh: true })).steps).toEqual(["same train"]);
    await stack.destroy();
    expect(live(rig)).toEqual([1001, 1002, 1003, 1004]);
  });

  test("is still no leftover after a refresh and an update", async () => {
    const { rig, stack } = await running();
    await replaceRetaining(stack, { train: bigger });
    await stack.refresh();
    await stack.up({ train: { ...bigger, inputs: { ...bigger.inputs, expiresAt: "8h" } } });
    expect((await replaceRetaining(stack, { train })).errors).toEqual({});
    expect(live(rig)).toEqual([1001, 1002, 1003]);
  });

  test("is no leftover to later replacements after the stack was renamed", async () => {
    const { rig, stack } = await running();
    await stack.up({ train, other: train });
    stack.rename("prod");
    for (const more of [bigger, train]) {
      expect((await replaceRetaining(stack, { train: more, other: train })).errors).toEqual({});
    }
    expect(live(rig)).toEqual([1001, 1002, 1003, 1004]);
  });

  test("is no leftover to a stack that has the name of the one which kept it", async () => {
    const { rig, stack } = await running();
    await replaceRetaining(stack, { train: bigger });
    stack.rename("prod");
    expect((await new FakeEngine(rig).up({ train })).errors).toEqual({});
    expect(live(rig)).toEqual([1001, 1002, 1003]);
  });

  test("is named, with a way to use it, when the resource is made from nothing", async () => {
    const { rig, stack } = await running();
    stack.state.clear();
    const { errors } = await stack.up({ train });
    expect(errors["train"]).toContain("If it was kept on purpose (retainOnDelete), set adoptId: 1001 to use it");
    expect(live(rig)).toEqual([1001]);
    expect((await stack.up({ train: adopting("1001") })).errors).toEqual({});
    expect(stack.get("train").id).toBe("1001");
  });
});

describe("A resource that was moved to another stack", () => {
  function move(from: FakeEngine, to: FakeEngine, name: string): Kept {
    const kept = from.get(name);
    from.state.delete(name);
    to.state.set(name, kept);
    return kept;
  }

  test("is unchanged there, and no leftover to a new one of its name here", async () => {
    const { rig, stack } = await running();
    const other = new FakeEngine(rig, { stack: "other" });
    move(stack, other, "train");
    expect((await other.up({ train }, { refresh: true })).steps).toEqual(["same train"]);
    expect((await stack.up({ train })).errors).toEqual({});
    expect(live(rig)).toEqual([1001, 1002]);
    await stack.destroy();
    expect(live(rig)).toEqual([1001]);
    await other.destroy();
    expect(rig.billing()).toEqual([]);
  });

  test("lives when the old stack is destroyed, and is replaced in its new one", async () => {
    const { rig, stack } = await running({ train, second: train });
    const other = new FakeEngine(rig, { stack: "other" });
    move(stack, other, "train");
    expect((await stack.destroy()).errors).toEqual({});
    expect(live(rig)).toEqual([1001]);
    expect((await other.up({ train: bigger })).steps).toEqual(["replace train", "delete train"]);
    expect(live(rig)).toEqual([1003]);
  });
});

describe("A machine with an automatic label that another stack has adopted", () => {
  async function adoptedTwin() {
    const rig = createRig();
    const stack = new FakeEngine(rig);
    let isFirst = true;
    const wire = intercepting(({ method, path }, send) => {
      if (method !== "POST" || path !== paths.bareMetal || !isFirst) return undefined;
      isFirst = false;
      return send().then(send);
    });
    await stack.up({ train }, { provider: rig.startProvider({}, { wire }) });
    expect(stack.get("train").id).toBe("1002");
    const other = new FakeEngine(rig, { stack: "other" });
    expect((await other.up({ train: adopting("1001") })).errors).toEqual({});
    return { rig, stack, other };
  }

  test("is not ended as a twin", async () => {
    const { rig, stack } = await adoptedTwin();
    expect((await stack.destroy()).errors).toEqual({});
    expect(live(rig)).toEqual([1001]);
  });

  test("does not take its twin along, which the first stack holds", async () => {
    const { rig, other } = await adoptedTwin();
    expect((await other.destroy()).errors).toEqual({});
    expect(live(rig)).toEqual([1002]);
  });

  test.each(["up", "destroy"] as const)("is not taken for the outcome of a lost create (%s)", async (command) => {
    const rig = createRig();
    const stack = new FakeEngine(rig);
    const list = { method: "GET", path: paths.bareMetal };
    rig.fault(
      { match: { method: "POST", path: paths.bareMetal }, kind: "reset-after" },
      { match: list, nth: 2, times: 70, kind: "stale-list", seconds: 600 },
    );
    await stack.up({ train });
    rig.emulator.faults.clear();
    const other = new FakeEngine(rig, { stack: "other" });
    expect((await other.up({ train: adopting("1001") })).errors).toEqual({});
    const { errors } = command === "up" ? await stack.up({ train }) : await stack.destroy();
    expect(errors).toEqual({});
    expect(live(rig)).toEqual(command === "up" ? [1001, 1002] : [1001]);
  });
});

describe("A machine whose id another stack of the backend has for a machine of its own", () => {
  const list = { method: "GET", path: paths.bareMetal };
  const cases: [string, Values][] = [
    ["at another address", { [whereKey]: { address: "https://far.example" } }],
    ["in another account", { [whereKey]: { address: baseUrl, account: "somebody-else" } }],
    ["under another label", { [whereKey]: { address: baseUrl }, label: "theirs" }],
    ["under another label, in a state of an older version", { label: "theirs" }],
  ];

  function beside(outputs: Values) {
    const rig = createRig();
    const far = new FakeEngine(rig, { stack: "far" });
    far.state.set("theirs", { name: "theirs", type: "BareMetalRental", id: "1001", inputs: {}, outputs });
    return { rig, stack: new FakeEngine(rig) };
  }

  test.each(cases)(
    "is a leftover when its provider was killed, and no second one is rented (%s)",
    async (_, outputs) => {
      const { rig, stack } = beside(outputs);
      await stack.up({ train });
      stack.state.clear();
      expect((await stack.up({ train })).errors["train"]).toContain(
        "refused, nothing was created: bare-metal rental 1001",
      );
      expect(live(rig)).toEqual([1001]);
    },
  );

  test.each(cases)("is taken when its reply was lost (%s)", async (_, outputs) => {
    const { rig, stack } = beside(outputs);
    await lose(rig, stack);
    expect((await stack.up({ train })).errors).toEqual({});
    expect(stack.get("train").id).toBe("1001");
    expect(live(rig)).toEqual([1001]);
  });

  test.each(cases)("is ended when its reply was lost and the stack is destroyed (%s)", async (_, outputs) => {
    const { rig, stack } = beside(outputs);
    await lose(rig, stack);
    expect((await stack.destroy()).errors).toEqual({});
    expect(rig.billing()).toEqual([]);
  });

  /** The reply is lost, and the lists lag behind for longer than anybody looks. */
  async function lose(rig: Rig, stack: FakeEngine) {
    rig.fault(
      { match: { method: "POST", path: paths.bareMetal }, kind: "reset-after" },
      { match: list, nth: 2, times: 70, kind: "stale-list", seconds: 600 },
    );
    await stack.up({ train });
    expect(stack.get("train").id).toMatch(/^unresolved:/);
    rig.emulator.faults.clear();
  }
});

test("Where the state cannot be asked, a leftover that may be known is refused as before", async () => {
  const { rig, stack } = await running();
  const provider = rig.startProvider();
  Object.defineProperty(provider, "state", {
    get: () => ({ entries: async () => undefined, elsewhere: async () => [] }),
    set: () => {},
  });
  const { errors } = await stack.up({ train }, { replace: ["train"], provider });
  expect(errors["train"]).toMatch(
    /^creating BareMetalRental "train": refused, nothing was created: bare-metal rental 1001/,
  );
  expect(live(rig)).toEqual([1001]);
});

describe("An instance that the state holds by its name, and that is adopted by its id,", () => {
  const bargain = { type: "MarketplaceInstance", inputs: { select: {}, gpuCount: 1 } };
  const byId = (adoptId: string) => ({ type: "MarketplaceInstance", inputs: { gpuCount: 1, adoptId } });

  /** The create is answered with a name, and the list that follows lags behind. */
  async function heldByName() {
    const rig = createRig();
    const stack = new FakeEngine(rig);
    const late = leavingOut(paths.instances, () => true, 2);
    const start = (wire: Wire = (transport) => transport) =>
      rig.startProvider({}, { wire: (transport) => wire(separateNames(transport)) });
    const provider = start(late);
    expect((await stack.up({ old: bargain }, { provider })).errors).toEqual({});
    const { id: name } = stack.get("old");
    const id = String(live(rig)[0]);
    expect(name).toBe(`name-of-${id}`);
    return { rig, stack, start, id };
  }

  test("lives when its old name is deleted", async () => {
    const { rig, stack, start, id } = await heldByName();
    const { steps, errors } = await stack.up({ renamed: byId(id) }, { provider: start() });
    expect({ steps, errors }).toEqual({ steps: ["create renamed", "delete old"], errors: {} });
    expect(live(rig)).toEqual([id]);
    expect((await stack.destroy({ provider: start() })).errors).toEqual({});
    expect(rig.billing()).toEqual([]);
  });

  test("lives when another run deletes its old name", async () => {
    const { rig, stack, start, id } = await heldByName();
    await stack.up({ renamed: byId(id) }, { provider: start(), keep: true });
    expect((await stack.up({ renamed: byId(id) }, { provider: start() })).steps).toEqual([
      "same renamed",
      "delete old",
    ]);
    expect(live(rig)).toEqual([id]);
  });

  test("ends when both are destroyed at once", async () => {
    const { rig, stack, start, id } = await heldByName();
    await stack.up({ renamed: byId(id) }, { provider: start(), keep: true });
    expect((await stack.destroy({ provider: start() })).errors).toEqual({});
    expect(rig.billing()).toEqual([]);
  });

  test("is not given to a second resource while the program has the first", async () => {
    const { rig, stack, start, id } = await heldByName();
    const { errors } = await stack.up({ old: bargain, second: byId(id) }, { provider: start() });
    expect(errors["second"]).toMatch(/name-of-\S+ is already managed by \S+::old: /);
    expect(stack.state.size).toBe(1);
    expect(live(rig)).toEqual([id]);
  });

  test("is an error of the first resource where the second came by before it", async () => {
    const { stack, start, id } = await heldByName();
    const provider = start();
    await stack.up({ second: byId(id) }, { provider, keep: true });
    const { errors } = await stack.up({ old: bargain, second: byId(id) }, { provider });
    expect(errors["old"]).toMatch(/belongs to this resource, but was just adopted by \S+::second/);
  });

  test("does not keep another from being ended whose id is its name", async () => {
    const { rig, stack } = await running({ one: bargain, other: bargain });
    const [id, other] = [stack.get("one").id, stack.get("other").id];
    const wire = changingList(paths.instances, (items) =>
      items.map((item) => (item["id"] === id ? { ...item, instance_name: other } : item)),
    );
    const provider = rig.startProvider({}, { wire });
    expect((await stack.up({ renamed: byId(id) }, { provider })).errors).toEqual({});
    expect(live(rig)).toEqual([id]);
  });
});

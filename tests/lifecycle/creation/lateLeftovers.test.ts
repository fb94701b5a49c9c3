import { recover } from "../../faults/simulation/recover";
import { FakeEngine } from "../fakeEngine";
import { createRig, type ProviderProcess, paths, type Rig } from "../rig";
import { answering, changingList, type Item, intercepting, leavingOut, live, type Wire } from "../wire";

const rental = (gpuCount = 8) => ({ type: "BareMetalRental", inputs: { networkType: "infiniband", gpuCount } });
const program = { it: rental() };

const through = (rig: Rig, wire: Wire) => ({ provider: rig.startProvider({}, { wire }) });
const warningsOf = ({ shown }: ProviderProcess) =>
  shown.filter(({ kind }) => kind === "warning").map(({ text }) => text);

/** Rental 1001 was created for the resource, and the provider was killed before the engine had heard of it. */
async function afterKill() {
  const rig = createRig();
  await new FakeEngine(rig).up(program);
  expect(live(rig)).toEqual([1001]);
  return { rig, stack: new FakeEngine(rig) };
}

/** Lists that lag: they lack rental 1001 until another one is asked for. */
function lackingUntilPost(): Wire {
  let isAsked = false;
  const post = intercepting(({ method, path }) => {
    if (method === "POST" && path === paths.bareMetal) isAsked = true;
    return undefined;
  });
  const list = leavingOut(paths.bareMetal, ({ id }) => id === 1001 && !isAsked);
  return (transport) => post(list(transport));
}

describe("What a killed run has left and lists show late", () => {
  test("is refused for where the search for another lost create has shown it", async () => {
    const rig = createRig();
    const stack = new FakeEngine(rig);
    rig.fault({ match: { method: "POST", path: paths.bareMetal }, kind: "reset-before" });
    await stack.up(program);
    expect(stack.get("it").id).toMatch(/^unresolved:/);
    await new FakeEngine(rig).up(program);
    const { errors } = await stack.up(
      program,
      through(
        rig,
        leavingOut(paths.bareMetal, () => true, 1),
      ),
    );
    expect(errors["it"]).toMatch(/refused, nothing was created: .*rental 1001 .* was created for this resource/);
    expect(live(rig)).toEqual([1001]);
  });

  test("is told of where another one was created by then, and is not taken for what that replaced", async () => {
    const { rig, stack } = await afterKill();
    rig.fault({ match: { method: "POST", path: paths.bareMetal }, kind: "reset-after" });
    const { errors, provider } = await stack.up(program, through(rig, lackingUntilPost()));
    expect(errors).toEqual({});
    expect(stack.get("it").id).toBe("1002");
    expect(warningsOf(provider).join("\n")).toMatch(
      /rental 1001 .* was created for this resource, too, but is missing from the state.*`gpufleet recover` says/,
    );
    expect((await stack.up({ it: rental(16) })).errors["it"]).toMatch(/refused, nothing was created: .*rental 1001 /);
    expect(live(rig)).toEqual([1001, 1002]);
  });

  test("is named by recover, also beside the one that recover adds to the state", async () => {
    const { rig, stack } = await afterKill();
    let kill: (reason: Error) => void = () => {};
    const killed = new Promise<never>((_, reject) => {
      kill = reject;
    });
    const killing = intercepting(({ method, path }, send) => {
      if (method !== "POST" || path !== paths.bareMetal) return undefined;
      return send().then(() => {
        kill(new Error("killed"));
        return new Promise<never>(() => {});
      });
    });
    const lagging = lackingUntilPost();
    const wire: Wire = (transport) => lagging(killing(transport));
    await expect(stack.up(program, { ...through(rig, wire), killed })).rejects.toThrow("killed");
    const said = await recover({ rig, stack, neighbours: [], program });
    expect(stack.get("it").id).toBe("1002");
    expect(said.join("\n")).toMatch(/rental 1001 .* was created by this stack but is missing from its state/);
  });

  test("is not what a resource has at the time that it is replaced", async () => {
    const rig = createRig();
    const stack = new FakeEngine(rig);
    await stack.up(program);
    const { errors, provider } = await stack.up({ it: rental(16) });
    expect(errors).toEqual({});
    expect(warningsOf(provider)).toEqual([]);
    expect(stack.get("it").outputs["__predecessors"]).toEqual(["1001"]);
  });
});

describe("A list that shows something without an id in the midst of lists that lack it", () => {
  /** Lists without rental 1001, but for a minute and a half in which they show it without its id. */
  function nameless(rig: Rig): Wire {
    const start = rig.clock.now();
    const isShown = () => rig.clock.now() - start > 15_000 && rig.clock.now() - start < 110_000;
    const without = (item: Item) => (item["id"] === 1001 ? [] : [item]);
    return changingList(paths.bareMetal, (items) =>
      isShown() ? items.map((item) => ({ ...item, id: null })) : items.flatMap(without),
    );
  }

  test("keeps a lost create from being taken for absent until lists have lacked it long enough", async () => {
    const rig = createRig();
    const stack = new FakeEngine(rig);
    rig.fault({ match: { method: "POST", path: paths.bareMetal }, kind: "reset-after" });
    await stack.up(
      program,
      through(
        rig,
        leavingOut(paths.bareMetal, () => true),
      ),
    );
    expect(stack.get("it").id).toMatch(/^unresolved:/);
    const start = rig.clock.now();
    let rentedAfter = 0;
    const post = intercepting(({ method, path }) => {
      if (method === "POST" && path === paths.bareMetal) rentedAfter = rig.clock.now() - start;
      return undefined;
    });
    const lists = nameless(rig);
    await stack.up(
      program,
      through(rig, (transport) => post(lists(transport))),
    );
    expect(rentedAfter).toBeGreaterThanOrEqual(225_000);
  });

  test("keeps a resource in the state just as long", async () => {
    const rig = createRig();
    const stack = new FakeEngine(rig);
    await stack.up(program);
    rig.clock.advance(86_400);
    const start = rig.clock.now();
    await stack.refresh(through(rig, nameless(rig)).provider);
    expect(rig.clock.now() - start).toBeGreaterThanOrEqual(225_000);
  });
});

describe("What has failed and is in no state", () => {
  /** As the error of a destroy says, where the service refuses to terminate what has failed. */
  async function takenOut() {
    const rig = createRig();
    const stack = new FakeEngine(rig);
    rig.fault({ match: { method: "POST", path: paths.bareMetal }, kind: "fail-provisioning" });
    await stack.up(program);
    const refusing = intercepting(({ path }) =>
      path === paths.endBareMetal ? answering(400, { error: "a failed rental cannot be terminated" }) : undefined,
    );
    const { errors } = await stack.destroy(through(rig, refusing));
    expect(errors["it"]).toContain("take it out of the state with `pulumi state delete");
    stack.state.clear();
    return { rig, stack };
  }

  test("is in nobody's way, and is named once with its price", async () => {
    const { stack } = await takenOut();
    const { errors, provider } = await stack.up(program);
    expect(errors).toEqual({});
    expect(stack.get("it").id).toBe("1002");
    expect(warningsOf(provider)).toEqual([
      expect.stringMatching(
        /^bare-metal rental 1001 .*Failed.*\$19\.92\/h.* is missing from the state\. It has failed, so nothing is refused for it; .*`gpufleet orphans` says how to terminate it\.$/,
      ),
    ]);
  });

  test("is named by the next create, too: it is no predecessor", async () => {
    const { stack } = await takenOut();
    await stack.up(program);
    const { provider } = await stack.up({ it: rental(16) });
    expect(warningsOf(provider).join("\n")).toContain("bare-metal rental 1001 ");
    expect(stack.get("it").outputs["__predecessors"]).toEqual(["1002"]);
  });

  test("does not hide one that runs", async () => {
    const { rig, stack } = await takenOut();
    await stack.up(program);
    stack.state.clear();
    expect((await stack.up(program)).errors["it"]).toMatch(/refused, nothing was created: .*rental 1002 /);
    expect(live(rig)).toEqual([1001, 1002]);
  });
});

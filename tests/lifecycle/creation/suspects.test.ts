import { recover, recoverAdopting, recoverNothingMade } from "../../faults/simulation/recover";
import { FakeEngine, type Program } from "../fakeEngine";
import { createRig, paths, type Rig } from "../rig";
import { changingAnswer, changingList, type Item, intercepting, live, type Wire } from "../wire";

const fields = { networkType: "infiniband", gpuCount: 8 } as const;
const labels = [
  ["an automatic label", undefined],
  ["a chosen label", "trainer"],
] as const;

const rental = (label: string | undefined, more: object = {}) => ({
  type: "BareMetalRental",
  inputs: { ...fields, ...(label && { label }), ...more },
});

const through = (rig: Rig, wire: Wire) => ({ provider: rig.startProvider({}, { wire }) });

/** Lists of a service that calls what it makes by names of its own. */
const renaming = (change: (item: Item) => Item = (item) => item) =>
  changingList(paths.bareMetal, (items) => items.map((item) => change({ ...item, label: "gpu-node-7" })));

/** The same, but for the list with which the lists can no longer lag: that one leaves everything out. */
function emptyAtLast(rig: Rig, shown: (items: Item[]) => Item[]): Wire {
  const start = rig.clock.now();
  let left = 1;
  return changingList(paths.bareMetal, (items) =>
    rig.clock.now() - start >= 120_000 && left-- > 0 ? [] : shown(items),
  );
}

/** A stack with a create whose answer had another label: rental 1001, which nothing proves. */
async function inDoubt(program: Program) {
  const rig = createRig();
  const stack = new FakeEngine(rig);
  const answer = changingAnswer("POST", paths.bareMetal, (own) => ({ ...own, label: "gpu-node-7" }));
  const list = renaming();
  await stack.up(
    program,
    through(rig, (transport) => answer(list(transport))),
  );
  expect(stack.get("it").id).toMatch(/^unresolved:/);
  return { rig, stack };
}

describe.each(labels)("A create with %s that was answered with another one", (_, label) => {
  const program = { it: rental(label) };

  test("is in doubt also where the last list leaves that one out", async () => {
    const { rig, stack } = await inDoubt(program);
    const rename = (items: Item[]) => items.map((item) => ({ ...item, label: "gpu-node-7" }));
    const { errors } = await stack.up(program, through(rig, emptyAtLast(rig, rename)));
    expect(errors["it"]).toContain("gpufleet recover --adopt 1001 ");
    const { errors: atEnd } = await stack.destroy(through(rig, emptyAtLast(rig, rename)));
    expect(atEnd["it"]).toContain("gpufleet recover --adopt 1001 ");
    expect(live(rig)).toEqual([1001]);
  });

  test("is in doubt also where that one cannot be read", async () => {
    const { rig, stack } = await inDoubt(program);
    const unreadable = () =>
      through(
        rig,
        renaming((item) => ({ ...item, status: 7 })),
      );
    const { errors } = await stack.up(program, unreadable());
    expect(errors["it"]).toContain("an item that cannot be read and may be it (1001): status 7 must be a string.");
    const { errors: atEnd } = await stack.destroy(unreadable());
    expect(atEnd["it"]).toContain("an item that cannot be read and may be it (1001)");
    expect(live(rig)).toEqual([1001]);
  });

  test("is in doubt also where that one could be read in no list, and the last ones leave it out", async () => {
    const { rig, stack } = await inDoubt(program);
    const start = rig.clock.now();
    const wire = changingList(paths.bareMetal, (items) =>
      rig.clock.now() - start < 60_000 ? items.map((item) => ({ ...item, label: "gpu-node-7", status: 7 })) : [],
    );
    const { errors } = await stack.up(program, through(rig, wire));
    expect(errors["it"]).toContain("an item that cannot be read and may be it (1001)");
    expect(live(rig)).toEqual([1001]);
  });

  test("is settled by itself once that one has ended", async () => {
    const { rig, stack } = await inDoubt(program);
    const ended = renaming((item) => (item["id"] === 1001 ? { ...item, status: "Terminated" } : item));
    expect((await stack.destroy(through(rig, ended))).errors).toEqual({});
    expect(stack.state.size).toBe(0);
  });
});

test("A create whose reply was lost is in doubt where the last list leaves out what has its label in capitals", async () => {
  const rig = createRig();
  const stack = new FakeEngine(rig);
  const program = { it: rental(undefined) };
  const capitals = (items: Item[]) => items.map((item) => ({ ...item, label: String(item["label"]).toUpperCase() }));
  rig.fault({ match: { method: "POST", path: paths.bareMetal }, kind: "reset-after" });
  await stack.up(program, through(rig, changingList(paths.bareMetal, capitals)));
  const { errors } = await stack.up(program, through(rig, emptyAtLast(rig, capitals)));
  expect(errors["it"]).toContain("gpufleet recover --adopt 1001 ");
  expect(live(rig)).toEqual([1001]);
});

test("What the answer named comes first, also where somebody else has the label", async () => {
  const program = { it: rental("trainer") };
  const { rig, stack } = await inDoubt(program);
  await rig.run(rig.client.createBareMetalRental({ ...fields, label: "trainer" }));
  const rename = changingList(paths.bareMetal, (items) =>
    items.map((item) => (item["id"] === 1001 ? { ...item, label: "gpu-node-7" } : item)),
  );
  const { errors } = await stack.up(program, through(rig, rename));
  expect(errors["it"]).toMatch(/rental 1001 "gpu-node-7" .* and bare-metal rental 1002 "trainer" .* may be it/);
  expect(errors["it"]).toContain("gpufleet recover --adopt 1001 ");
});

test("What a lost create has made may have the id of one that has ended", async () => {
  const rig = createRig();
  const stack = new FakeEngine(rig);
  const program = { it: rental("trainer") };
  const ended = { id: 1001, label: "old", status: "Terminated", createdAt: "2026-09-01T00:00:00Z", gpuCount: 8 };
  const withEnded = () =>
    through(
      rig,
      changingList(paths.bareMetal, (items) => [ended, ...items]),
    );
  rig.fault({ match: { method: "POST", path: paths.bareMetal }, kind: "reset-after" });
  const first = await stack.up(program, withEnded());
  const second = await stack.up(program, withEnded());
  for (const { errors } of [first, second]) expect(errors["it"]).toContain("gpufleet recover --adopt 1001 ");
  expect(live(rig)).toEqual([1001]);
});

describe("Two creates of one resource in doubt, with one label and of two sizes", () => {
  const program = (gpuCount: number) => ({ it: rental("trainer", { gpuCount }) });

  /** The first has made nothing; the run of the second was killed. */
  async function two() {
    const rig = createRig();
    const stack = new FakeEngine(rig);
    rig.fault({ match: { method: "POST", path: paths.bareMetal }, kind: "reset-before" });
    await stack.up(program(8));
    let kill: (reason: Error) => void = () => {};
    const killed = new Promise<never>((_, reject) => {
      kill = reject;
    });
    const wire = intercepting(({ method, path }, send) => {
      if (method !== "POST" || path !== paths.bareMetal) return undefined;
      return send().then(() => {
        kill(new Error("killed"));
        return new Promise<never>(() => {});
      });
    });
    await expect(stack.up(program(16), { ...through(rig, wire), killed })).rejects.toThrow("killed");
    const recovery = { rig, stack, neighbours: [], program: program(16) };
    return { rig, stack, recovery, said: await recover(recovery) };
  }

  test("are both kept, and nothing is rented", async () => {
    const { rig, stack, said } = await two();
    expect(said[0]).toContain("until both are settled. bare-metal rental 1001 ");
    const { errors } = await stack.up(program(16));
    expect(errors["it"]).toContain("gpufleet recover --adopt 1001 ");
    expect(live(rig)).toEqual([1001]);
  });

  test("are settled by --adopt", async () => {
    const { rig, stack, recovery } = await two();
    const urn = stack.urn("BareMetalRental", "it");
    await recoverAdopting(recovery, "1001", urn);
    expect((await stack.up(program(16))).errors).toEqual({});
    expect(stack.get("it").id).toBe("1001");
    expect(live(rig)).toEqual([1001]);
  });

  test("are settled by --nothing-made", async () => {
    const { rig, stack, recovery } = await two();
    const urn = stack.urn("BareMetalRental", "it");
    await rig.run(rig.client.terminateRental({ rentalType: "bare-metal", rentalId: 1001 }));
    await recoverNothingMade(recovery, urn);
    expect((await stack.up(program(16))).errors).toEqual({});
    expect(live(rig)).toEqual([1002]);
  });
});

describe("On a service that shows labels in capitals", () => {
  const capitals = (rig: Rig) =>
    through(
      rig,
      changingList(paths.bareMetal, (items) =>
        items.map((item) => ({ ...item, label: item["label"] && String(item["label"]).toUpperCase() })),
      ),
    );

  test("what a killed provider has made is known by its marks, and no other one is rented", async () => {
    const rig = createRig();
    const stack = new FakeEngine(rig);
    const program = { it: rental(undefined) };
    await stack.up(program, capitals(rig));
    stack.state.clear();
    const { errors } = await stack.up(program, capitals(rig));
    expect(errors["it"]).toMatch(/refused, nothing was created: .*rental 1001 /);
    expect(live(rig)).toEqual([1001]);
  });

  test.each(labels)("with %s, what a proxy has made by sending the request twice is named", async (_, label) => {
    const rig = createRig();
    const stack = new FakeEngine(rig);
    const program = { it: rental(label) };
    rig.fault({ match: { method: "POST", path: paths.bareMetal }, kind: "twice" });
    const { provider, errors } = await stack.up(program, capitals(rig));
    expect(errors).toEqual({});
    const warnings = provider.shown.filter(({ kind }) => kind === "warning").map(({ text }) => text);
    expect(warnings.join("\n")).toMatch(/rental 1001 .* came up at the same time and bills, too/);
    expect(stack.get("it").id).toBe("1002");
  });

  test("a create in doubt is settled by adopting what has its label, whoever rents the like meanwhile", async () => {
    const rig = createRig();
    const stack = new FakeEngine(rig);
    rig.fault({ match: { method: "POST", path: paths.bareMetal }, kind: "reset-after" });
    await stack.up({ it: rental(undefined) }, capitals(rig));
    expect(stack.get("it").id).toMatch(/^unresolved:/);
    await rig.run(rig.client.createBareMetalRental(fields));
    const { errors } = await stack.up({ it: rental(undefined, { adoptId: "1001" }) }, capitals(rig));
    expect(errors).toEqual({});
    expect([stack.get("it").id, stack.condemned]).toEqual(["1001", []]);
    expect(live(rig)).toEqual([1001, 1002]);
  });

  test("what has a chosen label already is named before another one is rented", async () => {
    const rig = createRig();
    const stack = new FakeEngine(rig);
    await rig.run(rig.client.createBareMetalRental({ ...fields, label: "trainer" }));
    const { provider } = await stack.up({ it: rental("trainer") }, capitals(rig));
    const warnings = provider.shown.filter(({ kind }) => kind === "warning").map(({ text }) => text);
    expect(warnings.join("\n")).toMatch(/rental 1001 "TRAINER" .* has the same label/);
  });
});

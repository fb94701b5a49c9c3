import { FakeEngine } from "../fakeEngine";
import { createRig, paths, type Rig } from "../rig";
import { answering, changingList, type Item, intercepting, live, type Wire } from "../wire";
import { box, kinds, sentTwice, train, warnings } from "./sentTwice";

const fields = { networkType: "infiniband", gpuCount: 8 };
const mine = { ...train, inputs: { ...train.inputs, label: "my-training" } };
const bargain = { type: "MarketplaceInstance", inputs: { gpuCount: 1, select: {} } };
const exists = { error: "one with this label exists already" };

/** A provider whose first create is refused after its effect, and whose lists are changed from then on. */
function refusedAfter(rig: Rig, path: string, listed: string, change: (items: Item[], isMade: boolean) => Item[]) {
  let isMade = false;
  const refusing = intercepting((request, send) => {
    if (request.method !== "POST" || request.path !== path || isMade) return undefined;
    isMade = true;
    return send().then(() => answering(402, { error: "no credit available" }));
  });
  const changing = changingList(listed, (items) => change(items, isMade));
  const wire: Wire = (send) => refusing(changing(send));
  return rig.startProvider({}, { wire });
}

describe("A refusal that comes after the effect", () => {
  const cases = kinds.flatMap(([noun, it, path]) =>
    [400, 401, 403, 404, 409, 410, 422, 499].map((status) => ({ noun, it, path, status })),
  );
  test.each(cases)(
    "($noun, $status) is seen through: what was made is used, and ended",
    async ({ it, path, status }) => {
      const rig = createRig();
      const stack = new FakeEngine(rig);
      const { errors, provider } = await stack.up(
        { it },
        { provider: sentTwice(rig, path, () => answering(status, exists)) },
      );
      expect(errors).toEqual({});
      const [id] = live(rig);
      expect(stack.get("it").id).toBe(String(id));
      expect(warnings(provider)).toEqual([
        expect.stringMatching(/^the service answered ".*", but has created .*: it is used$/),
      ]);
      expect((await stack.up({ it }, { refresh: true })).steps).toEqual(["same it"]);
      expect((await stack.destroy()).errors).toEqual({});
      expect(rig.billing()).toEqual([]);
    },
  );

  test("with a label that a person chose is not seen through: nothing proves whose it is", async () => {
    const rig = createRig();
    const stack = new FakeEngine(rig);
    const named = { ...train, inputs: { ...fields, label: "mine" } };
    await rig.run(rig.client.createBareMetalRental({ networkType: "infiniband", gpuCount: 8, label: "mine" }));
    rig.fault({ match: { method: "POST", path: paths.bareMetal }, kind: "status", status: 409, body: exists });
    expect((await stack.up({ named })).errors["named"]).toMatch(/answered 409: one with this label exists already$/);
    expect(stack.state.size).toBe(0);
  });

  test.each([
    ["a label that a person chose", { ...train, inputs: { ...fields, label: "mine" } }, paths.bareMetal],
    ["a marketplace instance", bargain, paths.createInstance],
  ])("of %s stays in the state as a create in doubt: no other one is rented", async (_, it, path) => {
    const rig = createRig();
    const stack = new FakeEngine(rig);
    const wire = intercepting((request, send) =>
      request.method === "POST" && request.path === path ? send().then(() => answering(409, exists)) : undefined,
    );
    const { errors } = await stack.up({ it }, { provider: rig.startProvider({}, { wire }) });
    expect(errors["it"]).toMatch(
      /answered 409: .* However, .* may be it; nothing proves it, so nothing was taken over or terminated\./,
    );
    expect(stack.get("it").id).toMatch(/^unresolved:/);
    for (const run of [() => stack.up({ it }), () => stack.up({ it }, { refresh: true }), () => stack.destroy()]) {
      expect((await run()).errors["it"]).toMatch(/may be it; nothing proves it/);
    }
    expect(live(rig)).toHaveLength(1);
  });

  test.each([
    ["an automatic label", train, paths.bareMetal, paths.bareMetal],
    [
      "a label that a person chose",
      { ...train, inputs: { ...fields, label: "mine" } },
      paths.bareMetal,
      paths.bareMetal,
    ],
    ["a marketplace instance", bargain, paths.createInstance, paths.instances],
  ])("of %s is a doubt where the next list has a record that cannot be read", async (_, it, path, listed) => {
    const rig = createRig();
    const stack = new FakeEngine(rig);
    let isMade = false;
    const wire = intercepting((request, send) => {
      if (request.method !== "POST" || request.path !== path) return undefined;
      isMade = true;
      return send().then(() => answering(402, { error: "no credit available" }));
    });
    const unreadable = changingList(listed, (items) => (isMade ? items.map(({ id: _id, ...item }) => item) : items));
    await stack.up({ it }, { provider: rig.startProvider({}, { wire: (send) => wire(unreadable(send)) }) });
    expect(stack.get("it").id).toMatch(/^unresolved:/);
    await stack.up({ it });
    expect(live(rig)).toHaveLength(1);
  });

  test.each([
    ["an automatic label", train, paths.bareMetal, paths.bareMetal, { status: { state: "Pending" } }],
    ["a label that a person chose", mine, paths.bareMetal, paths.bareMetal, { status: { state: "Pending" } }],
    ["a virtual machine", box, paths.vm, paths.vm, { status: { state: "Pending" } }],
    ["a marketplace instance", bargain, paths.createInstance, paths.instances, { instance: 5 }],
  ])("of %s is a doubt where the next list has the record with its id, and it cannot be read", async (...one) => {
    const [, it, path, listed, broken] = one;
    const rig = createRig();
    const stack = new FakeEngine(rig);
    const breaking = (items: Item[], isMade: boolean) =>
      isMade ? items.map((item) => ({ ...item, ...broken })) : items;
    const { errors } = await stack.up({ it }, { provider: refusedAfter(rig, path, listed, breaking) });
    expect(errors["it"]).toMatch(
      new RegExp(`an item that cannot be read and may be it \\(${live(rig)[0]}\\): .* --nothing-made --urn`),
    );
    expect(stack.get("it").id).toMatch(/^unresolved:/);
    await stack.up({ it });
    expect(live(rig)).toHaveLength(1);
  });

  test.each([
    ["a label that a person chose", mine, paths.bareMetal, paths.bareMetal],
    ["a marketplace instance", bargain, paths.createInstance, paths.instances],
  ])("of %s is a doubt beside somebody else's record that never could be read", async (_, it, path, listed) => {
    const rig = createRig();
    const stack = new FakeEngine(rig);
    const stranger = { status: "Running" };
    const change = (items: Item[], isMade: boolean) => [
      ...(isMade ? items.map(({ id: _id, ...item }) => item) : items),
      stranger,
    ];
    await stack.up({ it }, { provider: refusedAfter(rig, path, listed, change) });
    expect(stack.get("it").id).toMatch(/^unresolved:/);
    await stack.up({ it });
    expect(live(rig)).toHaveLength(1);
  });

  test.each([
    ["an automatic label", train],
    ["a label that a person chose", mine],
  ])("of %s leaves no doubt where what came up and cannot be read has a label of somebody else's", async (_, it) => {
    const rig = createRig();
    const stack = new FakeEngine(rig);
    let isRefused = false;
    const refusing = intercepting((request) => {
      if (request.method !== "POST" || request.path !== paths.bareMetal) return undefined;
      isRefused = true;
      return answering(402, { error: "no credit available" });
    });
    const stranger = { id: 4711, label: "another", status: 7 };
    const changing = changingList(paths.bareMetal, (items) => (isRefused ? [...items, stranger] : items));
    const provider = rig.startProvider({}, { wire: (send) => refusing(changing(send)) });
    expect((await stack.up({ it }, { provider })).errors["it"]).toMatch(/answered 402: no credit available$/);
    expect(stack.state.size).toBe(0);
  });

  const rewritings = [
    ["in capitals", (label: string) => label.toUpperCase()],
    ["with underscores", (label: string) => label.replace(/-/g, "_")],
    ["cut", (label: string) => label.slice(0, Math.max(label.length - 10, 7))],
    ["with something around them", (label: string) => `org/${label}/1`],
    ["not at all", () => null],
  ] as const;
  describe.each([
    ["an automatic label", train],
    ["a label that a person chose", mine],
  ])("of %s", (_, it) => {
    test.each(rewritings)("is a doubt where the service writes labels %s: what may be it is named", async (...one) => {
      const [, rewrite] = one;
      const rig = createRig();
      const stack = new FakeEngine(rig);
      const change = (items: Item[]) => items.map((item) => ({ ...item, label: rewrite(String(item["label"])) }));
      const provider = refusedAfter(rig, paths.bareMetal, paths.bareMetal, change);
      const named =
        / 1001 .* may be it; nothing proves it, so nothing was taken over or terminated\. .* --nothing-made --urn/;
      expect((await stack.up({ it }, { provider })).errors["it"]).toMatch(named);
      expect(stack.get("it").id).toMatch(/^unresolved:/);
      const rewriting = changingList(paths.bareMetal, change);
      const { errors } = await stack.up({ it }, { provider: rig.startProvider({}, { wire: rewriting }) });
      expect(errors["it"]).toMatch(named);
      expect(live(rig)).toEqual([1001]);
    });
  });

  test("leaves no doubt where what cannot be read was there before", async () => {
    const rig = createRig();
    const stack = new FakeEngine(rig);
    await rig.run(rig.client.createBareMetalRental({ networkType: "infiniband", gpuCount: 8 }));
    const wire = changingList(paths.bareMetal, (items) => items.map(({ id: _id, ...item }) => item));
    const mine = { ...train, inputs: { ...train.inputs, label: "mine" } };
    rig.fault({ match: { method: "POST", path: paths.bareMetal }, kind: "status", status: 402, body: {} });
    expect((await stack.up({ mine }, { provider: rig.startProvider({}, { wire }) })).errors["mine"]).toMatch(/402/);
    expect(stack.state.size).toBe(0);
  });

  test("leaves no doubt where another stack of the backend has what came up with it", async () => {
    const rig = createRig();
    const [stack, other] = [new FakeEngine(rig), new FakeEngine(rig, { stack: "other" })];
    const mine = { ...train, inputs: { ...train.inputs, label: "mine" } };
    const wire = intercepting((request, send) => {
      if (request.method !== "POST" || request.path !== paths.bareMetal) return undefined;
      return send().then(() => {
        const id = String(live(rig)[0]);
        other.state.set("theirs", { name: "theirs", type: mine.type, id, inputs: {}, outputs: { label: "mine" } });
        return answering(409, exists);
      });
    });
    const { errors } = await stack.up({ mine }, { provider: rig.startProvider({}, { wire }) });
    expect(errors["mine"]).toMatch(/answered 409: one with this label exists already$/);
    expect(stack.state.size).toBe(0);
  });

  test("that is none is told in the service's words", async () => {
    const rig = createRig();
    const stack = new FakeEngine(rig);
    rig.fault({ match: { method: "POST", path: paths.bareMetal }, kind: "status", status: 409, body: exists });
    expect((await stack.up({ train })).errors["train"]).toMatch(/answered 409: one with this label exists already$/);
    expect({ inState: stack.state.size, billing: rig.billing() }).toEqual({ inState: 0, billing: [] });
  });
});

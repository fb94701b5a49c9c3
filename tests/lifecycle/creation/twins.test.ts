import { twinsKey } from "../../../provider/lifecycle";
import { endInConsole } from "../../faults/simulation/console";
import { FakeEngine } from "../fakeEngine";
import { createRig, paths, type Rig } from "../rig";
import { answering, changingList, type Item, live } from "../wire";
import { kinds, sentTwice, train, warnings } from "./sentTwice";

const fields = { networkType: "infiniband", gpuCount: 8 };

/** A stack that was renamed after a proxy had made two of its machine. */
async function renamedWithTwins() {
  const rig = createRig();
  const stack = new FakeEngine(rig);
  await stack.up({ train }, { provider: sentTwice(rig, paths.bareMetal, (send) => send()) });
  stack.rename("renamed");
  return { rig, stack };
}

/** As an older version has written the state, or with lists that did not show the twin. */
function forgetTwins(stack: FakeEngine): void {
  const { [twinsKey]: _, ...outputs } = stack.get("train").outputs;
  stack.state.set("train", { ...stack.get("train"), outputs });
}

describe("Twins of one label, which a proxy makes by sending a create twice", () => {
  test.each(kinds)("(%s) are named by up, and both ended by destroy", async (_, it, path) => {
    const rig = createRig();
    const stack = new FakeEngine(rig);
    const { errors, provider } = await stack.up({ it }, { provider: sentTwice(rig, path, (send) => send()) });
    expect(errors).toEqual({});
    const [one, two] = live(rig).map(String);
    expect(stack.get("it").id).toBe(two);
    expect(warnings(provider)).toEqual([
      expect.stringMatching(
        new RegExp(
          ` ${one} ".*" \\(.*\\) was created by the same request and bills, too\\. \`pulumi destroy\` terminates both; \`gpufleet orphans\` lists it\\.$`,
        ),
      ),
    ]);
    const destroyed = await stack.destroy();
    expect(destroyed.errors).toEqual({});
    expect(warnings(destroyed.provider).filter((text) => !text.startsWith("this deletes"))).toEqual([
      expect.stringMatching(/ was created by the same request, and is terminated, too$/),
    ]);
    expect(rig.billing()).toEqual([]);
  });

  test.each(kinds.slice(0, 2))(
    "(%s), which the state does not know, are both ended where the first list leaves one out",
    async (_, it, path) => {
      const rig = createRig();
      const stack = new FakeEngine(rig);
      await stack.up({ it }, { provider: sentTwice(rig, path, (send) => send()) });
      const { [twinsKey]: __, ...outputs } = stack.get("it").outputs;
      stack.state.set("it", { ...stack.get("it"), outputs });
      const [twin] = live(rig).filter((one) => String(one) !== stack.get("it").id);
      let left = 1;
      const leftOut = changingList(path, (items) => (left-- > 0 ? items.filter((item) => item["id"] !== twin) : items));
      expect((await stack.destroy({ provider: rig.startProvider({}, { wire: leftOut }) })).errors).toEqual({});
      expect(rig.billing()).toEqual([]);
    },
  );

  describe.each(kinds)("(%s), of which somebody else has ended the one that the state has", (_, it, path) => {
    const start = async () => {
      const rig = createRig();
      const stack = new FakeEngine(rig);
      await stack.up({ it }, { provider: sentTwice(rig, path, (send) => send()) });
      const { type, id } = stack.get("it");
      const [twin] = live(rig).filter((one) => String(one) !== id);
      const endOwn = async () => {
        await rig.run(endInConsole(rig.client, type, id));
        rig.clock.advance(600);
      };
      return { rig, stack, id, twin, endOwn };
    };
    const bills = (rig: Rig, stack: FakeEngine) => ({ state: stack.state.size, billing: rig.billing() });

    test("are one machine: the other takes its place, nothing is rented, and destroy ends it", async () => {
      const { rig, stack, id, twin, endOwn } = await start();
      await endOwn();
      const { errors, steps, provider } = await stack.up({ it }, { refresh: true });
      expect({ errors, steps }).toEqual({ errors: {}, steps: ["same it"] });
      expect(warnings(provider)).toEqual([
        expect.stringMatching(
          new RegExp(
            ` ${id} no longer exists\\. .* ${twin} ".*" \\(.*\\), which was created by the same request, has taken its place\\.$`,
          ),
        ),
      ]);
      expect({ id: stack.get("it").id, live: live(rig) }).toEqual({ id: String(twin), live: [twin] });
      expect((await stack.up({ it }, { refresh: true })).steps).toEqual(["same it"]);
      expect((await stack.destroy()).errors).toEqual({});
      expect(bills(rig, stack)).toEqual({ state: 0, billing: [] });
    });

    test("are both ended where that was a mistake of the lists, and neither before destroy", async () => {
      const { rig, stack, id, twin } = await start();
      const withoutOwn = changingList(path, (items) => items.filter((item) => String(item["id"]) !== id));
      await stack.refresh(rig.startProvider({}, { wire: withoutOwn }));
      expect(stack.get("it").id).toBe(String(twin));
      expect((await stack.up({ it })).steps).toEqual(["same it"]);
      expect(live(rig)).toHaveLength(2);
      expect((await stack.destroy()).errors).toEqual({});
      expect(bills(rig, stack)).toEqual({ state: 0, billing: [] });
    });

    const leftOutOnce = (twin: unknown) => {
      let left = 1;
      return changingList(path, (items) => (left-- > 0 ? items.filter((item) => item["id"] !== twin) : items));
    };
    const unreadable = (twin: unknown) =>
      changingList(path, (items) => items.map((item) => (item["id"] === twin ? { ...item, status: 7 } : item)));

    test("are both ended by a destroy whose first list lacks the twin, or that cannot read it", async () => {
      for (const change of [leftOutOnce, unreadable]) {
        const { rig, stack, twin } = await start();
        const { errors } = await stack.destroy({ provider: rig.startProvider({}, { wire: change(twin) }) });
        // A volume must be read before it is deleted: then the entry stays.
        if (errors["it"] !== undefined) expect(errors["it"]).toMatch(/its record cannot be read/);
        expect(stack.state.size).toBe(Object.keys(errors).length);
        expect((await stack.destroy()).errors).toEqual({});
        expect(bills(rig, stack)).toEqual({ state: 0, billing: [] });
      }
    });

    test("stay in the state while a refresh does not see the twin", async () => {
      for (const change of [leftOutOnce, unreadable]) {
        const { rig, stack, twin, endOwn } = await start();
        await endOwn();
        await stack.refresh(rig.startProvider({}, { wire: change(twin) }));
        expect(stack.state.size).toBe(1);
        expect((await stack.destroy()).errors).toEqual({});
        expect(bills(rig, stack)).toEqual({ state: 0, billing: [] });
      }
    });

    test("are gone when both are", async () => {
      const { rig, stack, twin, endOwn } = await start();
      await endOwn();
      await rig.run(endInConsole(rig.client, it.type, String(twin)));
      rig.clock.advance(600);
      expect((await stack.refresh()).steps).toEqual(["gone it"]);
      expect(bills(rig, stack)).toEqual({ state: 0, billing: [] });
    });
  });

  test("take the place of the other after it has expired, too, and end when that is asked for", async () => {
    const rig = createRig();
    const stack = new FakeEngine(rig);
    const it = { ...train, inputs: { ...fields, expiresAt: "1h" } };
    await stack.up({ it }, { provider: sentTwice(rig, paths.bareMetal, (send) => send()) });
    await rig.run(endInConsole(rig.client, it.type, stack.get("it").id));
    rig.clock.advance(7200);
    await stack.up({ it }, { refresh: true });
    expect(live(rig)).toEqual([Number(stack.get("it").id)]);
    await stack.refresh(rig.startProvider({ endExpired: true }));
    expect(rig.billing()).toEqual([]);
  });

  test("are waited for where the other was not ready yet", async () => {
    const rig = createRig({ emulator: { provisionSeconds: 3600 } });
    const stack = new FakeEngine(rig);
    const it = { ...train, inputs: { ...fields, timeouts: { create: "1m" } } };
    await stack.up({ it }, { provider: sentTwice(rig, paths.bareMetal, (send) => send()) });
    await rig.run(endInConsole(rig.client, train.type, stack.get("it").id));
    rig.clock.advance(600);
    expect((await stack.up({ it }, { refresh: true })).steps).not.toEqual(["same it"]);
  });

  test("do not keep the machine running where nothing proves that they are gone", async () => {
    const rig = createRig();
    const stack = new FakeEngine(rig);
    await stack.up({ it: train }, { provider: sentTwice(rig, paths.bareMetal, (send) => send()) });
    const [twin] = live(rig).filter((id) => String(id) !== stack.get("it").id);
    await rig.run(endInConsole(rig.client, train.type, String(twin)));
    rig.clock.advance(600);
    const wire = changingList(paths.bareMetal, (items) => [...items, { id: "x", status: "Running" }]);
    await stack.destroy({ provider: rig.startProvider({}, { wire }) });
    expect(rig.billing()).toEqual([]);
  });

  test.each([false, true])("of what was adopted are not ours (ended by others: %s)", async (isGone) => {
    const rig = createRig();
    const first = new FakeEngine(rig);
    await first.up({ it: train }, { provider: sentTwice(rig, paths.bareMetal, (send) => send()) });
    const theirs = Number(first.get("it").id);
    const [twin] = live(rig).filter((id) => id !== theirs);
    // Of the same name: that of another backend.
    const second = new FakeEngine(rig);
    await second.up({ mine: { ...train, inputs: { ...fields, adoptId: twin } } });
    if (isGone) {
      await rig.run(endInConsole(rig.client, train.type, String(twin)));
      rig.clock.advance(600);
      await second.refresh();
    }
    await second.destroy();
    expect(live(rig)).toEqual([theirs]);
  });

  test("are no vanishing of many at once", async () => {
    const rig = createRig();
    const stack = new FakeEngine(rig);
    await stack.up({ it: train, other: train }, { provider: sentTwice(rig, paths.bareMetal, (send) => send()) });
    for (const name of ["it", "other"]) {
      await rig.run(endInConsole(rig.client, train.type, stack.get(name).id));
      rig.clock.advance(600);
      expect((await stack.refresh()).errors).toEqual({});
    }
    expect((await stack.destroy()).errors).toEqual({});
    expect(rig.billing()).toEqual([]);
  });

  test("are not ended where another state may have them and cannot be asked, and are named", async () => {
    const rig = createRig();
    const stack = new FakeEngine(rig);
    await stack.up({ it: train }, { provider: sentTwice(rig, paths.bareMetal, (send) => send()) });
    const [twin] = live(rig).filter((id) => String(id) !== stack.get("it").id);
    await stack.up({ it: train, second: { ...train, inputs: { ...fields, adoptId: twin } } });
    const { errors, provider } = await stack.destroy({ targets: ["it"], unreadable: true });
    expect(errors).toEqual({});
    expect(live(rig)).toEqual([twin]);
    expect(warnings(provider)).toContainEqual(
      expect.stringMatching(
        / has the same label, but whether another stack has it is not known, because not every state of the backend was read, so it is not terminated\./,
      ),
    );
  });

  test("whose reply was lost as well: one is used, both are ended", async () => {
    const rig = createRig();
    const stack = new FakeEngine(rig);
    const provider = sentTwice(rig, paths.bareMetal, (send) => send().then(() => answering(502, "bad gateway")));
    expect((await stack.up({ train }, { provider })).errors).toEqual({});
    expect(live(rig)).toHaveLength(2);
    expect((await stack.destroy()).errors).toEqual({});
    expect(rig.billing()).toEqual([]);
  });

  test("are both ended when the stack has another name by then", async () => {
    const rig = createRig();
    const former = new FakeEngine(rig);
    await former.up({ train }, { provider: sentTwice(rig, paths.bareMetal, (send) => send()) });
    expect(live(rig)).toHaveLength(2);
    const stack = new FakeEngine(rig, { stack: "renamed" });
    stack.state.set("train", former.get("train"));
    former.state.clear();
    expect((await stack.destroy()).errors).toEqual({});
    expect(rig.billing()).toEqual([]);
  });

  test.each([
    ["are both ended, by the time of their creation", (one: Item) => one, []],
    ["are named, and not ended, where that is not known", ({ createdAt: _, ...one }: Item) => one, [1001]],
  ])("%s, once the state has been written under another name", async (_, show, left) => {
    const { rig, stack } = await renamedWithTwins();
    const options = () => ({
      provider: rig.startProvider({}, { wire: changingList(paths.bareMetal, (items) => items.map(show)) }),
    });
    await stack.up({ train }, options());
    await stack.refresh(options().provider);
    forgetTwins(stack);
    const { errors, provider } = await stack.destroy(options());
    expect(errors).toEqual({});
    expect(warnings(provider).some((text) => text.includes("nothing proves that the same request"))).toBe(
      left.length > 0,
    );
    expect(live(rig)).toEqual(left);
  });

  test("are named where that is not known and the other is gone", async () => {
    const { rig, stack } = await renamedWithTwins();
    const bare = changingList(paths.bareMetal, (items) => items.map(({ createdAt: _, ...one }) => one));
    const start = () => rig.startProvider({}, { wire: bare });
    await stack.up({ train }, { provider: start() });
    await stack.refresh(start());
    forgetTwins(stack);
    await rig.run(endInConsole(rig.client, train.type, stack.get("train").id));
    rig.clock.advance(600);
    const { provider } = await stack.refresh(start());
    expect(stack.state.size).toBe(0);
    expect(warnings(provider)).toContainEqual(
      expect.stringMatching(/ 1001 ".*" .* nothing proves that the same request created it/),
    );
  });

  test.each([
    ["of another stack", "train-5tsb35-3jbbkw2u-exuv5e"],
    ["of a stack of the same name", undefined],
  ])("are none where the label is a copy of that of an older machine %s", async (_, chosen) => {
    const rig = createRig();
    const elsewhere = new FakeEngine(createRig());
    await elsewhere.up({ train });
    const label = chosen ?? String(elsewhere.get("train").outputs["label"]);
    await rig.run(rig.client.createBareMetalRental({ networkType: "infiniband", gpuCount: 8, label }));
    rig.clock.advance(86_400);
    const stack = new FakeEngine(rig);
    stack.state.set("other", { name: "other", type: train.type, id: "1001", inputs: {}, outputs: { label } });
    expect((await stack.up({ train: { ...train, inputs: { ...fields, label } } }, { keep: true })).errors).toEqual({});
    stack.state.delete("other");
    const { errors, provider } = await stack.destroy();
    expect({ errors, said: warnings(provider) }).toEqual({ errors: {}, said: [] });
    expect(live(rig)).toEqual([1001]);
  });

  test("end with the machine when it is replaced", async () => {
    const rig = createRig();
    const stack = new FakeEngine(rig);
    await stack.up({ train }, { provider: sentTwice(rig, paths.bareMetal, (send) => send()) });
    const bigger = { ...train, inputs: { ...fields, gpuCount: 16 } };
    expect((await stack.up({ train: bigger })).errors).toEqual({});
    expect(live(rig)).toEqual([1003]);
  });

  test("end when a resource of another name adopts the machine: that one knows nothing of them", async () => {
    const rig = createRig();
    const stack = new FakeEngine(rig);
    await stack.up({ train }, { provider: sentTwice(rig, paths.bareMetal, (send) => send()) });
    const { id } = stack.get("train");
    const renamed = { ...train, inputs: { ...fields, adoptId: Number(id) } };
    expect((await stack.up({ renamed })).errors).toEqual({});
    expect(live(rig)).toEqual([Number(id)]);
  });

  test("are both ended by destroy when neither was ever known", async () => {
    const rig = createRig();
    const stack = new FakeEngine(rig);
    const provider = sentTwice(rig, paths.bareMetal, (send) => send().then(() => answering(502, "bad gateway")));
    rig.fault({ match: { method: "GET", path: paths.bareMetal }, nth: 2, times: 99, kind: "stale-list", seconds: 600 });
    await stack.up({ train }, { provider });
    rig.emulator.faults.clear();
    expect(stack.get("train").id).toMatch(/^unresolved:/);
    expect((await stack.destroy()).errors).toEqual({});
    expect(rig.billing()).toEqual([]);
  });
});

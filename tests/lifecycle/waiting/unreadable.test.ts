import type { Unreadable } from "../../../provider/service";
import { FakeEngine } from "../fakeEngine";
import { createRig, type ProviderProcess, paths, type Rig } from "../rig";
import { live } from "../wire";

const train = {
  type: "BareMetalRental",
  inputs: { networkType: "infiniband", gpuCount: 8, timeouts: { delete: "10m" } },
};
const reason = "currentTerm.termType must be text, not 7";

interface Shown {
  service?: object;
  settings?: object;
  label?: string;
  names?: string[];
}

/** A provider process to which these rentals are listed, but cannot be read; without an id where the id cannot, either. */
function withUnreadable(
  rig: Rig,
  ids: readonly number[],
  isNamed: boolean,
  { service = {}, settings = {}, label, names }: Shown = {},
): ProviderProcess {
  const provider = rig.startProvider(settings, { service });
  const { client } = provider;
  const listBareMetalRentals: typeof client.listBareMetalRentals = async (options) => {
    const items = await client.listBareMetalRentals(options);
    const unreadable = items
      .filter(({ id }) => ids.includes(id))
      .map(
        ({ id }): Unreadable => ({
          id: isNamed ? String(id) : undefined,
          reason,
          ...(label !== undefined && { label }),
          ...(names && { names }),
        }),
      );
    return Object.assign(
      items.filter(({ id }) => !ids.includes(id)),
      { unreadable },
    );
  };
  Object.defineProperty(provider, "client", { value: { ...client, listBareMetalRentals } });
  return provider;
}

async function running(...names: string[]) {
  const rig = createRig();
  const stack = new FakeEngine(rig);
  expect((await stack.up(Object.fromEntries(names.map((name) => [name, train])))).errors).toEqual({});
  rig.clock.advance(3600);
  return { rig, stack };
}

describe("A machine whose record cannot be read", () => {
  test("is never gone: a refresh says why it cannot be read", async () => {
    const { rig, stack } = await running("a", "b");
    const { errors } = await stack.refresh(withUnreadable(rig, [1001], true));
    expect(errors).toEqual({
      a: `reading BareMetalRental "a": the service lists 1001 among its bare-metal rentals, but its record cannot be read: ${reason}`,
    });
    expect(stack.state.size).toBe(2);
  });

  test("is in the state from its creation on, although nobody can tell whether it is ready", async () => {
    const rig = createRig();
    const stack = new FakeEngine(rig);
    const { errors } = await stack.up({ a: train }, { provider: withUnreadable(rig, [1001], true) });
    expect(errors["a"]).toBe(
      `creating BareMetalRental "a": the service lists 1001 among its bare-metal rentals, but its record cannot be read: ${reason}. It is in the state with id 1001. The next \`pulumi up\` checks it again. \`pulumi destroy\` terminates it.`,
    );
    expect(stack.get("a").id).toBe("1001");
  });

  test("is ended by destroy all the same", async () => {
    const { rig, stack } = await running("a");
    expect((await stack.destroy({ provider: withUnreadable(rig, [1001], true) })).errors).toEqual({});
    expect({ inState: stack.state.size, billing: rig.billing() }).toEqual({ inState: 0, billing: [] });
  });

  test("is ended by destroy also when the first request is lost", async () => {
    const { rig, stack } = await running("a");
    rig.fault({ match: { method: "POST", path: paths.endBareMetal }, kind: "reset-before" });
    expect((await stack.destroy({ provider: withUnreadable(rig, [1001], true) })).errors).toEqual({});
    expect(rig.billing()).toEqual([]);
  });

  test("is ended by destroy also where an old state does not say with which key it was seen", async () => {
    const { rig, stack } = await running("a");
    const { __where, ...outputs } = stack.get("a").outputs;
    stack.state.set("a", { ...stack.get("a"), outputs });
    expect((await stack.destroy({ provider: withUnreadable(rig, [1001], true) })).errors).toEqual({});
    expect(rig.billing()).toEqual([]);
  });

  test("is ended by destroy with another key where a person has said that it is the same account's", async () => {
    const { rig, stack } = await running("a");
    const provider = withUnreadable(rig, [1001], true, { service: { key: "rotated", isSameAccount: true } });
    expect((await stack.destroy({ provider })).errors).toEqual({});
    expect(rig.billing()).toEqual([]);
  });

  test("is not ended with a key that may be another account's", async () => {
    const { rig, stack } = await running("a");
    const provider = withUnreadable(rig, [1001], true, { service: { key: "other" } });
    expect((await stack.destroy({ provider })).errors["a"]).toMatch(/its record cannot be read/);
    expect(live(rig)).toEqual([1001]);
  });
});

describe("A record of somebody else's that cannot be read", () => {
  test("does not keep what is gone from being found so, where its id can be read", async () => {
    const { rig, stack } = await running("a", "b", "c");
    await rig.run(rig.client.terminateRental({ rentalType: "bare-metal", rentalId: 1001 }));
    rig.clock.advance(60);
    stack.state.delete("c");
    expect(await stack.refresh(withUnreadable(rig, [1003], true))).toMatchObject({ steps: ["gone a"], errors: {} });
  });

  test("keeps it, where nobody knows whose it is: that is an error, and soon", async () => {
    const { rig, stack } = await running("a", "b", "c");
    await rig.run(rig.client.terminateRental({ rentalType: "bare-metal", rentalId: 1001 }));
    rig.clock.advance(60);
    stack.state.delete("c");
    const start = rig.clock.now();
    const { errors } = await stack.refresh(withUnreadable(rig, [1003], false));
    expect(errors).toEqual({
      a: `reading BareMetalRental "a": it is not listed, but the list of bare-metal rentals has an item that cannot be read and may be it (no id): ${reason}. If the service's console shows that it is gone, run this again with GPUFLEET_CONFIRM_GONE=1.`,
    });
    expect(rig.clock.now() - start).toBeLessThan(180_000);
    expect(stack.get("a").id).toBe("1001");
  });

  test.each([true, false])("does not make a destroy hammer the service (with an id: %s)", async (isNamed) => {
    const { rig, stack } = await running("a", "b");
    stack.state.delete("b");
    const asked = rig.count("GET", paths.bareMetal);
    const { errors } = await stack.destroy({ provider: withUnreadable(rig, [1002], isNamed) });
    expect(Object.keys(errors)).toEqual(isNamed ? [] : ["a"]);
    expect(live(rig)).toEqual([1002]);
    expect(rig.count("GET", paths.bareMetal) - asked).toBeLessThan(200);
  });

  test("keeps a destroy from coming to its end, which says why, and a person's word settles it", async () => {
    const { rig, stack } = await running("a", "b");
    stack.state.delete("b");
    for (let run = 0; run < 2; run += 1) {
      const start = rig.clock.now();
      const { errors } = await stack.destroy({ provider: withUnreadable(rig, [1002], false) });
      expect(errors["a"]).toBe(
        `deleting BareMetalRental "a": it is not listed, but the list of bare-metal rentals has an item that cannot be read and may be it (no id): ${reason}. If the service's console shows that it is gone, run this again with GPUFLEET_CONFIRM_GONE=1. bare-metal rental 1001 ($19.92/h) stays in the state.`,
      );
      expect(rig.clock.now() - start).toBeLessThan(240_000);
      rig.clock.advance(600);
    }
    const settings = { confirmGone: true };
    expect((await stack.destroy({ provider: withUnreadable(rig, [1002], false, { settings }) })).errors).toEqual({});
    expect({ inState: stack.state.size, live: live(rig) }).toEqual({ inState: 0, live: [1002] });
  });

  test("keeps a refresh from calling it gone, until a person says so", async () => {
    const { rig, stack } = await running("a", "b");
    await rig.run(rig.client.terminateRental({ rentalType: "bare-metal", rentalId: 1001 }));
    stack.state.delete("b");
    rig.clock.advance(60);
    const settings = { confirmGone: true };
    expect(await stack.refresh(withUnreadable(rig, [1002], false, { settings }))).toMatchObject({ steps: ["gone a"] });
  });

  test("may be the outcome of a lost create: nothing is rented again while it may", async () => {
    const { rig, stack } = await running("b");
    rig.fault({ match: { method: "POST", path: paths.bareMetal }, kind: "reset-after" });
    const program = { b: train, a: { ...train, inputs: { ...train.inputs, timeouts: { create: "10m" } } } };
    await stack.up(program, { provider: withUnreadable(rig, [1002], true) });
    expect(stack.get("a").id).toMatch(/^unresolved:/);
    const { errors } = await stack.up(program, { provider: withUnreadable(rig, [1002], true) });
    expect(errors["a"]).toMatch(/cannot be read and may be it \(1002\): .* `gpufleet recover --nothing-made --urn/);
    expect(live(rig)).toEqual([1001, 1002]);
    expect((await stack.up(program)).errors).toEqual({});
    expect(stack.get("a").id).toBe("1002");
  });

  test.each([true, false])(
    "may be left over from an interrupted run: nothing is rented (with an id: %s)",
    async (isNamed) => {
      const { rig, stack } = await running("a");
      stack.state.clear();
      const { errors } = await stack.up({ a: train }, { provider: withUnreadable(rig, [1001], isNamed) });
      expect(errors["a"]).toBe(
        'creating BareMetalRental "a": refused, nothing was created: the list of bare-metal rentals has an item that cannot be ' +
          `read and may have been created for this resource (${isNamed ? "1001" : "no id"}): ${reason}. Give this resource a ` +
          "label of its own to create it all the same.",
      );
      expect(live(rig)).toEqual([1001]);
    },
  );

  test("keeps a member of a fleet from being rented, and says what can be done without a label for it", async () => {
    const { rig, stack } = await running("a");
    stack.state.clear();
    const member = { ...train, inputs: { ...train.inputs, __fleet: { count: 1 } } };
    const { errors } = await stack.up({ "team-0": member }, { provider: withUnreadable(rig, [1001], true) });
    expect(errors["team-0"]).toMatch(
      /\. If nobody needs it, end it in the service's console\. To rent beside it all the same, declare a BareMetalRental with a label of its own in place of the fleet\.$/,
    );
  });

  test("is no leftover where its label can be read and is another's, nor where the state holds it", async () => {
    const { rig, stack } = await running("a");
    const another = withUnreadable(rig, [1001], true, { label: "theirs" });
    expect((await stack.up({ b: train }, { provider: another, keep: true })).errors).toEqual({});
    const held = withUnreadable(rig, [1001], true);
    expect((await stack.up({ c: train }, { provider: held, keep: true })).errors).toEqual({});
    expect(live(rig)).toEqual([1001, 1002, 1003]);
  });

  test("may be a leftover where the state holds only another one that has its other name as id", async () => {
    const { rig, stack } = await running("a", "b");
    stack.state.delete("b");
    const provider = withUnreadable(rig, [1002], false, { names: ["1001"] });
    const { errors } = await stack.up({ a: train, b: train }, { provider });
    expect(errors["b"]).toMatch(/cannot be read and may have been created for this resource \(1001\)/);
    expect(live(rig)).toEqual([1001, 1002]);
  });

  test("does not keep a resource with a label of its own from being created", async () => {
    const { rig, stack } = await running("a");
    stack.state.clear();
    const named = { ...train, inputs: { ...train.inputs, label: "mine" } };
    expect((await stack.up({ a: named }, { provider: withUnreadable(rig, [1001], false) })).errors).toEqual({});
    expect(live(rig)).toEqual([1001, 1002]);
  });
});

import { FakeEngine } from "../../lifecycle/fakeEngine";
import { createRig, paths } from "../../lifecycle/rig";
import { watch } from "../oracle/oracle";
import { type Circumstances, frontNames } from "../simulation/circumstances";
import { type Disturbances, undisturbed } from "../simulation/disturbances";
import { elsewhereNames, elsewheres } from "../simulation/elsewhere";
import type { FaultName } from "../simulation/faultKinds";
import { keyOf } from "../simulation/ledger";
import { gateOf, type ResourceKindName } from "../simulation/resourceKinds";
import { Session } from "../simulation/session";
import { countCreated, fault, idOf, killed, liveIds } from "./startSession";

const always = 5000;

const unmeant: FaultName[] = ["end-404", "end-400", "end-200-error", "end-unheeded"];

describe.each(frontNames)("on the front %s,", (front) => {
  /** A session that is judged after every command; at its end nothing may be found. */
  async function start(resources: ResourceKindName[], circumstances: Partial<Circumstances> = {}) {
    const session = await Session.start({
      seed: 1,
      resources,
      circumstances: { neighbours: false, front, ...circumstances },
    });
    const { violations } = watch(session);
    return { session, violations };
  }

  test.each<FaultName>([...unmeant, "end-empty", "end-text", "end-404-after"])(
    "fault 23: an end that is answered %s is over when lists show that it is, and not before",
    async (kind) => {
      const { session, violations } = await start(["bareMetal", "vm", "volume", "marketplace"]);
      await session.up(undisturbed);
      expect((await session.destroy(fault(kind, 0, 6))).outcome?.errors).toEqual({});
      expect(liveIds(session)).toEqual([]);
      expect(session.stack.state.size).toBe(0);
      expect(violations).toEqual([]);
    },
  );

  test.each(unmeant)(
    "fault 23: what is answered %s every time stays in the state, and the error says why",
    async (kind) => {
      const { session, violations } = await start(["bareMetal"]);
      await session.up(undisturbed);
      const id = idOf(session);
      const { outcome } = await session.destroy(fault(kind, 0, always));
      expect(outcome?.errors["a"]).toMatch(/^deleting BareMetalRental "a": .+/);
      expect(idOf(session)).toBe(id);
      expect(liveIds(session)).toEqual([id]);
      expect(violations).toEqual([]);
    },
  );

  test.each<FaultName>(["leaves-out-all", "leaves-out-some", "leaves-out-others", "unreadable-item"])(
    "fault 24: lists that %s for 1 to 5 requests: nothing is gone, nothing rented, nothing dropped by destroy",
    async (kind) => {
      const { session, violations } = await start(["bareMetal", "vm", "volume", "marketplace", "inlineVolume"]);
      await session.up(undisturbed);
      const ids = liveIds(session);
      for (const times of [1, 2, 3, 4, 5]) {
        await session.up(fault(kind, 0, times), { refresh: true });
        await session.refresh(fault(kind, 0, times));
        expect(liveIds(session)).toEqual(ids);
        expect(session.stack.state.size).toBe(5);
      }
      await session.destroy(fault(kind, 0, 5));
      await session.destroy(undisturbed);
      expect(session.ledger.live()).toEqual([]);
      expect(violations).toEqual([]);
    },
  );

  test("fault 24: where all of them vanish for good, nothing is concluded until a person says so", async () => {
    const { session, violations } = await start(["bareMetal", "bareMetal"]);
    await session.up(undisturbed);
    const ids = liveIds(session);
    const { outcome } = await session.up(fault("leaves-out-all", 0, always), { refresh: true });
    expect(outcome?.errors["a"]).toMatch(
      /2 of the 2 bare-metal rentals .* at once \(\d+, \d+\).*GPUFLEET_CONFIRM_GONE=1/,
    );
    expect(liveIds(session)).toEqual(ids);
    expect([idOf(session, 0), idOf(session, 1)].sort()).toEqual(ids);
    session.confirmGone = true;
    for (const name of ["a", "ab"]) await session.outside.end(name);
    expect((await session.up(undisturbed, { refresh: true })).outcome?.errors).toEqual({});
    expect(liveIds(session)).toHaveLength(2);
    expect(violations).toEqual([]);
  });

  // Where the state has nothing yet, another address of the same service is as good.
  test.each(elsewhereNames.filter((place) => elsewheres[place].has !== "ours"))(
    "fault 25: after a kill, `gpufleet recover` at %s is refused, and changes nothing",
    async (place) => {
      const { session, violations } = await start(["marketplace"]);
      await session.up(killed("cli", 1, "reply"));
      await session.recoverElsewhere(place);
      expect(session.output.join("\n")).toMatch(/but the configuration says|may be that of another account/);
      expect(session.stack.pending).toHaveLength(1);
      await session.recover();
      await session.settle();
      expect((await session.up(undisturbed)).outcome?.errors).toEqual({});
      expect(session.ledger.live()).toHaveLength(1);
      expect(violations).toEqual([]);
    },
  );

  test.each(
    elsewhereNames.flatMap((place) => (["up", "destroy", "refresh"] as const).map((command) => ({ place, command }))),
  )("fault 25: $command at $place is refused: nothing is taken, rented or ended", async ({ place, command }) => {
    const { session, violations } = await start(["bareMetal", "volume", "inlineVolume", "vm"], {
      account: place.includes("organization") ? "organization" : "user",
    });
    await session.up(undisturbed);
    const before = session.ledger.entries.map(({ name, id }) => `${name} ${id}`);
    await session.runElsewhere(place, command);
    expect(session.ledger.entries.map(({ name, id }) => `${name} ${id}`)).toEqual(before);
    expect(session.elsewhere.flatMap((one) => one.damage())).toEqual([]);
    expect(session.output.join("\n")).toMatch(
      /but the configuration says|somebody else's|may be the key of another account/,
    );
    expect(
      (await session.up(undisturbed, { refresh: true })).outcome?.steps.filter((step) => !/^same/.test(step)),
    ).toEqual([]);
    await session.destroy(undisturbed);
    expect(session.ledger.live()).toEqual([]);
    expect(violations).toEqual([]);
  });

  test.each([-28_800, -130, 130, 28_800])(
    "fault 26: with a service clock that is %i s off all is as without",
    async (skewSeconds) => {
      const { session, violations } = await start(["bareMetal", "inlineVolume", "marketplace", "volume"], {
        skewSeconds,
      });
      const began = session.rig.clock.now();
      expect((await session.up(fault("reset-after", 4))).outcome?.errors).toEqual({});
      const fresh = session.ledger.entries.map(({ id }) => id);
      await session.up(fault("stale-long", 0, 3), { refresh: true });
      expect(session.ledger.entries.map(({ id }) => id)).toEqual(fresh);
      await session.outside.end("a");
      expect((await session.up(undisturbed, { refresh: true })).outcome?.errors).toEqual({});
      expect((await session.destroy(undisturbed)).outcome?.errors).toEqual({});
      expect(session.ledger.live()).toEqual([]);
      expect(session.rig.clock.now() - began).toBeLessThan(600_000);
      expect(violations).toEqual([]);
    },
  );

  test("fault 26: a computer that sleeps in the middle of a create goes on where it was", async () => {
    const { session, violations } = await start(["bareMetal", "inlineVolume"]);
    expect((await session.up(fault("computer-sleeps", 1, 3))).outcome?.errors).toEqual({});
    expect(countCreated(session)).toBe(3);
    expect((await session.destroy(undisturbed)).outcome?.errors).toEqual({});
    expect(violations).toEqual([]);
  });

  describe.each<ResourceKindName>(["chosenLabel", "marketplace"])(
    "fault 27: somebody rents the like of a %s",
    (kind) => {
      test("whose reply was lost and that was never made: it is named, never taken, never ended", async () => {
        const { session, violations } = await start([kind]);
        const { outcome } = await session.up(fault("imitated-and-lost", 0, always));
        expect(outcome?.errors["a"]).toMatch(
          /may be it; nothing proves it.*--adopt \S+ --urn '.*--nothing-made --urn '/,
        );
        expect(idOf(session)).toMatch(/^unresolved:/);
        await session.wait(300);
        expect((await session.up(undisturbed)).outcome?.errors["a"]).toMatch(/nothing proves it/);
        expect((await session.destroy(undisturbed)).outcome?.errors["a"]).toMatch(/nothing proves it/);
        await session.settle();
        expect((await session.up(undisturbed)).outcome?.errors).toEqual({});
        expect(countCreated(session)).toBe(1);
        expect(violations).toEqual([]);
      });

      test("whose reply was lost and that was made: a person says which it is", async () => {
        const { session, violations } = await start([kind]);
        await session.up(fault("imitated-and-lost-after", 0, always));
        await session.settle();
        expect((await session.up(undisturbed)).outcome?.errors).toEqual({});
        expect(liveIds(session)).toEqual([idOf(session)]);
        expect(countCreated(session)).toBe(1);
        await session.destroy(undisturbed);
        expect(violations).toEqual([]);
      });

      test("after it was lost without a trace: destroy does not end that one, and up does not take it", async () => {
        const { session, violations } = await start([kind]);
        await session.up({
          faults: [{ kind: "reset-before", at: 0, times: 1 }, ...fault("imitated-and-lost", 1, always).faults],
        });
        await session.outside.rentLookalikes(0);
        await session.wait(300);
        await session.destroy(undisturbed);
        await session.up(undisturbed);
        await session.settle();
        expect((await session.up(undisturbed)).outcome?.errors).toEqual({});
        expect(violations).toEqual([]);
      });
    },
  );

  describe("fault 28: the machine lives, and is held once, when", () => {
    const failing: Disturbances = fault("400-before", 0, always);

    test.each([false, true])("it is renamed by adoptId (refresh: %s)", async (refresh) => {
      const { session, violations } = await start(["bareMetal", "vm"]);
      await session.up(undisturbed);
      const ids = liveIds(session);
      session.rename(0);
      expect((await session.up(undisturbed, { refresh })).outcome?.errors).toEqual({});
      expect(liveIds(session)).toEqual(ids);
      expect([...session.stack.state.keys()].sort()).toEqual(["a-x", "ab"]);
      expect(violations).toEqual([]);
    });

    test("the same `up` fails elsewhere, and the next one goes on", async () => {
      const { session, violations } = await start(["bareMetal", "limited"]);
      await session.up(undisturbed);
      const id = idOf(session);
      session.rename(0);
      session.change(1);
      expect((await session.up(undisturbed)).outcome?.errors["ab"]).toMatch(/maxCostPerHour/);
      session.change(1);
      expect((await session.up(undisturbed)).outcome?.errors).toEqual({});
      expect(session.stack.get("a-x").id).toBe(id);
      expect(liveIds(session)).toContain(id);
      expect(violations).toEqual([]);
    });

    test.each([0, 1, 2])("the command is killed at request %i of that `up`", async (at) => {
      const { session, violations } = await start(["bareMetal", "bareMetal"]);
      await session.up(undisturbed);
      const ids = liveIds(session);
      session.rename(0);
      await session.up(killed("cli", at, "reply"));
      await session.recover();
      await session.up(undisturbed);
      expect((await session.up(undisturbed, { refresh: true })).outcome?.errors).toEqual({});
      expect(liveIds(session)).toEqual(ids);
      expect(violations).toEqual([]);
    });

    test("a forced replacement, an alias and a new name of the stack follow", async () => {
      const { session, violations } = await start(["adopted", "bareMetal"]);
      await session.up(undisturbed);
      const ids = liveIds(session);
      await session.up(failing, { replace: ["a"] });
      await session.up(undisturbed, { replace: ["a"] });
      session.renameWithAlias(0);
      await session.up(undisturbed, { refresh: true });
      session.renameStack();
      expect((await session.up(undisturbed, { refresh: true })).outcome?.errors).toEqual({});
      expect(liveIds(session)).toEqual(ids);
      expect(violations).toEqual([]);
    });

    test("what is replaced after an alias keeps its volume, if the same `up` says so", async () => {
      const { session, violations } = await start(["inlineVolume"]);
      await session.up(undisturbed);
      session.renameWithAlias(0);
      await session.up(undisturbed);
      session.toggle(0);
      session.change(0);
      expect((await session.up(undisturbed)).outcome?.errors).toEqual({});
      expect(session.ledger.live().filter(({ rentalId }) => rentalId !== undefined)).toHaveLength(2);
      expect(violations).toEqual([]);
    });
  });

  test.each<FaultName>(["400-after", "402-after", "409-after"])(
    "fault 29: what was made although the create was answered %s is used, or named where nothing proves it",
    async (kind) => {
      const { session, violations } = await start(["bareMetal", "vm", "chosenLabel", "marketplace"]);
      const { outcome } = await session.up(fault(kind, 0, always));
      expect(Object.keys(outcome?.errors ?? {}).sort()).toEqual(["a-b", "abc"]);
      expect(outcome?.errors["a-b"]).toMatch(/may be it; nothing proves it.*gpufleet recover --adopt/);
      expect(countCreated(session)).toBe(4);
      const again = await session.up(undisturbed);
      expect(Object.keys(again.outcome?.errors ?? {}).sort()).toEqual(["a-b", "abc"]);
      expect(countCreated(session)).toBe(4);
      await session.settle();
      expect((await session.up(undisturbed)).outcome?.errors).toEqual({});
      expect(countCreated(session)).toBe(4);
      await session.destroy(undisturbed);
      expect(session.ledger.live()).toEqual([]);
      expect(violations).toEqual([]);
    },
  );

  test("fault 29: of a create that a proxy sends twice, the second is named, and destroy ends both with their volumes", async () => {
    const { session, violations } = await start(["bareMetal", "inlineVolume", "impatient"]);
    await session.up(fault("sent-twice", 0, always));
    expect(countCreated(session)).toBe(10);
    expect(session.output.filter((text) => /was created by the same request and bills, too/.test(text))).toHaveLength(
      2,
    );
    expect((await session.destroy(undisturbed)).outcome?.errors).toEqual({});
    expect(session.ledger.live()).toEqual([]);
    expect(violations).toEqual([]);
  });

  test("fault 29: of two that are over budget and were sent twice, none is left", async () => {
    const { session, violations } = await start(["limited"]);
    session.change(0);
    const { outcome } = await session.up(fault("sent-twice", 0, always));
    expect(outcome?.errors["a"]).toMatch(/It was terminated immediately/);
    expect(session.ledger.live()).toEqual([]);
    expect(violations).toEqual([]);
  });

  test("fault 30: without optional fields, and with lists in another order, all is as with", async () => {
    const { session, violations } = await start(["inlineVolume", "impatient", "vm", "marketplace", "fleet"], {
      sparse: true,
    });
    expect((await session.up(undisturbed)).outcome?.errors).toEqual({});
    session.change(0);
    expect((await session.up(undisturbed, { refresh: true })).outcome?.errors).toEqual({});
    session.toggle(0);
    await session.up(undisturbed);
    await session.outside.end("a");
    await session.wait(30);
    await session.refresh(undisturbed);
    expect(session.output.join("\n")).toMatch(/keepVolume: storage volume \d+ .* is kept/);
    expect((await session.destroy(undisturbed)).outcome?.errors).toEqual({});
    expect(session.ledger.live().filter(({ rentalId }) => rentalId === undefined)).toEqual([]);
    expect(violations).toEqual([]);
  });

  describe("fault 31: a volume is attached in the end, when its attachment", () => {
    const attachedTo = async (session: Session) => {
      const listed = await session.rig.run(session.rig.client.listStorageVolumes());
      return listed.filter(({ attachedRentals }) => attachedRentals.length > 0).length;
    };

    test("gets another name", async () => {
      const { session, violations } = await start(["volume", "bareMetal", "attachment"]);
      await session.up(undisturbed);
      session.rename(2);
      expect((await session.up(undisturbed)).outcome?.errors).toEqual({});
      expect(await attachedTo(session)).toBe(1);
      expect(violations).toEqual([]);
    });

    test("is replaced by force", async () => {
      const { session } = await start(["volume", "bareMetal", "attachment"]);
      await session.up(undisturbed);
      expect((await session.up(undisturbed, { replace: ["a-b"] })).outcome?.errors).toEqual({});
      expect(await attachedTo(session)).toBe(1);
    });

    test.each<[ResourceKindName[], string]>([
      [["volume", "bareMetal", "attachment"], "a-b"],
      [["attachedVolume", "bareMetal"], "a"],
    ])("is detached by hand (%s): drift shows, and it is attached again", async (kinds, name) => {
      const { session } = await start(kinds);
      await session.up(undisturbed);
      await session.outside.detach(name);
      expect(await attachedTo(session)).toBe(0);
      await session.up(undisturbed, { refresh: true });
      expect(session.output.join("\n")).toMatch(/rentalIds differs from the program/);
      expect(await attachedTo(session)).toBe(1);
    });
  });

  describe("fault 32: a fleet", () => {
    test("that is over a new limit, and whose gate is new, keeps the members that ran", async () => {
      const { session, violations } = await start(["fleet"]);
      await session.up(undisturbed);
      const ids = liveIds(session);
      session.loseGate(0);
      session.toggle(0);
      const { outcome } = await session.up(undisturbed);
      expect(outcome?.errors).toEqual({ [gateOf("a")]: expect.stringMatching(/Its machines were not terminated/) });
      expect(liveIds(session)).toEqual(ids);
      expect(violations).toEqual([]);
    });

    test("whose members are Unknown for a moment keeps them, also over a limit", async () => {
      const { session, violations } = await start(["fleet"]);
      await session.up(undisturbed);
      const ids = liveIds(session);
      await session.refresh(fault("status-unknown", 0, 3));
      session.toggle(0);
      await session.up(fault("status-unknown", 0, 2));
      await session.up(undisturbed, { replace: [gateOf("a")] });
      expect(liveIds(session)).toEqual(ids);
      expect(violations).toEqual([]);
    });

    test("that is over its limit from the start leaves nothing", async () => {
      const { session, violations } = await start(["fleet"]);
      session.toggle(0);
      await session.up(undisturbed);
      expect(session.ledger.live()).toEqual([]);
      expect(violations).toEqual([]);
    });

    test.each([0, 1, 2, 3, 4, 5, 6, 7, 8])(
      "that is destroyed and killed at request %i leaves nothing when destroyed again",
      async (at) => {
        const { session, violations } = await start(["fleet"], { endSeconds: 40 });
        await session.up(undisturbed);
        await session.destroy(killed("cli", at, "after"));
        await session.recover();
        await session.wait(130);
        session.confirmGone = true;
        expect((await session.destroy(undisturbed)).outcome?.errors).toEqual({});
        expect(session.ledger.live()).toEqual([]);
        expect(session.stack.state.size).toBe(0);
        expect(violations).toEqual([]);
      },
    );

    test.each([
      ["is replaced", (session: Session) => session.change(0)],
      ["is of an older version, without a second gate,", (session: Session) => session.stack.state.delete("a-ended")],
    ])("that %s has each member wait for its own end", async (_, change) => {
      const { session, violations } = await start(["fleet"], { endSeconds: 40 });
      await session.up(undisturbed);
      const ids = liveIds(session);
      change(session);
      const isReplaced = session.stack.state.has("a-ended");
      const { outcome } = isReplaced ? await session.up(undisturbed) : await session.destroy(undisturbed);
      expect(outcome?.errors).toEqual({});
      const billing = session.ledger.everythingBilling();
      expect(ids.filter((id) => billing.includes(`BareMetalRental ${id}`))).toEqual([]);
      expect(violations).toEqual([]);
    });

    test("whose members are gone from the state and still about to end keeps its second gate until they have", async () => {
      const ours = (session: Session) =>
        session.ledger.everythingBilling().filter((one) => session.ledger.made.some((made) => keyOf(made) === one));
      let played = 0;
      for (let at = 0; at < 12; at += 1) {
        const { session, violations } = await start(["fleet"], { endSeconds: 40 });
        await session.up(undisturbed);
        await session.destroy(killed("cli", at, "after"));
        if ([...session.stack.state.keys()].join() !== "a-ended") continue;
        played += 1;
        expect(ours(session)).toHaveLength(2);
        expect((await session.destroy(undisturbed)).outcome?.errors).toEqual({});
        expect(ours(session)).toEqual([]);
        expect(violations).toEqual([]);
      }
      expect(played).toBeGreaterThan(0);
    });
  });
});

test("fault 27: what may have been made keeps its room in the budget", async () => {
  const rig = createRig({ settings: { maxCostPerHour: 30 } });
  const stack = new FakeEngine(rig);
  await rig.run(rig.client.createBareMetalRental({ networkType: "infiniband", gpuCount: 8 }));
  rig.fault({ match: { method: "POST", path: paths.bareMetal }, kind: "reset-after" });
  const inputs = { networkType: "infiniband", gpuCount: 8 };
  const { errors } = await stack.up({
    one: { type: "BareMetalRental", inputs: { ...inputs, label: "mine" } },
    // Begun only when the first is done with.
    two: { type: "BareMetalRental", inputs: () => inputs },
  });
  expect(errors["one"]).toMatch(/It is unknown whether it was created/);
  expect(errors["two"]).toMatch(
    /refused, nothing was created: this stack costs \$19\.92\/h.*over gpufleet:maxCostPerHour/,
  );
  expect(rig.billing()).toHaveLength(2);
});

import { readLabel } from "../../../provider/shared/label";
import { paths } from "../../lifecycle/rig";
import { frontNames } from "../simulation/circumstances";
import { undisturbed } from "../simulation/disturbances";
import type { FaultName } from "../simulation/faultKinds";
import { resourceName } from "../simulation/program";
import type { Session } from "../simulation/session";
import { countCreated, fault, idOf, killed, liveIds, startSession } from "./startSession";

/** In an `up` of one bare-metal rental: the look before, the create, and the first look after it. */
const [lookBefore, create, firstLook] = [0, 1, 2];

const lostReplies: FaultName[] = [
  "reset-after",
  "500-after",
  "502-after",
  "504-after",
  "truncate",
  "half-text",
  "garbage",
  "empty",
  "empty-object",
  "wrong-type",
];

const points = [
  { at: create, when: "before" },
  { at: create, when: "after" },
  { at: create, when: "reply" },
  { at: firstLook, when: "reply" },
] as const;

const unreadable: FaultName[] = ["garbage", "empty-object", "wrong-type", "null-items", "half-text", "empty"];

describe.each(frontNames)("on the front %s,", (front) => {
  test.each(lostReplies)(
    "fault 1: a create that took effect and whose reply is %s is found by its label",
    async (kind) => {
      const session = await startSession(front, ["bareMetal"]);
      const { outcome } = await session.up(fault(kind, create));
      expect(outcome?.errors).toEqual({});
      expect(countCreated(session)).toBe(1);
      expect(liveIds(session)).toEqual([idOf(session)]);
    },
  );

  /** A create that took effect, whose reply is lost, and that no list shows for as long as is waited for it. */
  async function upUnresolved(): Promise<Session> {
    const session = await startSession(front, ["bareMetal"]);
    const match = { method: "GET", path: paths.bareMetal };
    session.rig.fault({ match, nth: 2, times: 1000, kind: "stale-list", seconds: 600 });
    const { outcome } = await session.up(fault("reset-after", create));
    session.rig.emulator.faults.clear();
    expect(outcome?.errors["a"]).toMatch(
      /It is unknown whether it was created: "a-.*" was not listed within 2m00s\. The next `pulumi up` checks again/,
    );
    expect(idOf(session)).toMatch(/^unresolved:a-/);
    expect(countCreated(session)).toBe(1);
    return session;
  }

  test("fault 2: with lists that lag behind it waits, keeps a partial state, and never sends again", async () => {
    const session = await upUnresolved();
    expect((await session.up(undisturbed)).outcome?.errors).toEqual({});
    expect(liveIds(session)).toEqual([idOf(session)]);
    expect(countCreated(session)).toBe(1);
  });

  test("fault 2: destroy ends the machine of an unresolved create", async () => {
    const session = await upUnresolved();
    expect((await session.destroy(undisturbed)).outcome?.errors).toEqual({});
    expect(liveIds(session)).toEqual([]);
    expect(session.stack.state.size).toBe(0);
  });

  test("fault 2: what a list shows within the window is found and used", async () => {
    const session = await startSession(front, ["bareMetal"]);
    const stale = { kind: "stale-long" as const, at: firstLook, times: 500 };
    const { outcome } = await session.up({ faults: [...fault("reset-after", create).faults, stale] });
    expect(outcome?.errors).toEqual({});
    expect(liveIds(session)).toEqual([idOf(session)]);
    expect(countCreated(session)).toBe(1);
  });

  test.each(points)(
    "fault 3: the provider is killed at request $at ($when): one machine after recover and up",
    async (point) => {
      const session = await startSession(front, ["bareMetal"]);
      await session.up(killed("provider", point.at, point.when));
      const wasMade = countCreated(session) === 1;
      const { outcome } = await session.up(undisturbed);
      if (wasMade)
        expect(outcome?.errors["a"]).toMatch(
          /refused, nothing was created: bare-metal rental \d+ "a-.*gpufleet recover/,
        );
      await session.recover();
      expect((await session.up(undisturbed)).outcome?.errors).toEqual({});
      expect(liveIds(session)).toEqual([idOf(session)]);
      expect(countCreated(session)).toBe(1);
    },
  );

  test.each(points)(
    "fault 4: the command is killed at request $at ($when): up refuses, recover settles it",
    async (point) => {
      const session = await startSession(front, ["bareMetal"]);
      await session.up(killed("cli", point.at, point.when));
      expect(session.stack.pending).toHaveLength(1);
      const { outcome } = await session.up(undisturbed);
      expect(outcome?.errors["a"]).toMatch(/gpufleet recover/);
      await session.recover();
      expect((await session.up(undisturbed)).outcome?.errors).toEqual({});
      expect(liveIds(session)).toEqual([idOf(session)]);
      expect(countCreated(session)).toBe(1);
    },
  );

  test("fault 4: the command is killed inside a replacement: the old one is ended, one machine", async () => {
    const session = await startSession(front, ["bareMetal"]);
    await session.up(undisturbed);
    const old = idOf(session);
    session.change(0);
    await session.up(killed("cli", create, "after"));
    await session.recover();
    expect((await session.up(undisturbed)).outcome?.errors).toEqual({});
    expect(idOf(session)).not.toBe(old);
    expect(liveIds(session)).toEqual([idOf(session)]);
    expect(countCreated(session)).toBe(2);
  });

  test("fault 4: the command is killed while the provider backs off before the create: nothing is rented any more", async () => {
    const session = await startSession(front, ["bareMetal"]);
    await session.up({ ...killed("cli", create, "reply"), ...fault("429-seconds", create) });
    await session.recover();
    expect(countCreated(session)).toBe(0);
    expect((await session.up(undisturbed)).outcome?.errors).toEqual({});
    expect(countCreated(session)).toBe(1);
  });

  test("fault 5: of two equal ones made at once, a lost reply does not give one the other's machine", async () => {
    const session = await startSession(front, ["bareMetal", "bareMetal", "marketplace", "marketplace"]);
    const { outcome } = await session.up(fault("reset-after", 3));
    expect(outcome?.errors).toEqual({});
    expect(new Set([0, 1, 2, 3].map((index) => idOf(session, index))).size).toBe(4);
    expect(liveIds(session)).toHaveLength(4);
  });

  test("fault 6: one that goes to Failed is kept in the state, and the next up replaces it", async () => {
    const session = await startSession(front, ["bareMetal"]);
    const { outcome } = await session.up(fault("fails-provisioning", create));
    const failed = idOf(session);
    expect(outcome?.errors["a"]).toMatch(new RegExp(`bare-metal rental ${failed} changed to Failed`));
    expect((await session.up(undisturbed)).outcome?.steps).toContain("replace a");
    expect(liveIds(session)).toEqual([idOf(session)]);
    expect((await session.destroy(undisturbed)).outcome?.errors).toEqual({});
    expect(liveIds(session)).toEqual([]);
  });

  test("fault 6: one whose wait runs out of time is kept in the state, and destroy ends it", async () => {
    const session = await startSession(front, ["bareMetal"]);
    const { outcome } = await session.up(fault("reset-before", firstLook, 5000));
    expect(outcome?.errors["a"]).toMatch(/after 10m.*It is in the state with id \d+/);
    expect(liveIds(session)).toEqual([idOf(session)]);
    await session.destroy(undisturbed);
    expect(liveIds(session)).toEqual([]);
  });

  test.each(unreadable)(
    "fault 7: a list that is %s is an error: nothing is gone, and nothing is rented",
    async (kind) => {
      const unread = /could not be read|cannot be read/;
      const session = await startSession(front, ["bareMetal"]);
      expect((await session.up(fault(kind, lookBefore, 50))).outcome?.errors["a"]).toMatch(unread);
      expect(countCreated(session)).toBe(0);
      await session.up(undisturbed);
      const id = idOf(session);
      session.rig.clock.advance(600);
      expect((await session.refresh(fault(kind, 0, 5000))).outcome?.errors["a"]).toMatch(unread);
      expect(idOf(session)).toBe(id);
    },
  );

  test("fault 8: a status nobody has heard of is named, and the machine kept", async () => {
    const session = await startSession(front, ["bareMetal"]);
    const { outcome } = await session.up(fault("unknown-status", firstLook));
    expect(outcome?.errors["a"]).toMatch(/has the unknown status "Levitating".*It is in the state with id/);
    const id = idOf(session);
    await session.refresh(fault("unknown-status", 0));
    expect(session.output.at(-1)).toMatch(/has the unknown status "Levitating"/);
    expect(idOf(session)).toBe(id);
    expect(liveIds(session)).toEqual([id]);
  });

  test("fault 9: names and labels that begin alike are never taken for one another", async () => {
    // Strangers have machines labelled "a" and with our marks cut short; see simulation/neighbours.ts.
    const session = await startSession(front, ["bareMetal", "bareMetal", "bareMetal", "bareMetal"]);
    expect((await session.up(fault("reset-after", 2))).outcome?.errors).toEqual({});
    for (const index of [0, 1, 2, 3]) {
      const { outputs, name } = session.stack.get(resourceName(index));
      expect(readLabel(String(outputs["label"]))?.name).toBe(name);
    }
    expect(liveIds(session)).toHaveLength(4);
    await session.destroy(undisturbed);
    expect(liveIds(session)).toEqual([]);
    expect(session.ledger.foreign.length).toBeGreaterThan(4);
    for (const one of session.ledger.foreign) expect([...session.ledger.billing().keys()]).toContain(one);
  });

  test("fault 10: a delete of what is gone is done", async () => {
    const session = await startSession(front, ["bareMetal"]);
    await session.up(undisturbed);
    const rentalId = Number(idOf(session));
    await session.rig.run(session.rig.client.terminateRental({ rentalId, rentalType: "bare-metal" }));
    session.rig.clock.advance(60);
    expect((await session.destroy(undisturbed)).outcome?.errors).toEqual({});
  });

  test.each(["reset-after", "reset-before", "504-after"] as const)(
    "fault 10: a delete whose reply is lost (%s) is over when lists show that it is",
    async (kind) => {
      const session = await startSession(front, ["bareMetal"]);
      await session.up(undisturbed);
      session.rig.clock.advance(600);
      // The description of the service, then the request to end.
      expect((await session.destroy(fault(kind, 1))).outcome?.errors).toEqual({});
      expect(liveIds(session)).toEqual([]);
      expect(session.stack.state.size).toBe(0);
    },
  );

  test("fault 10: a delete that was accepted waits until it no longer bills", async () => {
    const session = await startSession(front, ["bareMetal", "volume", "vm", "marketplace"]);
    await session.up(undisturbed);
    await session.destroy(undisturbed);
    expect(session.ledger.live()).toEqual([]);
  });

  test("fault 11: a fresh rental that the next lists lack is not dropped", async () => {
    const session = await startSession(front, ["bareMetal", "vm", "volume"]);
    await session.up(undisturbed);
    await session.refresh(fault("stale-long", 0, 50));
    expect([...session.stack.state.keys()].sort()).toEqual(["a", "a-b", "ab"]);
  });
});

import { watch } from "../oracle/oracle";
import { frontNames } from "../simulation/circumstances";
import { undisturbed } from "../simulation/disturbances";
import type { FaultName } from "../simulation/faultKinds";
import type { ResourceKindName } from "../simulation/resourceKinds";
import { Session } from "../simulation/session";
import { countCreated, idOf, liveIds, startSession } from "./startSession";

describe.each(frontNames)("on the front %s,", (front) => {
  /** A volume that is attached to the first of two rentals, judged after every command. */
  async function start() {
    const resources = ["volume", "bareMetal", "bareMetal", "attachment"] as const;
    const session = await Session.start({ seed: 1, resources, circumstances: { neighbours: false, front } });
    const { violations } = watch(session);
    expect((await session.up(undisturbed)).outcome?.errors).toEqual({});
    return { session, violations };
  }
  const link = "abc";

  describe.each([
    ["a volume", "attached it", { withRental: false, attaches: true }],
    ["a volume", "not attached it", { withRental: false, attaches: false }],
    ["a volume and a rental", "attached them", { withRental: true, attaches: true }],
    ["a volume and a rental", "not attached them", { withRental: true, attaches: false }],
  ])("fault 33: the ids of %s that have ended are a neighbour's by now, who has %s:", (_what, _done, how) => {
    async function given() {
      const started = await start();
      await started.session.outside.givePairAway(how);
      expect(started.session.outside.attached.size).toBe(how.attaches ? 1 : 0);
      return started;
    }

    test("a destroy leaves them as they are", async () => {
      const { session, violations } = await given();
      await session.destroy(undisturbed);
      expect(session.stack.state.has(link)).toBe(false);
      expect(violations).toEqual([]);
    });

    test("a refresh finds the attachment gone, and no `up` attaches anything of theirs", async () => {
      const { session, violations } = await given();
      await session.refresh(undisturbed);
      expect(session.stack.state.has(link)).toBe(false);
      await session.up(undisturbed);
      expect(violations).toEqual([]);
    });

    test("a move to another rental is refused", async () => {
      const { session, violations } = await given();
      session.toggle(3);
      const { outcome } = await session.up(undisturbed);
      expect(outcome?.errors[link]).toContain("is another one by now");
      expect(violations).toEqual([]);
    });
  });

  describe("fault 33: the id that a program names is a neighbour's by now:", () => {
    /** Resources of which some name the first. */
    async function up(...resources: ResourceKindName[]) {
      const circumstances = { neighbours: false, front };
      const session = await Session.start({ seed: 1, resources, circumstances });
      const { violations } = watch(session);
      expect((await session.up(undisturbed)).outcome?.errors).toEqual({});
      return { session, violations };
    }

    test("no rental is created with their volume", async () => {
      const { session, violations } = await up("volume", "namedVolume", "bareMetal", "attachment");
      await session.outside.givePairAway({ withRental: false, attaches: false });
      session.change(1);
      const { outcome } = await session.up(undisturbed);
      expect(outcome?.errors["ab"]).toMatch(
        /^creating BareMetalRental "ab": it names StorageVolume "a", of which this must be settled first: storage volume \d+ .* it is somebody else's.*Nothing was created\.$/,
      );
      session.outside.dropGivenAway();
      expect((await session.up(undisturbed, { refresh: true })).outcome?.errors).toEqual({});
      expect(violations).toEqual([]);
    });

    test("no volume is created for their rental, and none is attached to it", async () => {
      const { session, violations } = await up("bareMetal", "attachedVolume", "attachedVolume");
      const rental = idOf(session);
      const toggleBoth = () => [1, 2].map((index) => session.toggle(index));
      // They are attached to nothing for now.
      toggleBoth();
      expect((await session.up(undisturbed)).outcome?.errors).toEqual({});
      await session.outside.giveIdAway(0, true);
      toggleBoth();
      const { outcome } = await session.up(undisturbed, { replace: ["ab"] });
      const why = `it names BareMetalRental "a", of which this must be settled first: bare-metal rental ${rental} is labelled ".*: it is somebody else's.*`;
      expect(outcome?.errors["ab"]).toMatch(new RegExp(`^creating StorageVolume "ab": ${why}Nothing was created\\.$`));
      expect(outcome?.errors["a-b"]).toMatch(
        new RegExp(`^updating StorageVolume "a-b": ${why}Nothing was attached or detached\\.$`),
      );
      expect([...session.ledger.attachedPairs].filter((pair) => pair.endsWith(`:${rental}`))).toEqual([]);
      expect(violations).toEqual([]);
    });
  });

  describe.each<FaultName>(["end-unheeded", "end-unheeded-and-hidden"])("fault 34: a detach is answered %s", (kind) => {
    const faults = (times: number) => ({ faults: [{ kind, of: "end" as const, at: 0, times }] });

    test("twice: it is sent again", async () => {
      const { session, violations } = await start();
      session.toggle(3);
      expect((await session.up(faults(2))).outcome?.errors).toEqual({});
      expect(session.ledger.attachedPairs.size).toBe(1);
      expect(violations).toEqual([]);
    });

    test("every time: the error says so, and both rentals stay in the state", async () => {
      const { session, violations } = await start();
      session.toggle(3);
      const { outcome } = await session.up(faults(5000));
      expect(outcome?.errors[link]).toMatch(/^updating VolumeAttachment "abc": the service accepted 3 times to detach/);
      expect(session.stack.get(link).outputs["rentalIds"]).toHaveLength(2);
      expect((await session.up(undisturbed)).outcome?.errors).toEqual({});
      expect(session.ledger.attachedPairs.size).toBe(1);
      expect(violations).toEqual([]);
    });
  });

  describe.each([
    { kind: "outage-before", made: 0 },
    { kind: "outage-after", made: 1 },
  ] as const)("fault 35: the service goes down with a create ($kind)", ({ kind, made }) => {
    const outage = { faults: [{ kind, of: "create" as const, at: 0, times: 1 }] };

    async function given(resource: ResourceKindName) {
      const session = await startSession(front, [resource]);
      const { violations } = watch(session);
      await session.up(outage);
      expect(idOf(session)).toMatch(/^unresolved:/);
      expect(countCreated(session)).toBe(made);
      return { session, violations };
    }

    describe.each(["bareMetal", "vm", "volume"] as const)("of one with an automatic label (%s):", (resource) => {
      test("the next up takes it over or creates it", async () => {
        const { session, violations } = await given(resource);
        expect((await session.up(undisturbed)).outcome?.errors).toEqual({});
        expect(liveIds(session)).toEqual([idOf(session)]);
        expect(violations).toEqual([]);
      });

      test("a destroy ends it", async () => {
        const { session, violations } = await given(resource);
        expect((await session.destroy(undisturbed)).outcome?.errors).toEqual({});
        expect(liveIds(session)).toEqual([]);
        expect(violations).toEqual([]);
      });
    });

    test("of one with a label that was chosen: it stays unresolved and is named", async () => {
      const { session, violations } = await given("chosenLabel");
      const { outcome } = await session.up(undisturbed);
      const errors = Object.values(outcome?.errors ?? {});
      expect(errors).toEqual(made ? [expect.stringMatching(/ --adopt .*--nothing-made /)] : []);
      expect(liveIds(session)).toHaveLength(1);
      expect(violations).toEqual([]);
    });
  });
});

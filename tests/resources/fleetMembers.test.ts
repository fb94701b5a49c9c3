import { z } from "zod";
import { attachable } from "../../sdk/fleetMember";
import { FakeEngine, type Program } from "../lifecycle/fakeEngine";
import { paths, type Rig } from "../lifecycle/rig";
import { changingList, leavingOut, type Wire } from "../lifecycle/wire";
import { begin, fleet, spec } from "./fleetProgram";

describe("The members of a fleet", () => {
  const regions = ["us-central-1", "eu-west-3"];
  const placed = (region: string, ...of: string[]) =>
    fleet({ count: 1, member: { region, __fleet: { count: 1, regions: of } } });

  test("stay where they are when regions are reordered or added, and move when theirs is removed", async () => {
    const { stack } = begin();
    await stack.up(placed("us-central-1", ...regions));
    for (const program of [placed("eu-west-3", ...regions), placed("eu-west-4", "eu-west-4", ...regions)]) {
      expect((await stack.up(program, { refresh: true })).steps).toEqual(["same train-0", "same train-ready"]);
      expect(stack.get("train-0").outputs["region"]).toBe("us-central-1");
    }
    expect((await stack.up(placed("eu-west-3", "eu-west-3"))).steps).toContain("replace train-0");
    expect(stack.get("train-0").outputs["region"]).toBe("eu-west-3");
  });

  const sized = (gpuCount: number, replacement: unknown) =>
    fleet({ count: 2, member: { gpuCount, __fleet: { count: 2, regions, replacement } } });

  test("say how to replace them where there is no room for old and new, and what bills", async () => {
    const { rig, stack } = begin({ emulator: { capacity: 24 } });
    await stack.up(sized(8, "create-first"));
    const { errors } = await stack.up(sized(16, "create-first"));
    expect(Object.values(errors)).toEqual(
      expect.arrayContaining([
        expect.stringMatching(
          /The machine that it replaces still takes up room\. With replacement: "delete-first" each member is terminated before its successor is rented, and with \{ batch: n \} at most n at a time; the same helps to go back to what was there before\./,
        ),
        expect.stringMatching(
          /Of the fleet "train" of 2, 2 bill \$39\.84\/h so far: train-0 \(rental 1001, \$19\.92\/h\), train-1 \(rental 1002, \$19\.92\/h\)\. `pulumi up` tries the rest again; `pulumi destroy` terminates all\.$/,
        ),
      ]),
    );
    expect(rig.billing()).toHaveLength(2);
  });

  test("are not advised where they are new, but what bills is said once", async () => {
    const { stack } = begin({ emulator: { capacity: 8 } });
    const { errors } = await stack.up(fleet({ count: 3, member: { __fleet: { count: 3, regions } } }));
    const texts = Object.entries(errors).flatMap(([name, text]) => (name === "train-ready" ? [] : text));
    expect(texts).toHaveLength(2);
    expect(texts.filter((text) => text.includes("takes up room"))).toEqual([]);
    expect(texts.filter((text) => text.includes('Of the fleet "train" of 3'))).toHaveLength(1);
  });

  const counted = (count: number) => fleet({ count, member: { __fleet: { count, regions } } });

  test("say which count does where the last are missing", async () => {
    const { rig, stack } = begin({ emulator: { capacity: 8 } });
    await stack.up(counted(1));
    const { errors } = await stack.up(counted(2));
    expect(errors["train-1"]).toMatch(
      /Of the fleet "train" of 2, 1 bills \$19\.92\/h so far: train-0 \(rental 1001, \$19\.92\/h\)\. `pulumi up` tries the rest again; count: 1 does without them; `pulumi destroy` terminates all\.$/,
    );
    expect((await stack.up(counted(1))).errors).toEqual({});
    expect(rig.billing()).toEqual([1001]);
  });

  test("are counted when the stack has another name by then: none of them is advised away", async () => {
    const { rig, stack } = begin({ emulator: { capacity: 32 } });
    await stack.up(counted(3));
    const renamed = new FakeEngine(rig, { stack: "renamed" });
    for (const [name, kept] of stack.state) renamed.state.set(name, kept);
    stack.state.clear();
    const { errors } = await renamed.up(counted(5));
    expect(errors["train-4"]).toMatch(
      /Of the fleet "train" of 5, 4 bill \$79\.68\/h so far: train-0 \(rental 1001, .*, train-3 \(rental 1004, \$19\.92\/h\)\. `pulumi up` tries the rest again; count: 4 does without them; `pulumi destroy` terminates all\.$/,
    );
    expect(rig.billing()).toHaveLength(4);
  });

  test("are counted by the name that the program has for them, and those of another fleet are not", async () => {
    const { rig, stack } = begin({ emulator: { capacity: 24 } });
    await stack.up(counted(2));
    const [zero, one] = [stack.get("train-0"), stack.get("train-1")];
    stack.state.clear();
    const urn = (name: string) => stack.urn("BareMetalRental", name);
    stack.state.set("team-0", { ...zero, name: "team-0", urn: urn("train-0") });
    stack.state.set("solo", { ...one, name: "solo", urn: urn("train-1") });
    const { type, inputs } = { type: "BareMetalRental", inputs: { ...spec["bare-metal"], waitForReady: false } };
    const member = { type, inputs: { ...inputs, __fleet: { count: 3, regions } } };
    const program = { "team-0": member, solo: { type, inputs }, "team-1": member, "team-2": member };
    const { errors } = await stack.up(program);
    expect(errors["team-2"]).toMatch(
      /Of the fleet "team" of 3, 2 bill \$39\.84\/h so far: team-0 \(rental 1001, .*\), team-1 \(rental 1003, .*\)\. `pulumi up` tries the rest again; count: 2 does without them;/,
    );
    expect(rig.billing()).toHaveLength(3);
  });

  test("say how to make room where one of the first is missing, and count those that a smaller count has no place for", async () => {
    const { rig, stack } = begin({ emulator: { capacity: 24 } });
    await stack.up(counted(3));
    await rig.run(rig.client.terminateRental({ rentalType: "bare-metal", rentalId: 1001 }));
    await rig.run(rig.clock.sleep(60_000));
    await rig.run(rig.client.createBareMetalRental({ networkType: "infiniband", gpuCount: 8, label: "of-others" }));
    const { errors } = await stack.up(counted(2), { refresh: true });
    const urn = stack.urn("BareMetalRental", "train-2");
    expect(errors["train-0"]).toBe(
      `creating BareMetalRental "train-0": POST ${paths.bareMetal} answered 400: no capacity for 8×h100 in us-central-1. Of the fleet "train" of 2, 2 bill $39.84/h so far: train-1 (rental 1002, $19.92/h), train-2 (rental 1003, $19.92/h). \`pulumi up\` tries the rest again; for a fleet of 2, set count: 2, make room with \`pulumi destroy --target '${urn}' --target-dependents\`, then run \`pulumi up\`; \`pulumi destroy\` terminates all.`,
    );
    expect((await stack.destroy({ targets: ["train-2", "train-ready"] })).errors).toEqual({});
    expect((await stack.up(counted(2))).errors).toEqual({});
    expect(rig.billing()).toEqual([1002, 1004, 1005]);
  });

  test("that an interrupted run has left are not said to go with a destroy, nor to be adopted by the program", async () => {
    const { stack } = begin();
    await stack.up(counted(2));
    stack.state.delete("train-1");
    const { errors } = await stack.up(counted(2));
    const urn = stack.urn("BareMetalRental", "train-1");
    expect(errors["train-1"]).toMatch(/^creating BareMetalRental "train-1": refused, nothing was created: /);
    expect(errors["train-1"]).toContain(
      `If it was kept on purpose (retainOnDelete), \`gpufleet recover --adopt 1002 --urn '${urn}'\` uses it. If it belongs`,
    );
    expect(errors["train-1"]).toMatch(
      /Of the fleet "train" of 2, 2 bill \$39\.84\/h so far: .* train-1 is missing from the state, so `pulumi destroy` does not terminate it: `gpufleet recover` adds what an interrupted run has left\.$/,
    );
  });

  describe("with a shared volume", () => {
    const volume = { type: "StorageVolume", inputs: { region: "us-central-1", sizeInGb: 256 } };
    const attached = async (rig: Rig) => {
      const [listed] = await rig.run(rig.client.listStorageVolumes());
      return listed?.attachedRentals;
    };
    const attach = (name: string, ...members: string[]): Program => ({
      [name]: {
        type: "VolumeAttachment",
        inputs: (ids) => ({
          storageVolumeId: Number(ids["volume"]),
          rentalIds: members.map((member) => Number(ids[member])),
          waitForReady: false,
        }),
      },
    });
    const members = ["train-0", "train-1", "train-2"];
    const shared = (count: number) => ({
      volume,
      ...fleet({ count }),
      ...attach("on-members", ...members.slice(0, count)),
    });

    test("move from an attachment each to one for all, and none is detached", async () => {
      const { rig, stack } = begin();
      const each = members.map((member, index) => attach(`on-${index}`, member));
      await stack.up(Object.assign({ volume, ...fleet({ count: 3 }) }, ...each));
      const { errors, steps } = await stack.up(shared(3));
      expect(errors).toEqual({});
      expect([...steps].sort()).toEqual(
        expect.arrayContaining(["create on-members", "delete on-0", "delete on-1", "delete on-2"]),
      );
      expect(rig.count("POST", paths.detach)).toBe(0);
      expect(await attached(rig)).toHaveLength(3);
    });

    describe("of which fewer will do", () => {
      const facts = z.array(
        z.looseObject({ id: z.string(), name: z.string(), status: z.string(), wasReady: z.boolean().exactOptional() }),
      );
      const toAll = (stack: FakeEngine, count: number): Program => ({
        volume,
        ...fleet({ count, gate: { minCount: 2 } }),
        "on-members": {
          type: "VolumeAttachment",
          inputs: (ids) => ({
            storageVolumeId: Number(ids["volume"]),
            rentalIds: attachable(facts.parse(stack.get("train-ready").outputs["members"])),
            waitForReady: false,
          }),
        },
      });
      const second = ({ id }: Record<string, unknown>) => id === 1002;
      const unclear = (): Wire => {
        let isFirst = true;
        return changingList(paths.bareMetal, (items) => {
          const shown = isFirst ? items.map((item) => (second(item) ? { ...item, status: "Unknown" } : item)) : items;
          isFirst = false;
          return shown;
        });
      };
      const looks: [string, () => Wire][] = [
        ["does not know how it is", unclear],
        ["leaves it out", () => leavingOut(paths.bareMetal, second, 1)],
      ];

      describe.each(looks)("keep it where one list %s", (_, wire) => {
        test.each([
          [3, true],
          [4, false],
        ])("(now %d, refreshed: %s)", async (count, refresh) => {
          const { rig, stack } = begin();
          await stack.up(toAll(stack, 3));
          expect(await attached(rig)).toEqual([1001, 1002, 1003]);
          rig.clock.advance(300);
          const provider = rig.startProvider({}, { wire: wire() });
          expect((await stack.up(toAll(stack, count), { provider, refresh })).errors).toEqual({});
          expect(rig.count("POST", paths.detach)).toBe(0);
          expect(await attached(rig)).toEqual([1001, 1002, 1003, 1004].slice(0, count));
        });
      });

      test("keep it where an older version wrote the state", async () => {
        const { rig, stack } = begin();
        await stack.up(toAll(stack, 3));
        const gate = stack.get("train-ready");
        const before = facts.parse(gate.outputs["members"]).map(({ wasReady: _, ...facts }) => facts);
        stack.state.set("train-ready", { ...gate, outputs: { ...gate.outputs, members: before } });
        expect((await stack.up(toAll(stack, 3))).steps).toContain("same on-members");
        const provider = rig.startProvider({}, { wire: unclear() });
        expect((await stack.up(toAll(stack, 3), { provider, refresh: true })).errors).toEqual({});
        expect(rig.count("POST", paths.detach)).toBe(0);
      });

      test("let go of one that has failed", async () => {
        const { rig, stack } = begin();
        await stack.up(toAll(stack, 3));
        const failed = changingList(paths.bareMetal, (items) =>
          items.map((item) => (second(item) ? { ...item, status: "Failed" } : item)),
        );
        const provider = rig.startProvider({}, { wire: failed });
        expect((await stack.up(toAll(stack, 4), { provider })).errors).toEqual({});
        expect(await attached(rig)).toEqual([1001, 1003, 1004]);
      });
    });

    test("come and go without disturbing the others, also those that have ended already", async () => {
      const { rig, stack } = begin();
      await stack.up(shared(2));
      const [first, second] = members.map((member) => Number(stack.state.get(member)?.id));
      expect((await stack.up(shared(3))).errors).toEqual({});
      const third = Number(stack.get("train-2").id);
      expect(await attached(rig)).toEqual([first, second, third]);
      await rig.run(rig.client.terminateRental({ rentalType: "bare-metal", rentalId: third }));
      rig.clock.advance(60);
      expect((await stack.up(shared(2))).errors).toEqual({});
      expect(await attached(rig)).toEqual([first, second]);
      expect((await stack.destroy()).errors).toEqual({});
      expect(rig.billing()).toEqual([]);
    });
  });
});

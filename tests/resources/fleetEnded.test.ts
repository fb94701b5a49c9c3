import { Stop } from "../../provider/fronts/plugin/stop";
import { noWitness } from "../../provider/lifecycle";
import { elsewheres, openElsewhere } from "../faults/simulation/elsewhere";
import { FakeEngine, getHandler, type Program } from "../lifecycle/fakeEngine";
import { createRig, type ProviderProcess, paths, type Rig, type RigOptions } from "../lifecycle/rig";
import { changingList, type Item, leavingOut } from "../lifecycle/wire";

/** What a GpuFleet registers: the second gate, members that depend on it, and the first gate. */
function fleet(count: number, member: object = {}): Program {
  const names = Array.from({ length: count }, (_, index) => `train-${index}`);
  const inputs = { networkType: "infiniband", gpuCount: 8, waitForReady: false, ...member };
  return {
    "train-ended": { type: "FleetEnded", inputs: { kind: "bare-metal" } },
    ...Object.fromEntries(names.map((name) => [name, { type: "BareMetalRental", inputs }])),
    "train-ready": {
      type: "FleetReady",
      inputs: (ids) => ({ kind: "bare-metal", rentals: names.map((name) => ({ name, id: ids[name] })) }),
    },
  };
}

async function running(count: number, options: RigOptions = {}, member: object = {}) {
  const rig = createRig({ ...options, emulator: { endSeconds: 30, ...options.emulator } });
  const stack = new FakeEngine(rig);
  expect((await stack.up(fleet(count, member))).errors).toEqual({});
  return { rig, stack };
}

/** Deletes one after the other, as the engine does where only one operation runs at a time. */
async function deleteInTurn(rig: Rig, stack: FakeEngine, names: readonly string[], provider = rig.startProvider()) {
  provider.state = {
    ...noWitness,
    entries: async () => entries,
    isWhole: async () => true,
  };
  const entries = stack.entries();
  for (const name of names) {
    const { type, id, outputs } = stack.get(name);
    await rig.run(getHandler(type).delete(provider, id, outputs));
    stack.state.delete(name);
  }
  return provider;
}

const membersOf = (count: number) => Array.from({ length: count }, (_, index) => `train-${index}`);

describe("The second gate of a fleet", () => {
  test("waits for all ends together: one ending time, however few deletes run at a time", async () => {
    const { rig, stack } = await running(20);
    const [start, lists] = [rig.clock.now(), rig.count("GET", paths.bareMetal)];
    const provider = await deleteInTurn(rig, stack, ["train-ready", ...membersOf(20)]);
    const billing = rig.billing().length;
    await deleteInTurn(rig, stack, ["train-ended"], provider);
    expect(billing).toBe(20);
    expect(rig.billing()).toEqual([]);
    expect(rig.clock.now() - start).toBeLessThan(40_000);
    // One per member to see that its end was taken, and one per tick for the wait of all.
    expect(rig.count("GET", paths.bareMetal) - lists).toBeLessThan(20 + 25);
    expect(rig.count("POST", paths.endBareMetal)).toBe(20);
    const row = provider.shown.filter(({ urn }) => urn === stack.urn("FleetEnded", "train-ended"));
    expect(row.map(({ text }) => text)).toContainEqual(expect.stringMatching(/^0 of 20 ended, \d+s, \$398\.40\/h$/));
    expect(row.at(-1)?.text).toBe("");
  });

  test.each([
    ["a member is scaled away", () => fleet(1)],
    ["a member is replaced", () => fleet(2, { gpuCount: 16 })],
  ])("is not waited for when %s: the member waits itself", async (_, program) => {
    const { rig, stack } = await running(2);
    const before = rig.billing();
    expect((await stack.up(program())).errors).toEqual({});
    const ended = before.filter((id) => !rig.billing().includes(id));
    expect(ended.length).toBeGreaterThan(0);
    expect(rig.emulator.state().filter(({ status }) => status === "Terminating")).toEqual([]);
  });

  test.each(["partial", "unknown"] as const)(
    "is not waited for where the run may leave it as it is (%s): a member whose first gate goes along waits itself",
    async (scope) => {
      const { rig, stack } = await running(2);
      const provider = rig.startProvider();
      provider.scope = scope;
      await deleteInTurn(rig, stack, ["train-ready", "train-0"], provider);
      expect(rig.billing()).toEqual([1002]);
    },
  );

  test("is not waited for when a refresh ends what has expired: the member waits itself, also without a first gate", async () => {
    const { rig, stack } = await running(2, {}, { expiresAt: "1h" });
    stack.state.delete("train-ready");
    rig.clock.advance(7200);
    expect((await stack.refresh(rig.startProvider({ endExpired: true }))).errors).toEqual({});
    expect(rig.billing()).toEqual([]);
  });

  test("is not waited for where a state has none, or where the state cannot be asked", async () => {
    const { rig, stack } = await running(2);
    stack.state.delete("train-ended");
    await deleteInTurn(rig, stack, ["train-ready", "train-0"]);
    expect(rig.billing()).toHaveLength(1);
    const other = await running(1);
    const provider = other.rig.startProvider();
    const { id, outputs } = other.stack.get("train-0");
    await other.rig.run(getHandler("BareMetalRental").delete(provider, id, outputs));
    expect(other.rig.billing()).toEqual([]);
  });

  test("is not waited for by a member with a volume of its own, which goes after it", async () => {
    const { rig, stack } = await running(1, {}, { storageVolume: { isNew: true, label: "scratch", sizeInGb: 256 } });
    await deleteInTurn(rig, stack, ["train-ready", "train-0"]);
    expect(rig.billing()).toEqual([]);
  });

  test("finds what a killed destroy has left, by its marks, and waits for it", async () => {
    const { rig, stack } = await running(3);
    await deleteInTurn(rig, stack, ["train-ready", ...membersOf(3)]);
    expect(rig.billing()).toHaveLength(3);
    const { errors } = await stack.destroy();
    expect(errors).toEqual({});
    expect(stack.state.size).toBe(0);
    expect(rig.billing()).toEqual([]);
    expect(rig.count("POST", paths.endBareMetal)).toBe(3);
  });

  test("takes over where a destroy was killed half-way", async () => {
    const { rig, stack } = await running(4);
    await deleteInTurn(rig, stack, ["train-ready", "train-0", "train-1"]);
    const start = rig.clock.now();
    expect((await stack.destroy()).errors).toEqual({});
    expect(rig.clock.now() - start).toBeLessThan(45_000);
    expect(rig.billing()).toEqual([]);
  });

  test("stays in the state and names what still bills when the time is up", async () => {
    const { rig, stack } = await running(2, { emulator: { endSeconds: 3600 } });
    const { errors } = await stack.destroy();
    expect(errors).toEqual({
      "train-ended": expect.stringMatching(
        /^deleting FleetEnded "train-ended": still 0 of 2 ended after 20m\d\ds: train-0 \(rental 1001\) is Terminating and costs \$19\.92\/h; train-1 \(rental 1002\) is Terminating and costs \$19\.92\/h\. Run `pulumi destroy` again to continue waiting, or raise timeouts\.delete\.$/,
      ),
    });
    expect([...stack.state.keys()]).toEqual(["train-ended"]);
    rig.clock.advance(3600);
    expect((await stack.destroy()).errors).toEqual({});
    expect(stack.state.size).toBe(0);
  });

  test.each<[string, string, (rig: Rig, provider: ProviderProcess, stop: Stop) => void]>([
    ["^C", "cancelled; no further requests are sent", (_rig, _provider, stop) => stop.now("cancelled")],
    [
      "an engine that is gone",
      "the Pulumi engine has ended; no further requests are sent",
      (_rig, provider) => {
        provider.engineLives = false;
      },
    ],
    [
      "a key that is revoked",
      `GET ${paths.bareMetal} answered 403: revoked`,
      (rig) =>
        rig.fault({
          match: { method: "GET", path: paths.bareMetal },
          times: 99,
          kind: "status",
          status: 403,
          body: { detail: "revoked" },
        }),
    ],
  ])("names what still bills also when its wait is ended by %s", async (_, reason, interrupt) => {
    const { rig, stack } = await running(2, { emulator: { endSeconds: 600 } });
    const stop = new Stop();
    const provider = rig.startProvider({}, { clock: stop.clock(rig.clock) });
    await deleteInTurn(rig, stack, ["train-ready", ...membersOf(2)], provider);
    const { id, outputs } = stack.get("train-ended");
    const deleting = getHandler("FleetEnded").delete(provider, id, outputs);
    const interrupted = rig.clock.sleep(30_000).then(() => interrupt(rig, provider, stop));
    const [ended] = await rig.run(Promise.allSettled([deleting, interrupted]));
    expect(ended).toMatchObject({
      reason: {
        message: `deleting FleetEnded "train-ended": ${reason}. 2 of the fleet may still bill, $39.84/h: train-0 (rental 1001) is Terminating and costs $19.92/h; train-1 (rental 1002) is Terminating and costs $19.92/h. Run \`pulumi destroy\` again to continue waiting.`,
      },
    });
  });

  test("names what was handed over before its own first look, and what it tells again", async () => {
    const { rig, stack } = await running(2, { emulator: { endSeconds: 600 } });
    const stop = new Stop();
    let looks = 0;
    const forgetful = changingList(paths.bareMetal, (items) => {
      looks += 1;
      // The ends of both are taken; then one of them runs on.
      return looks < 4 ? items : items.map((item) => (item["id"] === 1001 ? { ...item, status: "Running" } : item));
    });
    const provider = rig.startProvider({}, { clock: stop.clock(rig.clock), wire: forgetful });
    await deleteInTurn(rig, stack, ["train-ready", ...membersOf(2)], provider);
    const { id, outputs } = stack.get("train-ended");
    const deleting = getHandler("FleetEnded").delete(provider, id, outputs);
    const interrupted = rig.clock.sleep(15_000).then(() => stop.now("cancelled"));
    const [ended] = await rig.run(Promise.allSettled([deleting, interrupted]));
    expect(ended).toMatchObject({
      reason: {
        message: expect.stringMatching(
          /2 of the fleet may still bill, \$39\.84\/h: train-0 \(rental 1001\) is Running and costs \$19\.92\/h; train-1 \(rental 1002\) is Terminating /,
        ),
      },
    });
    const blind = await running(1, { emulator: { endSeconds: 600 } });
    const own = new Stop();
    const other = blind.rig.startProvider({}, { clock: own.clock(blind.rig.clock) });
    await deleteInTurn(blind.rig, blind.stack, ["train-ready", "train-0"], other);
    own.now("cancelled");
    const { outputs: held } = blind.stack.get("train-ended");
    await expect(blind.rig.run(getHandler("FleetEnded").delete(other, "train-ended", held))).rejects.toThrow(
      "1 of the fleet may still bill, $19.92/h: train-0 (rental 1001) is Terminating and costs $19.92/h.",
    );
  });

  test("tells again what goes on after its end was taken", async () => {
    const { rig, stack } = await running(2);
    let looks = 0;
    const forgetful = changingList(paths.bareMetal, (items) => {
      looks += 1;
      if (looks < 5 || looks > 12) return items;
      return items.map((item) => (item["id"] === 1001 ? { ...item, status: "Running" } : item));
    });
    const provider = rig.startProvider({}, { wire: forgetful });
    expect((await stack.destroy({ provider })).errors).toEqual({});
    expect(rig.count("POST", paths.endBareMetal)).toBeGreaterThan(2);
    expect(rig.billing()).toEqual([]);
  });

  test("does not believe one list that leaves them out", async () => {
    const { rig, stack } = await running(3);
    const provider = await deleteInTurn(rig, stack, ["train-ready", ...membersOf(3)]);
    const blind = rig.startProvider({}, { wire: leavingOut(paths.bareMetal, () => true, 1) });
    Object.assign(blind, { memory: provider.memory });
    await deleteInTurn(rig, stack, ["train-ended"], blind);
    expect(rig.billing()).toEqual([]);
  });

  test("names a member that runs and is in no state, and neither ends nor forgets it", async () => {
    const { rig, stack } = await running(2);
    stack.state.delete("train-1");
    const { errors } = await stack.destroy();
    expect(errors["train-ended"]).toMatch(
      /^deleting FleetEnded "train-ended": bare-metal rental 1002 "train-1-\w+-\w+-\w+" \(Running, .*\$19\.92\/h.*\): created for this fleet, still billing, and in no state\. `gpufleet orphans --delete 1002 --grace-minutes 0 --yes` terminates what an interrupted destroy has left\. If it was kept on purpose, or belongs to another stack with the same name, `pulumi state delete 'urn:pulumi:test::rig::pulumi-nodejs:dynamic\/gpufleet:FleetEnded::train-ended'` leaves it alone$/,
    );
    expect(rig.billing()).toEqual([1002]);
    expect([...stack.state.keys()]).toEqual(["train-ended"]);
  });

  /** A destroy was killed after the ends of these were taken, and the service has thought better of it. */
  function forgetting({ state }: FakeEngine, ...members: string[]): void {
    for (const name of ["train-ready", ...members]) state.delete(name);
  }

  test.each([2, 5])("names it after a kill also where %d lists leave it out", async (lists) => {
    for (const count of [1, 2]) {
      const { rig, stack } = await running(count);
      forgetting(stack, "train-0");
      const gone = new Set(rig.billing().slice(1));
      // The others are shown, and end in this run.
      const isMissing = ({ id }: Item) => !gone.has(Number(id));
      const provider = rig.startProvider({}, { wire: leavingOut(paths.bareMetal, isMissing, lists) });
      const { errors } = await stack.destroy({ provider });
      expect(errors["train-ended"]).toContain("still billing, and in no state");
      expect(rig.billing()).toHaveLength(1);
    }
  });

  test.each([
    [120, {}],
    [0, { confirmGone: true }],
  ])("looks for what a kill has left for %d s where nothing is listed (%j)", async (seconds, settings) => {
    const { rig, stack } = await running(2);
    const ids = rig.billing();
    for (const id of ids) await rig.run(rig.client.terminateRental({ rentalType: "bare-metal", rentalId: Number(id) }));
    forgetting(stack, ...membersOf(2));
    rig.clock.advance(600);
    const start = rig.clock.now();
    expect((await stack.destroy({ provider: rig.startProvider(settings) })).errors).toEqual({});
    const took = (rig.clock.now() - start) / 1000;
    expect(took).toBeGreaterThanOrEqual(seconds);
    expect(took).toBeLessThan(seconds + 15);
  });

  test("does not take for left over what the run has made that replaces the gate", async () => {
    const { rig, stack } = await running(2);
    const start = rig.clock.now();
    expect((await stack.up(fleet(3), { replace: ["train-ended"] })).errors).toEqual({});
    expect(rig.billing()).toHaveLength(3);
    expect(rig.clock.now() - start).toBeLessThan(120_000);
    const all = ["train-ended", ...membersOf(3), "train-ready"];
    expect((await stack.up(fleet(3), { replace: all })).errors).toEqual({});
    expect(rig.billing()).toHaveLength(3);
  });

  test("sees nothing of a fleet of the same name in another place, nor of one whose name begins alike", async () => {
    const { rig, stack } = await running(1);
    const other = new FakeEngine(rig, { project: "other" });
    const alike: Program = {
      "train-0-0": { type: "BareMetalRental", inputs: { networkType: "infiniband", gpuCount: 8 } },
    };
    expect((await other.up({ ...fleet(1), ...alike })).errors).toEqual({});
    expect((await stack.up(alike)).errors).toEqual({});
    expect(stack.state.size).toBe(1);
    expect(rig.billing()).toHaveLength(3);
  });

  test("needs two lists and nothing else where there was nothing to end", async () => {
    const { rig, stack } = await running(0);
    const lists = rig.count("GET", paths.bareMetal);
    expect((await stack.destroy()).errors).toEqual({});
    expect(rig.count("GET", paths.bareMetal) - lists).toBe(2);
  });

  test.each<[string, "reset-before" | "garbage", RegExp]>([
    ["cannot be reached", "reset-before", /lost the connection to https:\/\/gpu\.example: the connection was reset$/],
    ["gives lists that cannot be read", "garbage", /answered 200: the answer could not be read: it is not JSON$/],
  ])("fails as soon as a rental does where the service %s, and says why", async (_, kind, reason) => {
    const { rig, stack } = await running(0);
    rig.fault({ match: { method: "GET", path: paths.bareMetal }, times: 10_000, kind });
    const start = rig.clock.now();
    const { errors } = await stack.destroy();
    expect(errors).toEqual({ "train-ended": expect.stringMatching(/^deleting FleetEnded "train-ended": GET /) });
    expect(errors["train-ended"]).toMatch(reason);
    expect(rig.clock.now() - start).toBeLessThan(60_000);
  });

  test("is refused at another address, where nothing would be listed", async () => {
    const { rig, stack } = await running(1);
    await deleteInTurn(rig, stack, ["train-ready", "train-0"]);
    const provider = rig.startProvider(
      {},
      { service: { addresses: { v2: "https://b.example", v1: "https://b.example" } } },
    );
    expect((await stack.destroy({ provider })).errors["train-ended"]).toMatch(/it is at https:\/\/gpu\.example, but/);
    expect([...stack.state.keys()]).toEqual(["train-ended"]);
  });

  test("is refused with a key that may be another account's, where nothing else is in the state to tell", async () => {
    const { rig, stack } = await running(2);
    await deleteInTurn(rig, stack, ["train-ready", ...membersOf(2)]);
    const { transport } = await openElsewhere(rig, elsewheres["another account where nothing is"]);
    const service = { key: "another" };
    const elsewhere = rig.startProvider({}, { service, wire: () => transport });
    expect((await stack.destroy({ provider: elsewhere })).errors["train-ended"]).toMatch(
      /the API key is not the one with which the fleet was rented, .*GPUFLEET_SAME_ACCOUNT=1; or, if all members are gone, with GPUFLEET_CONFIRM_GONE=1\.$/,
    );
    expect([...stack.state.keys()]).toEqual(["train-ended"]);
    const said = rig.startProvider({}, { service: { ...service, isSameAccount: true } });
    expect((await stack.destroy({ provider: said })).errors).toEqual({});
    expect(rig.billing()).toEqual([]);
  });

  test("keeps the new key once a person has said in a refresh that it is of the same account", async () => {
    const { rig, stack } = await running(2);
    await deleteInTurn(rig, stack, ["train-ready", ...membersOf(2)]);
    const service = { key: "rotated" };
    await stack.refresh(rig.startProvider({}, { service: { ...service, isSameAccount: true } }));
    expect((await stack.destroy({ provider: rig.startProvider({}, { service }) })).errors).toEqual({});
    expect(rig.billing()).toEqual([]);
  });

  test("goes on with a new key of the same account: its members have shown that it is", async () => {
    const { rig, stack } = await running(2);
    const service = { key: "rotated" };
    expect((await stack.destroy({ provider: rig.startProvider({}, { service }) })).errors).toEqual({});
    expect({ inState: stack.state.size, billing: rig.billing() }).toEqual({ inState: 0, billing: [] });
  });

  test("keeps a new key of the same account when a refresh has seen its members with it", async () => {
    const { rig, stack } = await running(2);
    const start = () => rig.startProvider({}, { service: { key: "rotated" } });
    expect((await stack.refresh(start())).errors).toEqual({});
    await deleteInTurn(rig, stack, ["train-ready", ...membersOf(2)], start());
    expect((await stack.destroy({ provider: start() })).errors).toEqual({});
    expect({ inState: stack.state.size, billing: rig.billing() }).toEqual({ inState: 0, billing: [] });
  });
});

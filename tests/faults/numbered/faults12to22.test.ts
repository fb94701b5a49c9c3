import { createServer, type RequestListener, type Server } from "node:http";
import { refuseForeign, sortPending } from "../../../cli/commands/recover/plan";
import { judgeLocks } from "../../../cli/stack/activity";
import { createClient, systemClock } from "../../../provider/client";
import { readConnection } from "../../../provider/fronts";
import { noWitness } from "../../../provider/lifecycle";
import { FakeEngine, type Outcome } from "../../lifecycle/fakeEngine";
import { createRig, key } from "../../lifecycle/rig";
import { frontNames } from "../simulation/circumstances";
import { undisturbed } from "../simulation/disturbances";
import type { FaultName } from "../simulation/faultKinds";
import { exportState } from "../simulation/recover";
import { countCreated, fault, idOf, liveIds, ourObjects, startSession } from "./startSession";

const bare = { type: "BareMetalRental", inputs: { networkType: "infiniband", gpuCount: 8 } };
const create = 1;

const mayComeBack: [FaultName, number][] = [
  ["429-seconds", 3],
  ["429-date", 3],
  ["429-zero", 0],
  ["429-negative", 0],
  ["429-nonsense", 0],
];

describe.each(frontNames)("on the front %s,", (front) => {
  test.each(mayComeBack)(
    "fault 12: a create that is answered %s is sent again no sooner than asked (%i s)",
    async (kind, seconds) => {
      const session = await startSession(front, ["bareMetal"]);
      const before = session.rig.clock.now();
      expect((await session.up(fault(kind, create))).outcome?.errors).toEqual({});
      expect(countCreated(session)).toBe(1);
      const [rental] = ourObjects(session);
      expect(Date.parse(rental?.createdAt ?? "") - before).toBeGreaterThan(seconds * 1000);
    },
  );

  test("fault 12: two that were told the same time come back at different times", async () => {
    const session = await startSession(front, ["bareMetal", "bareMetal"]);
    await session.up(fault("429-seconds", 1, 2));
    expect(new Set(ourObjects(session).map(({ createdAt }) => createdAt)).size).toBe(2);
  });

  test("fault 12: a wait beyond the deadline is not begun, and nothing is rented", async () => {
    const session = await startSession(front, ["bareMetal"]);
    const before = session.rig.clock.now();
    const { outcome } = await session.up(fault("429-huge", create, 50));
    expect(outcome?.errors["a"]).toMatch(/answered 429.*The service asks to wait 99999999 s/);
    expect(session.rig.clock.now() - before).toBeLessThan(60_000);
    expect(countCreated(session)).toBe(0);
  });

  test("fault 12: a list that is answered 503 with Retry-After is asked for again when told", async () => {
    const session = await startSession(front, ["bareMetal"]);
    const before = session.rig.clock.now();
    expect((await session.up(fault("503-retry-after", 0))).outcome?.errors).toEqual({});
    expect(session.rig.clock.now() - before).toBeGreaterThan(2000);
  });

  test.each([true, false])(
    "fault 14: a forced replacement (refresh: %s) makes a new one, then ends the old one",
    async (refresh) => {
      const session = await startSession(front, ["bareMetal"]);
      await session.up(undisturbed);
      const id = idOf(session);
      const { outcome } = await session.up(undisturbed, { replace: ["a"], refresh });
      expect(outcome?.steps).toEqual(["replace a", "delete a"]);
      expect(idOf(session)).not.toBe(id);
      expect(liveIds(session)).toEqual([idOf(session)]);
    },
  );

  test.each([0, 1, 2, 3])("fault 15: a redirect of request %i is refused, and the key is not sent on", async (at) => {
    const session = await startSession(front, ["vm"]);
    const { outcome } = await session.up(fault("redirect", at));
    // A look while waiting is simply made again.
    if (at < 3) expect(outcome?.errors["a"]).toMatch(/redirects are not followed/);
    await session.up(undisturbed);
    await session.destroy(undisturbed);
    expect(liveIds(session)).toEqual([]);
    expect(session.commands.flatMap(({ leaks }) => leaks)).toEqual([]);
  });

  test("fault 16: a key that is revoked in mid-run is an error, and the state is kept", async () => {
    const session = await startSession(front, ["bareMetal"]);
    const { outcome } = await session.up(fault("401-before", 2, 500));
    expect(outcome?.errors["a"]).toMatch(/answered 401.*It is in the state with id \d+/);
    expect(JSON.stringify([outcome?.errors, ...session.stack.state.values()])).not.toContain(key);
    expect((await session.destroy(fault("401-before", 0, 500))).outcome?.errors["a"]).toMatch(/answered 401/);
    expect(liveIds(session)).toEqual([idOf(session)]);
    expect((await session.destroy(undisturbed)).outcome?.errors).toEqual({});
  });

  test("fault 18: __proto__ keys, escape sequences and endless strings have no effect", async () => {
    const session = await startSession(front, ["bareMetal", "vm", "volume", "marketplace"]);
    const { outcome } = await session.up(fault("hostile", 0, 500));
    expect(outcome?.errors).toEqual({});
    expect(Reflect.get({}, "polluted")).toBeUndefined();
    for (const { outputs } of session.stack.state.values()) {
      expect(Object.getPrototypeOf(outputs)).toBe(Object.prototype);
      expect(JSON.stringify(outputs)).not.toMatch(/polluted|owned|\\u001b/);
    }
    await session.destroy(fault("hostile", 0, 500));
    expect(liveIds(session)).toEqual([]);
    for (const text of session.output) expect(text).toMatch(/^[^\p{Cc}]{0,4000}$/u);
  });
});

test("fault 14: where the state cannot be asked, a forced replacement without a refresh is refused, and nothing is spent", async () => {
  const rig = createRig();
  const stack = new FakeEngine(rig);
  await stack.up({ a: bare });
  const provider = rig.startProvider();
  Object.defineProperty(provider, "state", { get: () => noWitness, set: () => undefined });
  const { errors } = await stack.up({ a: bare }, { replace: ["a"], provider });
  expect(errors["a"]).toMatch(/refused, nothing was created: bare-metal rental \d+ .* is missing from the state/);
  expect(rig.billing().map(String)).toEqual([stack.get("a").id]);
});

test("fault 16: after a rotation the key in the environment wins over the one of the last up", () => {
  const config = (name: string) => ({ apiKey: "the-old-key", baseUrl: "https://gpu.example" })[name];
  const { apiKey } = readConnection(config, { GPUFLEET_API_KEY: "the-new-key" });
  expect(apiKey).toBe("the-new-key");
});

describe("fault 17", () => {
  const servers: Server[] = [];
  afterEach(() => Promise.all(servers.splice(0).map((server) => closeAll(server))));

  function closeAll(server: Server): Promise<void> {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(() => resolve()));
  }

  async function serve(listener: RequestListener) {
    const server = createServer(listener);
    servers.push(server);
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const address = server.address();
    if (address === null || typeof address === "string") throw new Error("it listens on no port");
    return createClient({
      baseUrl: `http://127.0.0.1:${address.port}`,
      apiKey: key,
      limits: { headers: 10_000, total: 3000, attempts: 1, bytes: 1024 * 1024 },
    });
  }

  test("an answer that drips for ever ends at the limit", async () => {
    const client = await serve((_, response) => {
      const drip = setInterval(() => response.write(" "), 20);
      response.on("close", () => clearInterval(drip));
    });
    await expect(client.listBareMetalRentals()).rejects.toThrow(/no complete answer within 3 s/);
    await client.close();
  });

  test("an answer without end is read up to the cap and no further", async () => {
    const block = Buffer.alloc(256 * 1024, " ");
    const client = await serve((_, response) => {
      const pour = () => {
        while (response.write(block));
      };
      response.on("drain", pour);
      pour();
    });
    await expect(client.listBareMetalRentals()).rejects.toThrow(/longer than 1048576 bytes/);
    await client.close();
  });

  test("a clock that is set back or forward moves no deadline", () => {
    const now = jest.spyOn(Date, "now").mockReturnValue(0);
    const before = systemClock.now();
    now.mockReturnValue(8.64e15);
    expect(systemClock.now() - before).toBeLessThan(1000);
    now.mockRestore();
  });
});

test("fault 19: two stacks with the same names, brought up at once, leave each other alone", async () => {
  const rig = createRig();
  const [one, other] = [new FakeEngine(rig, { stack: "one" }), new FakeEngine(rig, { stack: "other" })];
  const program = { a: bare, ab: bare };
  const results = await Promise.all([one.up(program), other.up(program)]);
  expect(results.map(({ errors }: Outcome) => errors)).toEqual([{}, {}]);
  expect(rig.billing()).toHaveLength(4);
  await one.destroy();
  expect(rig.billing().map(String).sort()).toEqual([other.get("a").id, other.get("ab").id].sort());
});

test("fault 19: a stack of the same project and name in another backend is not touched; a namespace tells them apart", async () => {
  const rig = createRig();
  const [here, there] = [new FakeEngine(rig), new FakeEngine(rig)];
  await here.up({ a: bare });
  const { errors } = await there.up({ a: bare });
  expect(errors["a"]).toMatch(/refused, nothing was created.*set gpufleet:namespace/);
  await there.destroy();
  expect(rig.billing().map(String)).toEqual([here.get("a").id]);
  const provider = rig.startProvider({ namespace: "there" });
  expect((await there.up({ a: bare }, { provider })).errors).toEqual({});
  expect(rig.billing()).toHaveLength(2);
});

test("fault 20: where nothing can end a rental it stays in the state, and the error says what to configure", async () => {
  const rig = createRig({ emulator: { dialect: "none" } });
  const stack = new FakeEngine(rig);
  const vm = { type: "VmRental", inputs: { gpuCount: 1 } };
  expect((await stack.up({ a: bare, ab: vm })).errors).toEqual({});
  const { errors } = await stack.destroy();
  expect(errors["a"]).toMatch(/gpufleet:operations/);
  expect([...stack.state.keys()].sort()).toEqual(["a", "ab"]);
  const { provider } = await stack.refresh();
  expect(provider.shown.filter(({ kind }) => kind === "warning").map(({ text }) => text)).toEqual([
    expect.stringMatching(/could not be verified: the service has no list of virtual-machine rentals/),
  ]);
  expect([...stack.state.keys()].sort()).toEqual(["a", "ab"]);
});

test("fault 21: recover is refused while an update is under way, or while another provider's create is pending", async () => {
  const lock = { owner: "me@here", pid: 4711, since: "2026-09-12T12:00:00Z" };
  expect(judgeLocks([lock], { host: "here", isRunning: () => true })).toMatchObject({ kind: "busy" });
  expect(judgeLocks([lock], { host: "elsewhere", isRunning: () => false })).toMatchObject({ kind: "busy" });
  const state = exportState(new FakeEngine(createRig()));
  const urn = "urn:pulumi:test::rig::aws:s3/bucket:Bucket::logs";
  const foreign = { type: "creating", resource: { urn, type: "aws:s3/bucket:Bucket" } };
  state.deployment.pending_operations = [foreign];
  const pending = sortPending(state, ({ inputs = {} }) => inputs);
  expect(() => refuseForeign(pending)).toThrow(/refused, and nothing was changed: the creation of urn.*Bucket::logs/);
});

test("fault 22: a forced replacement of an adopted machine leaves it alive; a second adoption of it is refused", async () => {
  const rig = createRig();
  const { id } = await rig.run(rig.client.createBareMetalRental({ networkType: "infiniband", gpuCount: 8 }));
  rig.clock.advance(600);
  const stack = new FakeEngine(rig);
  const adopting = { ...bare, inputs: { ...bare.inputs, adoptId: id } };
  await stack.up({ a: adopting });
  await stack.up({ a: adopting }, { replace: ["a"], refresh: true });
  expect(rig.billing()).toEqual([id]);
  const { errors } = await stack.up({ a: adopting, ab: adopting }, { refresh: true });
  expect(errors["ab"]).toMatch(/already managed by .*two resources cannot have the same adoptId/);
  expect(rig.billing()).toEqual([id]);
});

import { noWitness, type StateWitness, witnessFor } from "../../../provider/lifecycle";
import { elsewheres, openElsewhere } from "../../faults/simulation/elsewhere";
import { FakeEngine, type Program } from "../fakeEngine";
import { baseUrl, createRig, paths, type Rig, type Surroundings } from "../rig";
import { changingList, live } from "../wire";

const fields = { networkType: "infiniband", gpuCount: 8 };
const train = { type: "BareMetalRental", inputs: fields };
const bigger = { type: "BareMetalRental", inputs: { ...fields, gpuCount: 16 } };
const box = { type: "VmRental", inputs: { gpuCount: 1 } };
const bargain = { type: "MarketplaceInstance", inputs: { gpuCount: 1, select: {} } };

async function running(program: Program) {
  const rig = createRig();
  const stack = new FakeEngine(rig);
  expect((await stack.up(program)).errors).toEqual({});
  rig.clock.advance(3600);
  return { rig, stack };
}

/** A provider process that comes to another place, and what it has done there. */
async function startAt(rig: Rig, name: keyof typeof elsewheres, service: Surroundings["service"] = {}) {
  const { damage, transport } = await openElsewhere(rig, elsewheres[name]);
  const surroundings = { service: { ...elsewheres[name].service, ...service }, wire: () => transport };
  return { damage, provider: rig.startProvider({}, surroundings) };
}

const otherKey =
  "refused, nothing was created: the API key is not the one with which the resources of this stack were last seen, and no list " +
  "shows that it is of the same account. Use the former key; or, if both are keys of one account, run this once with " +
  "GPUFLEET_SAME_ACCOUNT=1. If all that the state has is gone, run `pulumi up --refresh` with GPUFLEET_CONFIRM_GONE=1.";

describe("With the key of another account, and without a refresh,", () => {
  const accounts = [
    "another account where nothing is",
    "another account with the same ids",
    "another account that does not say whose",
    "another account whose lists lag",
  ] as const;

  test.each(accounts)("what is new is not rented there (%s)", async (account) => {
    const { rig, stack } = await running({ train });
    for (const added of [train, box, bargain]) {
      const { provider, damage } = await startAt(rig, account);
      const { errors } = await stack.up({ train, added }, { provider });
      expect(errors["added"]).toBe(`creating ${added.type} "added": ${otherKey}`);
      expect(damage()).toEqual([]);
    }
    expect(live(rig)).toEqual([1001]);
  });

  test.each(accounts)("what is replaced is not rented there (%s)", async (account) => {
    const { rig, stack } = await running({ train });
    const { provider, damage } = await startAt(rig, account);
    expect((await stack.up({ train: bigger }, { provider })).errors["train"]).toContain(otherKey);
    expect(damage()).toEqual([]);
    expect(live(rig)).toEqual([1001]);
  });

  test("nothing is adopted there", async () => {
    const { rig, stack } = await running({ train });
    const { provider, damage } = await startAt(rig, "another account with the same ids");
    const adopted = { type: "BareMetalRental", inputs: { ...fields, adoptId: "1002" } };
    expect((await stack.up({ train, adopted }, { provider })).errors["adopted"]).toContain(otherKey);
    expect(damage()).toEqual([]);
  });

  test("a stack that has nothing yet, or only what has expired, is rented there", async () => {
    const rig = createRig();
    const expiring = { type: "BareMetalRental", inputs: { ...fields, expiresAt: "1h" } };
    const stack = new FakeEngine(rig);
    await stack.up({ expiring });
    rig.clock.advance(2 * 3600);
    await stack.refresh(rig.startProvider({ endExpired: true }));
    expect(stack.get("expiring").outputs["status"]).toBe("Expired");
    const { provider, damage } = await startAt(rig, "another account where nothing is");
    expect((await stack.up({ expiring, train }, { provider })).errors).toEqual({});
    expect(damage()).toHaveLength(1);
  });

  test("a person's word that it is the same account is enough", async () => {
    const { rig, stack } = await running({ train });
    const { provider } = await startAt(rig, "another account where nothing is", { isSameAccount: true });
    expect((await stack.up({ train, added: box }, { provider })).steps).toContain("create added");
  });

  test("so is one that all of the state is gone, in a run that drops it", async () => {
    const { rig, stack } = await running({ train });
    const { service } = elsewheres["another account where nothing is"];
    const { transport } = await openElsewhere(rig, elsewheres["another account where nothing is"]);
    const provider = rig.startProvider({ confirmGone: true }, { service, wire: () => transport });
    const { steps, errors } = await stack.up({ train }, { refresh: true, provider });
    expect({ steps, errors }).toEqual({ steps: ["gone train", "create train"], errors: {} });
  });

  test("what the provider of another account in this stack holds is no hindrance", async () => {
    const { rig, stack } = await running({ train });
    const { provider, damage } = await startAt(rig, "another account where nothing is");
    const urn = (name: string) => `urn:pulumi:test::rig::pulumi:providers:gpufleet::${name}`;
    const entries = stack.entries().map((entry) => ({ ...entry, provider: urn("first") }));
    const state = { ...noWitness, entries: async () => entries };
    const witness = witnessFor({ urn: urn("second") }, () => provider.service, state);
    Object.defineProperty(provider, "state", { set: () => undefined, get: () => witness });
    expect((await stack.up({ added: train }, { provider, keep: true })).errors).toEqual({});
    expect(damage()).toHaveLength(1);
  });

  test("what another provider of the same account holds is not adopted: its process would end it", async () => {
    const { rig, stack } = await running({ train });
    const provider = rig.startProvider();
    const urn = (name: string) => `urn:pulumi:test::rig::pulumi:providers:gpufleet::${name}`;
    const entries = stack.entries().map((entry) => ({ ...entry, provider: urn("first") }));
    const state = { ...noWitness, entries: async () => entries };
    const witness = witnessFor({ urn: urn("second") }, () => provider.service, state);
    Object.defineProperty(provider, "state", { set: () => undefined, get: () => witness });
    const renamed = { ...train, inputs: { ...train.inputs, adoptId: "1001" } };
    const { errors } = await stack.up({ renamed }, { provider, keep: true });
    expect(errors["renamed"]).toMatch(
      /already managed, by urn:.*::train with another provider\. `pulumi state delete`/,
    );
  });

  test.each([
    [false, [1001]],
    [true, []],
  ])(
    "what another provider has taken over meanwhile is not ended, unless it is deleting that, too (%s)",
    async (isBeingDeleted, left) => {
      const { rig, stack } = await running({ train });
      const provider = rig.startProvider();
      const urn = (name: string) => `urn:pulumi:test::rig::pulumi:providers:gpufleet::${name}`;
      const own = stack.entries().map((entry) => ({ ...entry, provider: urn("first") }));
      const taken = own.map((entry) => ({ ...entry, urn: `${entry.urn}2`, provider: urn("second"), isBeingDeleted }));
      const state: StateWitness = {
        ...noWitness,
        entries: async (_, { now = false } = {}) => (now ? [...own, ...taken] : own),
      };
      const witness = witnessFor({ urn: urn("first") }, () => provider.service, state);
      Object.defineProperty(provider, "state", { set: () => undefined, get: () => witness });
      expect((await stack.up({}, { provider })).errors).toEqual({});
      expect(live(rig)).toEqual(left);
    },
  );

  test("what another provider had seconds ago, and no longer has, is ended by the last one", async () => {
    const { rig, stack } = await running({ train });
    const provider = rig.startProvider();
    const urn = (name: string) => `urn:pulumi:test::rig::pulumi:providers:gpufleet::${name}`;
    const own = stack.entries().map((entry) => ({ ...entry, provider: urn("first") }));
    const theirs = own.map((entry) => ({ ...entry, urn: `${entry.urn}2`, provider: urn("second") }));
    const looks = [theirs];
    const state: StateWitness = {
      ...noWitness,
      entries: async (_, { now = false } = {}) => (now ? [...own, ...(looks.pop() ?? [])] : own),
    };
    const witness = witnessFor({ urn: urn("first") }, () => provider.service, state);
    Object.defineProperty(provider, "state", { set: () => undefined, get: () => witness });
    expect((await stack.up({}, { provider })).errors).toEqual({});
    expect(live(rig)).toEqual([]);
  });

  test("where the state cannot be exported, what has an automatic label is rented as before", async () => {
    const { rig, stack } = await running({ train });
    const { provider } = await startAt(rig, "another account where nothing is");
    expect((await stack.up({ train, added: train }, { provider, unreadable: true })).errors).toEqual({});
  });
});

describe("With another key of the same account, and without a refresh,", () => {
  const rotated = (rig: Rig, wire: Surroundings["wire"] = (transport) => transport) =>
    rig.startProvider({}, { service: { key: "rotated" }, wire });

  test("what is new or replaced is rented: what the state has is listed as ours", async () => {
    const { rig, stack } = await running({ train, box, bargain });
    const program = { train: bigger, box, bargain, added: train, second: bargain };
    expect((await stack.up(program, { provider: rotated(rig) })).errors).toEqual({});
    expect(rig.count("POST", paths.bareMetal)).toBe(3);
  });

  test("it is rented also where records do not say whose they are", async () => {
    const { rig, stack } = await running({ train });
    const silent = changingList(paths.bareMetal, (items) => items.map(({ userId: _, orgId: __, ...item }) => item));
    expect((await stack.up({ train, box }, { provider: rotated(rig, silent) })).errors).toEqual({});
  });

  test.each([[], ["nodeName"]])(
    "it is rented beside marketplace instances, which show when they were created (%j is a secret)",
    async (...secrets) => {
      const { rig, stack } = await running({ bargain });
      stack.secrets = secrets;
      expect((await stack.up({ bargain, second: bargain }, { provider: rotated(rig) })).errors).toEqual({});
    },
  );
});

describe("At another address", () => {
  test("what is new is not rented, though nothing that exists was looked at before", async () => {
    const { rig, stack } = await running({ train });
    const { provider, damage } = await startAt(rig, "another address where nothing is");
    const dependent = { type: "BareMetalRental", inputs: () => fields };
    const { errors } = await stack.up({ added: train, train: dependent }, { provider });
    expect(errors["added"]).toMatch(
      /^creating BareMetalRental "added": refused, nothing was created: another resource of this stack is not at this address: it is at /,
    );
    expect(damage()).toEqual([]);
  });

  test("to which the service has moved, it is rented", async () => {
    const { rig, stack } = await running({ train });
    const moved = `${baseUrl}.test`;
    const service = { addresses: { v2: moved, v1: moved }, movedFrom: [baseUrl] };
    const { errors } = await stack.up({ added: train, train }, { provider: rig.startProvider({}, { service }) });
    expect(errors).toEqual({});
  });
});

import { oneWay } from "../../../provider/lifecycle";
import { FakeEngine, type Outcome, type Program } from "../fakeEngine";
import { baseUrl, createRig, key, paths, type Rig, type Surroundings } from "../rig";
import { changingList, type Item, live } from "../wire";

const fields = { networkType: "infiniband", gpuCount: 8 };
const train = { type: "BareMetalRental", inputs: fields };
const box = { type: "VmRental", inputs: { gpuCount: 1 } };
const data = { type: "StorageVolume", inputs: { region: "us-central-1", sizeInGb: 256 } };
const bargain = { type: "MarketplaceInstance", inputs: { gpuCount: 1, select: {} } };
const link = {
  type: "VolumeAttachment",
  inputs: (ids: Readonly<Record<string, string>>) => ({
    storageVolumeId: Number(ids["data"]),
    rentalIds: [Number(ids["train"])],
  }),
};
const everything: Program = { train, box, data, bargain, link };
const expiring: Program = {
  ...everything,
  train: { ...train, inputs: { ...fields, expiresAt: "8h" } },
};

const other = "https://other.example";
const elsewhere: Surroundings = { service: { addresses: { v2: other, v1: other } } };
const refused = (from: string, to: string) =>
  `it is at ${from}, but the configuration says ${to}, so nothing was read, changed or ended. Set GPUFLEET_BASE_URL or ` +
  `gpufleet:baseUrl back to ${from}; or, if the service itself has moved, set GPUFLEET_MOVED_FROM or gpufleet:movedFrom to ${from}.`;

async function running(program: Program) {
  const rig = createRig();
  const stack = new FakeEngine(rig);
  expect((await stack.up(program)).errors).toEqual({});
  rig.clock.advance(3600);
  const before = structuredClone([...stack.state]);
  const asked = rig.emulator.requests().total;
  return { rig, stack, before, asked };
}

describe("Where a machine is", () => {
  test("is kept in the state, with one-way values of its account and of the key, and nothing else of them", async () => {
    const { stack } = await running(everything);
    for (const { name, outputs } of stack.state.values()) {
      expect(outputs["__where"]).toEqual({
        address: baseUrl,
        key: "rig",
        ...(name === "bargain" ? {} : { account: expect.stringMatching(/^[\w-]{12}$/) }),
      });
    }
    expect(JSON.stringify([...stack.state])).not.toContain(key);
    expect(oneWay("key", "secret")).not.toBe(oneWay("account", "secret"));
  });
});

describe("Another address", () => {
  test("of the v1 interface alone is named by its own setting", async () => {
    const { rig, stack } = await running(everything);
    const service = { addresses: { v2: baseUrl, v1: other } };
    const { errors } = await stack.refresh(rig.startProvider({}, { service }));
    expect(Object.keys(errors)).toEqual(["bargain"]);
    expect(errors["bargain"]).toContain(`Set GPUFLEET_V1_BASE_URL or gpufleet:v1BaseUrl back to ${baseUrl};`);
  });

  const commands: [string, (stack: FakeEngine, provider: ReturnType<Rig["startProvider"]>) => Promise<Outcome>][] = [
    ["refresh", (stack, provider) => stack.refresh(provider)],
    ["up", (stack, provider) => stack.up(everything, { provider })],
    ["up with refresh", (stack, provider) => stack.up(everything, { provider, refresh: true })],
    ["up with a change in place", (stack, provider) => stack.up(expiring, { provider })],
    ["destroy", (stack, provider) => stack.destroy({ provider })],
  ];

  test.each(commands)("is refused by %s, which names both and asks nothing", async (_, run) => {
    const { rig, stack, before, asked } = await running(everything);
    const { errors } = await run(stack, rig.startProvider({}, elsewhere));
    expect(Object.keys(errors).length).toBeGreaterThan(0);
    for (const error of Object.values(errors)) expect(error).toContain(refused(baseUrl, other));
    expect([...stack.state]).toEqual(before);
    expect(rig.emulator.requests().total).toBe(asked);
  });

  test("rents nothing there for a new resource of the program", async () => {
    const { rig, stack } = await running({ train });
    const program = { train, second: train, third: box };
    const { errors } = await stack.up(program, { provider: rig.startProvider({}, elsewhere) });
    expect(Object.keys(errors).sort()).toEqual(["second", "third", "train"]);
    expect(errors["second"]).toBe(
      `creating BareMetalRental "second": refused, nothing was created: another resource of this stack is not at this address: ${refused(baseUrl, other)}`,
    );
    expect(live(rig)).toEqual([1001]);
  });

  test("is that of each interface: v1 alone concerns the marketplace alone", async () => {
    const { rig, stack } = await running({ train, bargain });
    const half = { service: { addresses: { v2: baseUrl, v1: other } } };
    const { errors } = await stack.refresh(rig.startProvider({}, half));
    expect(Object.keys(errors)).toEqual(["bargain"]);
  });

  test("to which the service has moved is said once, and written down", async () => {
    const { rig, stack } = await running({ train, data });
    const moved = { service: { ...elsewhere.service, movedFrom: [baseUrl] } };
    expect((await stack.up({ train, data }, { refresh: true, provider: rig.startProvider({}, moved) })).errors).toEqual(
      {},
    );
    expect(stack.get("train").outputs["__where"]).toMatchObject({ address: other });
    expect((await stack.up({ train, data }, { provider: rig.startProvider({}, elsewhere) })).errors).toEqual({});
    expect((await stack.refresh()).errors["train"]).toContain(refused(other, baseUrl));
    expect((await stack.destroy({ provider: rig.startProvider({}, elsewhere) })).errors).toEqual({});
    expect(rig.billing()).toEqual([]);
  });

  test("that the service has moved from is not another one to which a machine may be taken for gone", async () => {
    const { rig, stack } = await running({ train });
    const wire = changingList(paths.bareMetal, () => []);
    const moved = { wire, service: { ...elsewhere.service, movedFrom: ["https://third.example"] } };
    expect((await stack.refresh(rig.startProvider({}, moved))).errors["train"]).toContain(refused(baseUrl, other));
  });
});

/** Another account: its lists hold these instead, whose ids may be the same. */
function account(path: string, change: (item: Item) => Item, service: Surroundings["service"] = { key: "other" }) {
  return { wire: changingList(path, (items) => items.map(change)), service };
}

/** The same, where the first lists hold nothing. */
function lateAccount(path: string, theirs: Item, leftOut: number) {
  let lists = 0;
  const change = (items: Item[]) => {
    lists += 1;
    return lists > leftOut ? items.map((item) => ({ ...item, ...theirs })) : [];
  };
  return { wire: changingList(path, change), service: { key: "other" } };
}

describe("The key of another account", () => {
  const kinds = [
    ["bare-metal rental", train, paths.bareMetal, { userId: "somebody", orgId: null }],
    ["virtual machine", box, paths.vm, { userId: "somebody", orgId: null }],
    ["storage volume", data, paths.volumes, { userId: "somebody", orgId: null }],
    ["bare-metal rental with another label", train, paths.bareMetal, { label: "theirs" }],
    ["virtual machine with another label", box, paths.vm, { label: "theirs" }],
    ["storage volume with another label", data, paths.volumes, { label: "theirs" }],
    [
      "marketplace instance on another node",
      bargain,
      paths.instances,
      { instance: { status: "running", node_name: "elsewhere" } },
    ],
  ] as const;

  test.each(kinds)("never has a machine of the same id (%s) read, changed or ended", async (_, it, path, theirs) => {
    const { rig, stack, before } = await running({ it });
    const provider = () =>
      rig.startProvider(
        {},
        account(path, (item) => ({ ...item, ...theirs })),
      );
    const changed = { ...it, inputs: { ...it.inputs, timeouts: { delete: "1h" } } };
    for (const outcome of [
      await stack.refresh(provider()),
      await stack.up({ it }, { refresh: true, provider: provider() }),
      await stack.up({ it: changed }, { provider: provider() }),
      await stack.destroy({ provider: provider() }),
    ]) {
      expect(outcome.errors["it"]).toMatch(/somebody else's/);
      expect(outcome.steps).toEqual([]);
    }
    expect([...stack.state].map(([name, { id }]) => [name, id])).toEqual(before.map(([name, { id }]) => [name, id]));
    expect(live(rig)).toHaveLength(1);
  });

  test.each(kinds)("never has a machine of the same id (%s) ended that its first lists leave out", async (...kind) => {
    const [, it, path, theirs] = kind;
    const { rig, stack } = await running({ it });
    for (const leftOut of [1, 2, 4]) {
      const { errors } = await stack.destroy({ provider: rig.startProvider({}, lateAccount(path, theirs, leftOut)) });
      expect(errors["it"]).toMatch(/somebody else's/);
    }
    expect(live(rig)).toHaveLength(1);
    expect((await stack.destroy()).errors).toEqual({});
    expect(live(rig)).toEqual([]);
  });

  test("with a volume of the same id that its first list leaves out has nothing attached or detached", async () => {
    const { rig, stack } = await running({ train, data, link });
    const attached = async () => (await rig.run(rig.client.listStorageVolumes()))[0]?.attachedRentals;
    const theirs = lateAccount(paths.volumes, { userId: "somebody", orgId: null }, 1);
    const { errors } = await stack.up({ train, data }, { provider: rig.startProvider({}, theirs) });
    expect(errors["link"]).toMatch(/somebody else's/);
    expect(await attached()).toEqual([Number(stack.get("train").id)]);
  });

  test("is not used where there is no list that would show whose it is, until a person says that it is gone", async () => {
    const rig = createRig({ emulator: { dialect: "none" } });
    const stack = new FakeEngine(rig);
    expect((await stack.up({ box })).errors).toEqual({});
    const surroundings = { service: { key: "other" } };
    const { errors } = await stack.destroy({ provider: rig.startProvider({}, surroundings) });
    expect(errors["box"]).toMatch(
      /^deleting VmRental "box": the API key is not the one with which virtual-machine rental/,
    );
    expect(live(rig)).toHaveLength(1);
    const confirmed = rig.startProvider({ confirmGone: true }, surroundings);
    expect((await stack.destroy({ provider: confirmed })).errors).toEqual({});
    expect(live(rig)).toHaveLength(1);
  });

  test("with a volume of the same id has nothing attached to it or detached from it", async () => {
    const rig = createRig();
    const stack = new FakeEngine(rig);
    const both = {
      ...link,
      inputs: (ids: Readonly<Record<string, string>>) => ({
        storageVolumeId: Number(ids["data"]),
        rentalIds: [Number(ids["train"]), Number(ids["second"])],
      }),
    };
    const machines = { train, second: train, data };
    await stack.up({ ...machines, link });
    const attached = async () => (await rig.run(rig.client.listStorageVolumes()))[0]?.attachedRentals;
    const theirs = account(paths.volumes, (item) => ({ ...item, userId: "somebody", orgId: null }));
    const provider = () => rig.startProvider({}, theirs);
    expect((await stack.up({ ...machines, link: both }, { provider: provider() })).errors["link"]).toBe(
      'updating VolumeAttachment "link": the API key belongs to another account: storage volume 1 is there, too, but it is ' +
        "somebody else's. Use the key of the account that rented it. Nothing was changed.",
    );
    expect((await stack.up(machines, { provider: provider() })).errors["link"]).toMatch(/somebody else's/);
    expect(await attached()).toEqual([Number(stack.get("train").id)]);
  });

  test("is told in full, by the account or by the label", async () => {
    const { rig, stack } = await running({ train });
    const label = stack.get("train").outputs["label"];
    const another = await stack.destroy({
      provider: rig.startProvider(
        {},
        account(paths.bareMetal, (item) => ({ ...item, userId: "somebody", orgId: null })),
      ),
    });
    expect(another.errors["train"]).toBe(
      'deleting BareMetalRental "train": the API key belongs to another account: bare-metal rental 1001 is there, too, but ' +
        "it is somebody else's. Use the key of the account that rented it. Nothing was changed.",
    );
    const labelled = await stack.refresh(
      rig.startProvider(
        {},
        account(paths.bareMetal, (item) => ({ ...item, label: "theirs" })),
      ),
    );
    expect(labelled.errors["train"]).toBe(
      `reading BareMetalRental "train": bare-metal rental 1001 is labelled "theirs" there, and this resource's is "${label}": ` +
        "it is somebody else's. Check that address and API key are those with which it was created. Nothing was changed.",
    );
  });

  test.each([
    ["none of its own", () => []],
    [
      "others",
      (items: Item[]) => items.map((item) => ({ ...item, id: Number(item["id"]) + 7000, userId: "x", orgId: null })),
    ],
  ])("with %s in its lists makes nothing gone, and rents nothing", async (_, lists) => {
    const { rig, stack } = await running({ train });
    const provider = () =>
      rig.startProvider({}, { wire: changingList(paths.bareMetal, lists), service: { key: "other" } });
    const message =
      `bare-metal rental 1001 is not listed at ${baseUrl}, but the API key is not the one with which it was last seen or ` +
      "requested: it may be the key of another account, so it does not count as gone. Use a key of the account that rented " +
      "it; or, if it is gone, run this again with GPUFLEET_CONFIRM_GONE=1.";
    expect((await stack.up({ train }, { refresh: true, provider: provider() })).errors["train"]).toBe(
      `reading BareMetalRental "train": ${message}`,
    );
    expect((await stack.destroy({ provider: provider() })).errors["train"]).toBe(
      `deleting BareMetalRental "train": ${message}`,
    );
    expect(stack.get("train").id).toBe("1001");
    expect(live(rig)).toEqual([1001]);
  });

  test("with none in its lists empties no state, whatever is in it", async () => {
    const { rig, stack } = await running({ a: train, b: train, data });
    const empty = (path: string) => changingList(path, () => []);
    const wire: Surroundings["wire"] = (transport) => empty(paths.volumes)(empty(paths.bareMetal)(transport));
    const { errors } = await stack.refresh(rig.startProvider({}, { wire, service: { key: "other" } }));
    expect(Object.keys(errors).sort()).toEqual(["a", "b", "data"]);
    expect(stack.state.size).toBe(3);
  });
});

describe("A rotated key of the same account", () => {
  const rotated = (rig: Rig, wire?: Surroundings["wire"]) =>
    rig.startProvider({}, { service: { key: "rotated" }, ...(wire && { wire }) });

  test("works without a word while the machines are listed, and is written down", async () => {
    const { rig, stack } = await running(everything);
    const { steps, errors, provider } = await stack.up(everything, { refresh: true, provider: rotated(rig) });
    expect({ steps: steps.sort(), errors }).toEqual({
      steps: ["same bargain", "same box", "same data", "same link", "same train"],
      errors: {},
    });
    expect(provider.shown.filter(({ kind }) => kind !== "status")).toEqual([]);
    expect(stack.get("train").outputs["__where"]).toMatchObject({ key: "rotated" });
    expect((await stack.destroy({ provider: rotated(rig) })).errors).toEqual({});
    expect(rig.billing()).toEqual([]);
  });

  test("ends a machine without a refresh before", async () => {
    const { rig, stack } = await running(everything);
    expect((await stack.destroy({ provider: rotated(rig) })).errors).toEqual({});
    expect(rig.billing()).toEqual([]);
  });

  test("is known by the account of others that are listed: what is gone is gone", async () => {
    const { rig, stack } = await running({ a: train, b: train });
    await rig.run(rig.client.terminateRental({ rentalType: "bare-metal", rentalId: 1001 }));
    rig.clock.advance(60);
    expect((await stack.refresh(rotated(rig))).steps).toEqual(["gone a"]);
  });

  test("is not known where nothing is listed: a person's word is needed", async () => {
    const { rig, stack } = await running({ train });
    await rig.run(rig.client.terminateRental({ rentalType: "bare-metal", rentalId: 1001 }));
    rig.clock.advance(60);
    expect((await stack.refresh(rotated(rig))).errors).toHaveProperty("train");
    const confirmed = rig.startProvider({ confirmGone: true }, { service: { key: "rotated" } });
    expect((await stack.refresh(confirmed)).steps).toEqual(["gone train"]);
  });
});

test("A label that the service writes otherwise than it was asked for is not somebody else's", async () => {
  const rig = createRig();
  const stack = new FakeEngine(rig);
  const wire = changingList(paths.bareMetal, (items) =>
    items.map((item) => ({ ...item, label: String(item["label"]).toUpperCase() })),
  );
  const provider = () => rig.startProvider({}, { wire });
  for (const waitForReady of [true, false]) {
    const it = { ...train, inputs: { ...fields, waitForReady } };
    expect((await stack.up({ it }, { provider: provider() })).errors).toEqual({});
    expect((await stack.up({ it }, { refresh: true, provider: provider() })).errors).toEqual({});
    expect((await stack.destroy({ provider: provider() })).errors).toEqual({});
    expect(rig.billing()).toEqual([]);
  }
});

test("A machine without a label under our id is not ours to a key that may be anybody's", async () => {
  const { rig, stack } = await running({ train });
  const wire = changingList(paths.bareMetal, (items) => items.map(({ userId: _, label: __, ...item }) => item));
  const provider = rig.startProvider({}, { wire, service: { key: "another" } });
  const { errors } = await stack.destroy({ provider });
  expect(errors["train"]).toBe(
    'deleting BareMetalRental "train": bare-metal rental 1001 is there, too, but label differs, and the API key is not the one with which it was last seen: it is somebody else\'s. Use the key of the account that rented it. Nothing was changed.',
  );
  expect(rig.count("POST", `${paths.bareMetal}/terminate`)).toBe(0);
});

describe("A record that says of our id that it has ended", () => {
  const others: [string, Item, object][] = [
    ["of another account", { userId: "somebody-else" }, { key: "another" }],
    ["with somebody else's label", { label: "theirs" }, {}],
    ["without a label, seen with another key", { userId: undefined, label: undefined }, { key: "another" }],
  ];

  test.each(others)("%s says nothing of our machine", async (_, change, service) => {
    const { rig, stack } = await running({ train });
    const wire = changingList(paths.bareMetal, (items) =>
      items.map((item) => ({ ...item, status: "Terminated", terminatedAt: "2026-01-01T00:00:00Z", ...change })),
    );
    for (const command of ["refresh", "destroy"] as const) {
      const provider = rig.startProvider({}, { wire, service });
      const { errors } = command === "refresh" ? await stack.refresh(provider) : await stack.destroy({ provider });
      expect(errors["train"]).toMatch(/it is somebody else's/);
      expect(stack.get("train").id).toBe("1001");
    }
    expect(rig.count("POST", `${paths.bareMetal}/terminate`)).toBe(0);
    expect(live(rig)).toEqual([1001]);
  });

  test("is believed where it is ours", async () => {
    const { rig, stack } = await running({ train });
    const wire = changingList(paths.bareMetal, (items) => items.map((item) => ({ ...item, status: "Terminated" })));
    expect((await stack.refresh(rig.startProvider({}, { wire }))).steps).toEqual(["gone train"]);
  });
});

describe("The account of a record", () => {
  const user = { userId: "me" };
  const [org, otherOrg] = [{ orgId: "team" }, { orgId: "rivals" }];
  const none = { userId: undefined, orgId: null };
  const chosen = { ...train, inputs: { ...fields, label: "my-training" } };

  interface Circumstances {
    it?: typeof train;
    service?: Surroundings["service"];
    /** A field that an older version did not write. */
    forget?: string;
  }

  /** A stack that was made while the records said this, then looked at while they say that. */
  async function seenAs(first: Item, then: Item, { it = chosen, service = {}, forget = "" }: Circumstances) {
    const rig = createRig();
    const stack = new FakeEngine(rig);
    const saying = (item: Item, more: Surroundings["service"] = {}) =>
      rig.startProvider(
        {},
        account(paths.bareMetal, (record) => ({ ...record, ...none, ...item }), more),
      );
    expect((await stack.up({ it }, { provider: saying(first) })).errors).toEqual({});
    const { [forget]: _, ...where } = Object(stack.get("it").outputs["__where"]);
    stack.get("it").outputs["__where"] = where;
    const { errors } = await stack.refresh(saying(then, service));
    return { error: errors["it"], stack, destroy: () => stack.destroy({ provider: saying(then, service) }) };
  }

  test.each<[string, Item, Item]>([
    ["the user has joined an organization", user, { ...user, ...org }],
    ["the user has left the organization", { ...user, ...org }, user],
    ["the user has another organization", { ...user, ...org }, { ...user, ...otherOrg }],
    ["another user of the organization asks", { ...user, ...org }, { userId: "colleague", ...org }],
    ["the record has come to say nothing", { ...user, ...org }, {}],
  ])("is the same where %s", async (_, first, then) => {
    const { error, destroy } = await seenAs(first, then, {});
    expect(error).toBeUndefined();
    expect((await destroy()).errors).toEqual({});
  });

  test.each<[string, Item, Item]>([
    ["organization and user", { ...user, ...org }, { userId: "somebody", ...otherOrg }],
    ["user, without an organization", user, { userId: "somebody" }],
    ["user, who is in an organization", user, { userId: "somebody", ...otherOrg }],
  ])("is another one with another %s", async (_, first, then) => {
    const { error, destroy } = await seenAs(first, then, {});
    expect(error).toMatch(/the API key belongs to another account: .* somebody else's/);
    expect((await destroy()).errors["it"]).toMatch(/somebody else's/);
  });

  test("is the same to a rotated key where the user or the organization is the same", async () => {
    const service = { key: "rotated" };
    expect((await seenAs(user, { ...user, ...org }, { service })).error).toBeUndefined();
    expect((await seenAs({ ...user, ...org }, { userId: "colleague", ...org }, { service })).error).toBeUndefined();
  });

  test("is kept as organization and user, and the one value of an older version is still read", async () => {
    const { stack } = await seenAs({ ...user, ...org }, { ...user, ...org }, {});
    const oneWayValue = expect.stringMatching(/^[\w-]{12}$/);
    expect(stack.get("it").outputs["__where"]).toMatchObject({ account: oneWayValue, user: oneWayValue });
    const older = { forget: "user" };
    expect((await seenAs({ ...user, ...org }, { userId: "colleague", ...org }, older)).error).toBeUndefined();
    expect((await seenAs(user, { ...user, ...org }, older)).error).toBeUndefined();
    expect((await seenAs({ ...user, ...org }, { ...user, ...otherOrg }, older)).error).toMatch(/somebody else's/);
  });

  test("says less than the very label that was chosen for the machine, unless the key is another one", async () => {
    const [first, then] = [
      { ...user, ...org },
      { userId: "somebody", ...otherOrg },
    ];
    expect((await seenAs(first, then, { it: train })).error).toBeUndefined();
    expect((await seenAs(first, then, { it: train, service: { key: "other" } })).error).toMatch(/somebody else's/);
  });

  test("that only the lists show as an organization locks no member of a fleet out", async () => {
    const rig = createRig();
    const stack = new FakeEngine(rig);
    const it = { ...train, inputs: { ...fields, waitForReady: false } };
    const provider = () =>
      rig.startProvider(
        {},
        account(paths.bareMetal, (item) => ({ ...item, ...org }), {}),
      );
    expect((await stack.up({ it }, { provider: provider() })).errors).toEqual({});
    expect((await stack.up({ it }, { refresh: true, provider: provider() })).errors).toEqual({});
    expect((await stack.destroy({ provider: provider() })).errors).toEqual({});
    expect(rig.billing()).toEqual([]);
  });
});

describe("A label that the lists show cut, and the answer to the create in full", () => {
  const named = (label?: string) => ({ ...train, inputs: { ...fields, waitForReady: false, ...(label && { label }) } });
  const cutting = (length: number, service: Surroundings["service"] = {}) =>
    account(paths.bareMetal, (item) => ({ ...item, label: String(item["label"]).slice(0, length) }), service);

  test.each([
    ["an automatic one", named(), 20],
    ["a chosen one", named("training-of-the-large-model"), 16],
  ])("is ours to the same key: %s", async (_, it, length) => {
    const rig = createRig();
    const stack = new FakeEngine(rig);
    const provider = () => rig.startProvider({}, cutting(length));
    expect((await stack.up({ it }, { provider: provider() })).errors).toEqual({});
    const state = structuredClone([...stack.state]);
    expect((await stack.refresh(provider())).errors).toEqual({});
    for (const [name, entry] of state) stack.state.set(name, entry);
    expect((await stack.destroy({ provider: provider() })).errors).toEqual({});
    expect(rig.billing()).toEqual([]);
  });

  test("is not ours where too little of it is left, and the way out is named", async () => {
    const rig = createRig();
    const stack = new FakeEngine(rig);
    const it = named("training-of-the-large-model");
    expect((await stack.up({ it })).errors).toEqual({});
    const { errors } = await stack.destroy({ provider: rig.startProvider({}, cutting(8)) });
    expect(errors["it"]).toBe(
      'deleting BareMetalRental "it": bare-metal rental 1001 is labelled "training" there, and this resource\'s is ' +
        '"training-of-the-large-model": it is somebody else\'s. If it is yours all the same, because the service or somebody ' +
        "has changed its label, take the resource out of the state with `pulumi state delete`, and adopt it with that label " +
        'and adoptId: "1001". Nothing was changed.',
    );
    expect(live(rig)).toEqual([1001]);
  });

  test("is not ours to another key where the records say nothing of the account", async () => {
    const rig = createRig();
    const stack = new FakeEngine(rig);
    expect((await stack.up({ it: named() })).errors).toEqual({});
    const silent = account(
      paths.bareMetal,
      (item) => ({ ...item, userId: undefined, orgId: null, label: String(item["label"]).slice(0, 20) }),
      { key: "other" },
    );
    const { errors } = await stack.destroy({ provider: rig.startProvider({}, silent) });
    expect(errors["it"]).toMatch(/somebody else's. Check that address and API key/);
    expect(live(rig)).toEqual([1001]);
  });
});

describe("With another key, a record in which nothing shows whose it is", () => {
  const noTime = { created: undefined, created_at: undefined, start: undefined, started_at: undefined };
  const chosen = { ...box, inputs: { gpuCount: 1, label: "worker" } };
  const later = { created: "2030-01-01T00:00:00Z" };
  const silent = { userId: undefined, orgId: null };
  const kinds: [string, typeof box, string, Item][] = [
    ["a marketplace instance that says nothing", bargain, paths.instances, noTime],
    ["a marketplace instance of another time", bargain, paths.instances, { ...noTime, ...later }],
    [
      "a virtual machine with the same chosen label",
      chosen,
      paths.vm,
      { ...silent, createdAt: "2030-01-01T00:00:00Z" },
    ],
    ["one of which no time is known either", chosen, paths.vm, { ...silent, createdAt: undefined }],
  ];

  test.each(kinds)("is not read, changed or ended until a person says so: %s", async (_, it, path, theirs) => {
    const { rig, stack } = await running({ it });
    const provider = (service: Surroundings["service"] = { key: "other" }) =>
      rig.startProvider(
        {},
        account(path, (item) => ({ ...item, ...theirs }), service),
      );
    const noun = it.type === "VmRental" ? "virtual-machine rental" : "marketplace instance";
    const { id } = stack.get("it");
    const reason =
      `the API key is not the one with which ${noun} ${id} was last seen, and nothing in its record shows that it is the ` +
      "same one: it may be somebody else's. Use the former key; or, if both are keys of one account, run this once with " +
      "GPUFLEET_SAME_ACCOUNT=1. Nothing was changed.";
    expect((await stack.refresh(provider())).errors["it"]).toBe(`reading ${it.type} "it": ${reason}`);
    expect((await stack.destroy({ provider: provider() })).errors["it"]).toBe(`deleting ${it.type} "it": ${reason}`);
    expect(live(rig)).toHaveLength(1);

    const confirmed = { key: "other", isSameAccount: true };
    expect((await stack.refresh(provider(confirmed))).errors).toEqual({});
    expect(stack.get("it").outputs["__where"]).toMatchObject({ key: "other" });
    expect((await stack.destroy({ provider: provider() })).errors).toEqual({});
    expect(live(rig)).toEqual([]);
  });

  test("is known by the moment of its creation, in whatever form", async () => {
    const { rig, stack } = await running({ it: chosen });
    const change = (item: Item) => ({
      ...item,
      ...silent,
      createdAt: String(item["createdAt"]).replace("T", " ").replace("Z", "+00"),
    });
    const provider = rig.startProvider({}, account(paths.vm, change));
    expect((await stack.destroy({ provider })).errors).toEqual({});
    expect(live(rig)).toEqual([]);
  });
});
